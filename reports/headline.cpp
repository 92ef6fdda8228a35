// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/headline.h"

#include <algorithm>

namespace dlbench::reports {

const ScalingTrialRecord* find_trial(const std::vector<ScalingTrialRecord>& trials,
                                     std::string_view name) {
  const auto found = std::ranges::find(trials, name, &ScalingTrialRecord::trial);
  return found == trials.end() ? nullptr : &*found;
}

const ScalingTrialRecord* headline_trial(const std::vector<ScalingTrialRecord>& trials) {
  for (const char* const wanted : {"full", "synthetic", "synthetic/device"}) {
    if (const ScalingTrialRecord* found = find_trial(trials, wanted); found != nullptr) {
      return found;
    }
  }
  return trials.empty() ? nullptr : &trials.front();
}

}  // namespace dlbench::reports
