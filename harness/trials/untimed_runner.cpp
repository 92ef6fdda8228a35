// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/untimed_runner.h"

#include "engine/core/clock.h"
#include "engine/core/log.h"
#include "engine/core/trace.h"
#include "harness/trials/step_loop.h"

#include <chrono>
#include <cstddef>
#include <string>

namespace dlbench::harness {
namespace {

namespace trace = core::trace;
using Clock = std::chrono::steady_clock;

}  // namespace

std::int64_t UntimedRunner::settle(Arm& arm, const UntimedLength& length) {
  if (length.settling_steps == 0) {
    return 0;
  }
  const trace::Region region(trace::Category::kRepetition, "settling");
  std::int64_t started = 0;
  std::int64_t told = 0;
  const auto start = Clock::now();
  while (ranks_.broadcast(started < length.settling_steps &&
                          (started == 0 || core::seconds_since(start) < length.min_s))) {
    told += arm.step().has_value() ? 1 : 0;
    ++started;
    guard_.check();
  }
  while (length.waits_for_settling && arm.drain().has_value()) {
    ++told;
  }
  return started - told;
}

std::vector<reports::RepetitionRecord> UntimedRunner::run(
    const std::vector<std::unique_ptr<Arm>>& arms,
    const UntimedLength& length,
    const ArmListeners& listeners) {
  const auto tell = [](const auto& listener, const Arm& arm) {
    if (listener) {
      listener(arm.id());
    }
  };
  std::vector<reports::RepetitionRecord> repetitions(arms.size());
  for (std::size_t index = 0; index < arms.size(); ++index) {
    Arm& arm = *arms[index];
    if (listeners.wants && !listeners.wants(arm.id())) {
      continue;
    }
    const std::string trial = arm.id().to_string();
    guard_.show_progress("profiling " + trial);
    const trace::Region trial_region(trace::Category::kTrial, trial);
    failure_.tell_failure([&] {
      arm.prepare();
      tell(listeners.begin, arm);
      const std::int64_t on_their_way = settle(arm, length);
      tell(listeners.begin_steps, arm);
      const trace::Region region(trace::Category::kRepetition, "profiled repetition");
      const auto start = Clock::now();
      repetitions[index] = step_until(
          arm,
          &guard_,
          0,
          [&](std::int64_t started, double /*done_s*/) {
            const double elapsed_s = core::seconds_since(start);
            return ranks_.broadcast(started >= length.min_steps && elapsed_s >= length.min_s &&
                                    (started >= length.steps || elapsed_s >= length.max_s));
          },
          on_their_way);
    });
    // Before finish(), whose copies for checking parameters must not count in the probes.
    tell(listeners.end, arm);
    arm.finish();
  }
  core::log::progress("");
  return repetitions;
}

}  // namespace dlbench::harness
