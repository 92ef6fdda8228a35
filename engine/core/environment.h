// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The variables of this process.
#pragma once

#include <map>
#include <string>

namespace dlbench::core {

/// All of them, name -> value. Not while another thread sets one.
[[nodiscard]] std::map<std::string, std::string> environment();

}  // namespace dlbench::core
