// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/late_ranks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace dlbench::harness {
namespace {

// Ranks of several nodes that arrive together all wait for a message's round trip, and differ by
// less than that.
constexpr double kClearly = 2.0;

}  // namespace

void count_late_arrivals(const std::vector<std::vector<double>>& ahead_s,
                         std::vector<RankShare>& shares) {
  if (ahead_s.size() != shares.size() || ahead_s.size() < 2) {
    return;
  }
  const std::size_t collectives = ahead_s.front().size();
  const bool alike = std::all_of(
      ahead_s.begin(), ahead_s.end(), [&](const auto& list) { return list.size() == collectives; });
  if (!alike) {
    return;
  }
  std::int64_t known = 0;
  for (std::size_t collective = 0; collective < collectives; ++collective) {
    std::size_t last = 0;
    double min_s = std::numeric_limits<double>::infinity();
    double second_s = min_s;
    for (std::size_t rank = 0; rank < ahead_s.size(); ++rank) {
      const double ahead = ahead_s[rank][collective];
      second_s = std::min(second_s, std::max(ahead, min_s));
      if (ahead < min_s) {
        min_s = ahead;
        last = rank;
      }
    }
    if (second_s > kClearly * min_s) {
      ++known;
      ++shares[last].late_arrivals;
    }
  }
  for (RankShare& share : shares) {
    share.arrivals = known;
  }
}

}  // namespace dlbench::harness
