// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists of CPUs as the kernel writes them: "0-3,8".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

/// "0-3,8" for {0, 1, 2, 3, 8}. `cpus` is ascending.
[[nodiscard]] std::string cpu_list_text(const std::vector<int>& cpus);

/// {0, 1, 2, 3, 8} for "0-3,8\n"; parts that are no numbers are left out.
[[nodiscard]] std::vector<int> parse_cpu_list(std::string_view text);

}  // namespace dlbench::probes
