// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The variables of this process.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace dlbench::core {

/// All of them, name -> value. Not while another thread sets one.
[[nodiscard]] std::map<std::string, std::string> environment();

/// The value of one of them; nothing if it is not set. Not while another thread sets one.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

/// The same of other variables: what reads some takes it as an argument, so that tests can give
/// their own.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;

}  // namespace dlbench::core
