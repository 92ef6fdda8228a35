// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists of CPUs in the kernel's format: "0-3,8".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

/// Formats {0, 1, 2, 3, 8} as "0-3,8". `cpus` is ascending.
[[nodiscard]] std::string cpu_list_text(const std::vector<int>& cpus);

/// Parses "0-3,8\n" to {0, 1, 2, 3, 8}; ignores parts that are not numbers, or larger than
/// any machine has.
[[nodiscard]] std::vector<int> parse_cpu_list(std::string_view text);

}  // namespace dlbench::probes
