// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How long runners of these tests measure: three repetitions of four steps.
#pragma once

#include "harness/trials/trial_runner.h"

namespace dlbench::tests {

[[nodiscard]] inline harness::RunnerOptions three_repetitions() {
  harness::RunnerOptions options;
  options.stopping.min_repetitions = 3;
  options.stopping.max_time_s = 0.001;
  options.steps = 4;
  options.max_discards = 0;
  return options;
}

}  // namespace dlbench::tests
