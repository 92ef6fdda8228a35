// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/fastest_internal.h"
#include "engine/core/check.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace dlbench::backend::cpu {
namespace {

constexpr int kTries = 3;
constexpr int kMaxTries = 1000;
constexpr double kMaxSeconds = 0.25;        // for all tries, after the first kTries of each way
constexpr double kSecondsPerSwitch = 0.02;  // an idle system has fewer switches
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

bool is_disturbed(const Timing& timing) {
  return static_cast<double>(timing.switches) > timing.seconds / kSecondsPerSwitch;
}

std::optional<std::size_t> fastest(std::size_t ways,
                                   const std::function<Timing(std::size_t way)>& time_once) {
  DLBENCH_CHECK(ways > 0);
  std::vector<double> best(ways, kNever);
  const auto some_unknown = [&] {
    return std::find(best.begin(), best.end(), kNever) != best.end();
  };
  // Rounds over all ways, so that a disturbance does not hit only one of them.
  double spent_s = 0.0;
  const auto try_again = [&](int tries) {
    return tries < kMaxTries && spent_s < kMaxSeconds && some_unknown();
  };
  for (int round = 0; round < kTries || try_again(round); ++round) {
    for (std::size_t way = 0; way < ways; ++way) {
      if (round < kTries || best[way] == kNever) {
        const Timing timing = time_once(way);
        spent_s += timing.seconds;
        best[way] = is_disturbed(timing) ? best[way] : std::min(best[way], timing.seconds);
      }
    }
  }
  if (some_unknown()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(std::min_element(best.begin(), best.end()) - best.begin());
}

}  // namespace dlbench::backend::cpu
