// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the host's processor calls itself.
#pragma once

#include <string>

namespace dlbench::backend {

/// The model name of the first processor ("AMD EPYC 9R14"), "unknown processor" if the kernel does
/// not say.
[[nodiscard]] std::string host_processor_name();

}  // namespace dlbench::backend
