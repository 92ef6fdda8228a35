// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops that make the steps of one repetition.
#pragma once

#include "harness/session/run_guard.h"
#include "harness/trials/arm.h"
#include "reports/record.h"

#include <cstdint>
#include <functional>
#include <limits>

namespace dlbench::harness {

/// How many steps a repetition has.
struct RepetitionLength {
  std::int64_t steps = 1;  ///< at least
  std::int64_t max_steps = std::numeric_limits<std::int64_t>::max();
  double min_s = 0.0;  ///< and seconds at least, as far as max_steps allows

  [[nodiscard]] static RepetitionLength exactly(std::int64_t steps) {
    return {.steps = steps, .max_steps = steps};
  }
};

/// The timed loop of every trial: steps until `length.steps` are done and `length.min_s` have
/// passed, and up to half as many more until the prefetch queue holds as much as at the start;
/// whole bursts of the loader if `length.steps` are. `guard` may be null.
[[nodiscard]] reports::RepetitionRecord time_steps(Arm& arm,
                                                   const RepetitionLength& length,
                                                   RunGuard* guard);

/// Whether so many steps that were started, and so many seconds of those that are done, will do.
using EnoughSteps = std::function<bool(std::int64_t started, double done_s)>;

/// Starts steps until there are `enough`, and waits for those on their way. `expected` steps need
/// no allocation. `before` steps are on their way already and of no repetition: the clock starts
/// when the last of them is done. `guard` may be null.
[[nodiscard]] reports::RepetitionRecord step_until(Arm& arm,
                                                   RunGuard* guard,
                                                   std::int64_t expected,
                                                   const EnoughSteps& enough,
                                                   std::int64_t before = 0);

}  // namespace dlbench::harness
