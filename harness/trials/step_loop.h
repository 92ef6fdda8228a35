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

/// The length of a repetition.
struct RepetitionLength {
  std::int64_t steps = 1;  ///< minimum
  std::int64_t max_steps = std::numeric_limits<std::int64_t>::max();
  double min_s = 0.0;  ///< and at least this many seconds, as far as max_steps allows

  [[nodiscard]] static RepetitionLength exactly(std::int64_t steps) {
    return {.steps = steps, .max_steps = steps};
  }
};

/// The timed loop of every trial: makes steps until `length.steps` are done and `length.min_s` have
/// passed, and then up to half as many more until the prefetch queue is as full as at the start;
/// whole bursts of the loader if `length.steps` is a multiple of them. `guard` may be null.
[[nodiscard]] reports::RepetitionRecord time_steps(Arm& arm,
                                                   const RepetitionLength& length,
                                                   RunGuard* guard);

/// Whether that many started steps, and that many seconds of finished ones, are enough.
using EnoughSteps = std::function<bool(std::int64_t started, double done_s)>;

/// Starts steps until there are `enough`, and waits for those in flight. Up to `expected` steps
/// need no allocation. `before` steps are already in flight and not part of the repetition: the
/// clock starts when the last of them is done. `guard` may be null.
[[nodiscard]] reports::RepetitionRecord step_until(Arm& arm,
                                                   RunGuard* guard,
                                                   std::int64_t expected,
                                                   const EnoughSteps& enough,
                                                   std::int64_t before = 0);

}  // namespace dlbench::harness
