// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace dlbench::harness {

/// --ranks "4,1,2": numbers of ranks, ascending, each once; of an empty text none. Throws
/// core::Error(kUsage) for what is no number, or more than the `available` ranks of the launch.
[[nodiscard]] std::vector<int> parse_rank_list(std::string_view text, int available);

}  // namespace dlbench::harness
