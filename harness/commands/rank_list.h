// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace dlbench::harness {

/// Parses --ranks "4,1,2" into numbers of ranks, ascending, each once; none for an empty text.
/// Throws core::Error(kUsage) for an invalid number or one above the launch's `available` ranks.
[[nodiscard]] std::vector<int> parse_rank_list(std::string_view text, int available);

}  // namespace dlbench::harness
