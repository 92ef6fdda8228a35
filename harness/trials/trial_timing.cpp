// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops of TrialRunner that make the steps of one repetition.
#include "engine/comm/rank_progress.h"
#include "engine/core/clock.h"
#include "engine/core/log.h"
#include "engine/core/trace.h"
#include "harness/trials/trial_runner.h"
#include "probes/node/disturbance.h"
#include "reports/doubts.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

namespace dlbench::harness {
namespace {

namespace trace = core::trace;
using Clock = std::chrono::steady_clock;

// Starts steps until `enough` of their number and of the seconds of those that are done, and waits
// for those on their way. `expected` steps need no allocation. `before` steps are on their way
// already and of no repetition: the clock starts when the last of them is done.
template <typename Enough>
reports::RepetitionRecord step_until(Arm& arm,
                                     RunGuard* guard,
                                     std::int64_t expected,
                                     const Enough& enough,
                                     std::int64_t before = 0) {
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

}  // namespace

// The loader went on since prepare(), while probes began and ranks met. A repetition that cannot be
// lengthened until its queue is as full as at the start would report those batches as its own. With
// a cold cache one pass over the data is all there is.
double TrialRunner::use_up_surplus(Arm& arm, const RepetitionLength& planned) {
  if (planned.at_most > planned.steps || options_.cold_pass_steps.has_value()) {
    return 0.0;
  }
  const auto surplus = static_cast<std::int64_t>(ranks_.max(static_cast<double>(arm.surplus())));
  if (surplus == 0) {
    return 0.0;
  }
  const double begin_s = probes::process_cpu_s();
  arm.use_up(surplus);
  static_cast<void>(arm.take_communication());
  return probes::process_cpu_s() - begin_s;
}

std::int64_t TrialRunner::settle(Arm& arm, const UntimedLength& length) {
  if (length.settling_steps == 0) {
    return 0;
  }
  const trace::Region region(trace::Category::kRepetition, "settling");
  std::int64_t started = 0;
  std::int64_t told = 0;
  const auto start = Clock::now();
  while (ranks_.broadcast(started < length.settling_steps &&
                          (started == 0 || core::seconds_since(start) < length.least_s))) {
    told += arm.step().has_value() ? 1 : 0;
    ++started;
    guard_.check();
  }
  while (length.waits_for_settling && arm.drain().has_value()) {
    ++told;
  }
  return started - told;
}

std::vector<reports::RepetitionRecord> TrialRunner::run_untimed(
    const std::vector<std::unique_ptr<Arm>>& arms,
    const UntimedLength& length,
    const Around& around) {
  const auto tell = [](const auto& listener, const Arm& arm) {
    if (listener) {
      listener(arm.id());
    }
  };
  std::vector<reports::RepetitionRecord> repetitions(arms.size());
  for (std::size_t index = 0; index < arms.size(); ++index) {
    Arm& arm = *arms[index];
    if (around.wants && !around.wants(arm.id())) {
      continue;
    }
    const std::string trial = arm.id().to_string();
    show_progress("profiling " + trial);
    const trace::Region trial_region(trace::Category::kTrial, trial);
    tell_failure(
        [&] {
          arm.prepare();
          tell(around.begin, arm);
          const std::int64_t on_their_way = settle(arm, length);
          tell(around.begin_steps, arm);
          const trace::Region region(trace::Category::kRepetition, "profiled repetition");
          const auto start = Clock::now();
          repetitions[index] = step_until(
              arm,
              &guard_,
              0,
              [&](std::int64_t started, double /*done_s*/) {
                const double elapsed_s = core::seconds_since(start);
                return ranks_.broadcast(started >= length.fewest_steps &&
                                        elapsed_s >= length.least_s &&
                                        (started >= length.steps || elapsed_s >= length.most_s));
              },
              on_their_way);
        },
        device_fault);
    // Before finish(): what it copies to look at parameters is no part of what probes count.
    tell(around.end, arm);
    arm.finish();
  }
  core::log::progress("");
  return repetitions;
}

reports::RepetitionRecord TrialRunner::time_steps(Arm& arm,
                                                  const RepetitionLength& length,
                                                  RunGuard* guard) {
  const std::optional<std::int64_t> queue_start = arm.queue_fill();
  const std::int64_t unit = length.steps % arm.burst() == 0 ? arm.burst() : 1;
  const auto half_as_many_more = [&](std::int64_t steps) {
    return std::min(length.at_most, steps + (steps / 2 + unit) / unit * unit);
  };
  std::optional<std::int64_t> limit;  // known when the repetition is long enough
  std::optional<std::int64_t> queue_end = queue_start;
  const auto enough = [&](std::int64_t started, double done_s) {
    const bool too_short = started < length.steps || started % unit != 0 || done_s < length.least_s;
    if (too_short && started < limit.value_or(length.at_most)) {
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
