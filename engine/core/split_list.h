// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::core {

/// Splits a list at commas: "a,b" -> a, b. Empty parts are kept, so that whoever reads the parts
/// rejects "a,,b" and "a,". An empty text has no parts.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

}  // namespace dlbench::core
