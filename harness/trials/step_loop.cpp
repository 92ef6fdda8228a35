// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/step_loop.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/trace.h"
#include "reports/doubts.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

namespace dlbench::harness {
namespace {

namespace trace = core::trace;
using Clock = std::chrono::steady_clock;

}  // namespace

reports::RepetitionRecord step_until(Arm& arm,
                                     RunGuard* guard,
                                     std::int64_t expected,
                                     const EnoughSteps& enough,
                                     std::int64_t before) {
  reports::RepetitionRecord repetition;
  repetition.step_wall_s.reserve(static_cast<std::size_t>(expected));
  repetition.step_loss.reserve(static_cast<std::size_t>(expected));
  auto start = Clock::now();
  auto last = start;
  const auto book = [&](const StepSample& sample) {
    const auto now = Clock::now();
    const double seen_s = std::chrono::duration<double>(now - last).count();
    comm::step_done(seen_s);
    last = now;
    if (before > 0) {
      --before;
      start = now;
      return;
    }
    repetition.step_wall_s.push_back(sample.step_s.value_or(seen_s));
    repetition.samples += sample.samples;
    if (sample.loss.has_value()) {
      repetition.step_loss.push_back(*sample.loss);
    }
  };
  do {
    {
      const trace::Region region(trace::Category::kStep, "step", repetition.steps);
      if (const std::optional<StepSample> sample = arm.step(); sample.has_value()) {
        book(*sample);
      }
    }
    repetition.steps += 1;
    if (guard != nullptr) {
      guard->check();
    }
  } while (!enough(repetition.steps, std::chrono::duration<double>(last - start).count()));
  while (const std::optional<StepSample> sample = arm.drain()) {
    book(*sample);
  }
  repetition.wall_s = std::chrono::duration<double>(last - start).count();
  repetition.samples_per_second = static_cast<double>(repetition.samples) / repetition.wall_s;
  return repetition;
}

reports::RepetitionRecord time_steps(Arm& arm, const RepetitionLength& length, RunGuard* guard) {
  const std::optional<std::int64_t> queue_start = arm.queue_fill();
  const std::int64_t unit = length.steps % arm.burst() == 0 ? arm.burst() : 1;
  const auto half_as_many_more = [&](std::int64_t steps) {
    return std::min(length.max_steps, steps + (steps / 2 + unit) / unit * unit);
  };
  std::optional<std::int64_t> limit;  // known when the repetition is long enough
  std::optional<std::int64_t> queue_end = queue_start;
  const auto enough = [&](std::int64_t started, double done_s) {
    const bool too_short = started < length.steps || started % unit != 0 || done_s < length.min_s;
    if (too_short && started < limit.value_or(length.max_steps)) {
      return false;
    }
    limit = limit.value_or(half_as_many_more(started));
    queue_end = arm.queue_fill();
    return started >= *limit || !queue_start.has_value() ||
           reports::queue_balanced(*queue_start, *queue_end, started);
  };
  reports::RepetitionRecord repetition =
      step_until(arm, guard, half_as_many_more(length.steps), enough);
  if (queue_start.has_value()) {
    repetition.queue_fill = reports::QueueFillRecord{*queue_start, *queue_end};
  }
  return repetition;
}

}  // namespace dlbench::harness
