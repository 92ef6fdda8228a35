// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/trial_runner.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/trace.h"
#include "harness/trials/cold_pass.h"
#include "harness/trials/steady_state.h"
#include "harness/utc_time.h"
#include "probes/node/disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

namespace trace = core::trace;
using Clock = std::chrono::steady_clock;

}  // namespace

TrialRunner::TrialRunner(RunnerOptions options,
                         RankGroup& ranks,
                         RunGuard& guard,
                         RunnerHooks hooks)
    : options_(std::move(options)),
      ranks_(ranks),
      guard_(guard),
      hooks_(std::move(hooks)),
      asked_repetitions_(options_.stopping.min_repetitions),
      stopping_(options_.stopping) {}

void TrialRunner::enter_phase(const std::string& phase) const {
  comm::enter_phase(options_.name.empty() ? phase : options_.name + ", " + phase);
}

void TrialRunner::run(const std::vector<std::unique_ptr<Arm>>& arms) {
  // Up to a third of a time budget is for warm-up, divided evenly.
  const double warmup_limit_s =
      options_.time_budget_s.has_value()
          ? std::max(1.0, *options_.time_budget_s / 3.0 / static_cast<double>(arms.size()))
          : warm_up_limit_s(options_.stopping.max_time_s);
  static_cast<void>(warm_up(arms, warmup_limit_s));
  plan(0);
  tell_min_steps(arms);
  StopDecision decision;
  for (std::int64_t round = 0; !decision.stop(); ++round) {
    run_round(arms, round);
    if (round + 1 < options_.stopping.min_repetitions) {
      plan_again(round + 1);
    }
    decision = decide();
  }
  note_missed_noise(decision);
  core::log::progress("");
}

void TrialRunner::plan(std::int64_t rounds_done) {
  constexpr std::int64_t kForAnInterval = 2;
  const auto left = [rounds_done](std::int64_t repetitions) {
    return std::max<std::int64_t>(1, repetitions - rounds_done);
  };
  TimePlanRequest request{.trials = estimates_,
                          .min_repetitions = left(options_.stopping.min_repetitions),
                          .min_repetitions_on_budget = left(kForAnInterval),
                          .min_time_s = options_.min_time_s,
                          .max_time_s = options_.stopping.max_time_s,
                          .steps = options_.steps,
                          .remaining_s = std::nullopt};
  if (options_.time_budget_s.has_value()) {
    request.remaining_s =
        std::max(0.0, *options_.time_budget_s - ranks_.broadcast(guard_.elapsed_s()));
  }
  const TimePlan plan = plan_time(request);
  std::vector<std::int64_t> steps;
  double spent_s = 0.0;
  for (std::size_t index = 0; index < plan.trials.size(); ++index) {
    steps.push_back(plan.trials[index].steps);
    spent_s = std::max(spent_s, results_[index].elapsed_s);
  }
  if (plan.repetitions < request.min_repetitions) {
    options_.stopping.min_repetitions = rounds_done + plan.repetitions;
  }
  set_steps(std::move(steps), plan.shortened);
  if (!plan.fits && !budget_warned_) {
    core::log::warn(over_budget_text(request, plan));
    budget_warned_ = true;
  }
  options_.stopping.max_time_s = std::min(options_.stopping.max_time_s, spent_s + plan.max_time_s);
  stopping_ = StoppingRule(options_.stopping);
}

void TrialRunner::plan_again(std::int64_t rounds_done) {
  constexpr double kWrong = 1.25;
  if (!options_.time_budget_s.has_value() || options_.steps.has_value()) {
    return;
  }
  std::vector<TrialEstimate> seen = estimates_;
  bool wrong = false;
  for (std::size_t index = 0; index < seen.size(); ++index) {
    const reports::RepetitionRecord& last = results_[index].repetitions.back();
    TrialEstimate& estimate = seen[index];
    const double step_s = ranks_.broadcast(last.wall_s / static_cast<double>(last.steps));
    const double longer = step_s / estimate.step_s;
    wrong = wrong || longer > kWrong;
    estimate.step_s = step_s;
    estimate.setup_s *= longer;
    estimate.min_steps = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(estimate.min_steps) / longer));
  }
  if (wrong) {
    estimates_ = std::move(seen);
    plan(rounds_done);
  }
}

void TrialRunner::tell_min_steps(const std::vector<std::unique_ptr<Arm>>& arms) {
  for (std::size_t index = 0; index < arms.size(); ++index) {
    const std::int64_t least = min_steps(*arms[index], index);
    const bool leaves_so_many = options_.cold_pass_steps.value_or(least) >= least;
    if (options_.steps.has_value() && *options_.steps < least && leaves_so_many) {
      core::log::info("--steps " + std::to_string(*options_.steps) + ": a repetition of " +
                      arms[index]->id().to_string() + " has " + std::to_string(least) +
                      ": fewer could all come from the prefetch queue");
    }
  }
}

std::vector<TrialProgress> TrialRunner::progress() const {
  std::vector<TrialProgress> progress;
  for (const TrialResult& result : results_) {
    progress.push_back({.name = result.id.to_string(),
                        .samples_per_second = result.rates(),
                        .elapsed_s = result.elapsed_s});
  }
  return progress;
}

void TrialRunner::set_steps(std::vector<std::int64_t> steps, bool shortened) {
  steps_ = std::move(steps);
  min_s_ = shortened || options_.steps.has_value() ? 0.0 : options_.min_time_s;
  note_budget(shortened);
}

void TrialRunner::shorten(double factor) {
  bool shortened = false;
  for (std::size_t arm = 0; arm < steps_.size(); ++arm) {
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(steps_[arm]) * factor);
    const std::int64_t steps = std::min(steps_[arm], whole_steps(estimates_[arm], wanted));
    const double usual_s = static_cast<double>(steps) * estimates_[arm].step_s;
    shortened = shortened || steps < steps_[arm] || usual_s < min_s_;
    steps_[arm] = steps;
  }
  if (shortened) {
    min_s_ = 0.0;
    note_budget(true);
  }
}

StopDecision TrialRunner::decide() const { return stopping_.decide(progress()); }

void TrialRunner::run_round(const std::vector<std::unique_ptr<Arm>>& arms, std::int64_t round) {
  for (std::size_t index = 0; index < arms.size(); ++index) {
    measure(*arms[index], index, round);
  }
}

std::int64_t TrialRunner::min_steps(const Arm& arm, std::size_t index) {
  const std::int64_t least = arm.min_steps();
  return ranks_.broadcast(
      index < estimates_.size() ? steps_that_outweigh(least, estimates_[index].step_s) : least);
}

RepetitionLength TrialRunner::length(const Arm& arm, std::size_t index) {
  // Ranks that step together cannot add steps individually.
  const bool exact = options_.steps.has_value() || ranks_.size() > 1;
  RepetitionLength length{.steps = std::max(steps_[index], min_steps(arm, index)), .min_s = min_s_};
  if (options_.cold_pass_steps.has_value() && ranks_.any(arm.loader_stats().has_value())) {
    const std::int64_t pass = *options_.cold_pass_steps;
    const std::int64_t burst = index < estimates_.size() ? estimates_[index].multiple : 1;
    length.max_steps = options_.steps.has_value() || pass < burst ? pass : pass / burst * burst;
    const std::int64_t wanted =
        std::exchange(length.steps, std::min(length.steps, length.max_steps));
    if (options_.steps.has_value() && length.steps < wanted) {
      results_[index].note_once(reports::Taint::kShortRun,
                                "--steps " + std::to_string(*options_.steps) + " wants " +
                                    std::to_string(wanted) + ", but repetitions have " +
                                    std::to_string(length.steps) +
                                    ": one pass over the data leaves no more (--cache cold)");
    }
  }
  return exact ? RepetitionLength::exactly(length.steps) : length;
}

bool TrialRunner::lengthen(const Arm& arm,
                           std::size_t index,
                           const reports::RepetitionRecord& repetition) {
  // A single rank has already continued. The time is the group's, so all ranks decide alike.
  if (ranks_.size() == 1 || repetition.wall_s >= min_s_) {
    return false;
  }
  steps_[index] = ranks_.broadcast(std::max(
      steps_[index],
      lengthened_steps(estimates_.at(index), repetition.steps, repetition.wall_s, min_s_)));
  return length(arm, index).steps > repetition.steps;
}

void TrialRunner::measure(Arm& arm, std::size_t index, std::int64_t round) {
  const std::string trial = arm.id().to_string();
  std::optional<Attempt> best;
  do {
    guard_.check();
    guard_.show_progress("round " + std::to_string(round + 1) + ", " + trial);
    enter_phase("trial " + trial + ", round " + std::to_string(round + 1));
  } while (!repeat(arm, index, round, best));
}

// The loader continued since prepare(), while probes began and ranks met. A repetition that cannot
// be lengthened until its queue is as full as at the start would count those batches as its own.
// With a cold cache one pass over the data is all there is.
double TrialRunner::use_up_surplus(Arm& arm, const RepetitionLength& planned) {
  if (planned.max_steps > planned.steps || options_.cold_pass_steps.has_value()) {
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

bool TrialRunner::repeat(Arm& arm,
                         std::size_t index,
                         std::int64_t round,
                         std::optional<Attempt>& best) {
  TrialResult& result = results_[index];
  const auto start = Clock::now();
  if (hooks_.before_repetition) {
    hooks_.before_repetition(arm.id());
  }
  const trace::Region trial_region(trace::Category::kTrial, arm.id().to_string());
  const ReadBytes read_before = read_so_far(arm.loader_stats());
  std::optional<comm::Stepping> stepping(std::in_place);  // preparing makes steps too
  hooks_.failure.tell_failure([&] { arm.prepare(); });
  const trace::Region region(trace::Category::kRepetition, "repetition", round);
  RepetitionWindow window;
  reports::RepetitionRecord repetition = time_window(arm, index, window);
  repetition.index = static_cast<std::int64_t>(result.repetitions.size());
  repetition.round = round;
  result.replayed = arm.replays();
  Attempt attempt{.index = result.repetitions.size(),
                  .phases = arm.phases(),
                  .loader = arm.loader_stats(),
                  .ranks = {.round = round}};
  window.samples_replaced = attempt.loader.has_value() ? attempt.loader->samples_replaced : 0;
  arm.finish();
  window.read = read_so_far(arm.loader_stats()) - read_before;
  repetition.loss_scaling = arm.loss_scaling();

  attempt.disturbance = combine_ranks(ranks_, window, attempt.phases, repetition, attempt.ranks);
  stepping.reset();
  note_device(window.device, attempt.ranks, repetition, result);
  result.note_quota(attempt.ranks);
  const double elapsed_s = ranks_.broadcast(core::seconds_since(start));
  const std::string& reason = attempt.disturbance.reason;
  const bool longer = lengthen(arm, index, repetition);
  repetition.discarded = why_discarded(repetition, elapsed_s, result, reason, longer);
  result.elapsed_s += elapsed_s;
  const bool counts = !repetition.discarded.has_value();
  result.repetitions.push_back(std::move(repetition));
  const bool less_disturbed =
      !best.has_value() || attempt.disturbance.severity <= best->disturbance.severity;
  if (!counts && !reason.empty() && !longer && less_disturbed) {
    best = std::move(attempt);
  } else if (counts && !less_disturbed) {
    result.repetitions[attempt.index].discarded = reason;
    result.repetitions[best->index].discarded.reset();
    keep(std::move(*best), result);
  } else if (counts) {
    keep(std::move(attempt), result);
  }
  if (hooks_.after_repetition) {
    hooks_.after_repetition(results_);
  }
  return counts;
}

reports::RepetitionRecord TrialRunner::time_window(Arm& arm,
                                                   std::size_t index,
                                                   RepetitionWindow& window) {
  if (hooks_.begin_window) {
    hooks_.begin_window(arm.id());
  }
  const auto end_window = [this] {
    return hooks_.end_window ? hooks_.end_window() : probes::DeviceConditions{};
  };
  window.own = own_load(arm);
  static_cast<void>(arm.take_communication());
  const RepetitionLength planned = length(arm, index);
  ranks_.barrier();
  window.begin = probes::take_snapshot();
  const std::string started_at = utc_now();
  reports::RepetitionRecord repetition;
  // An error of a step ends the window early: the driver often knows more than the failing call.
  hooks_.failure.tell_failure(
      [&] {
        window.untimed_cpu_s = use_up_surplus(arm, planned);
        repetition = time_steps(arm, planned, &guard_);
      },
      hooks_.end_window ? [&] { return end_window().reported.possible_cause; }
                        : std::function<std::string()>());
  window.end = probes::take_snapshot();
  repetition.started_at = started_at;
  window.communication = arm.take_communication();
  window.device = end_window();
  return repetition;
}

void TrialRunner::keep(Attempt attempt, TrialResult& result) const {
  const reports::RepetitionRecord& repetition = result.repetitions[attempt.index];
  taint_repetition(repetition, attempt.disturbance.reason, result);
  if (options_.cold_pass_steps.has_value()) {
    result.note_doubts_of_cold(attempt.ranks, repetition);
  }
  result.phases.add(attempt.phases);
  result.timed_s += repetition.wall_s;
  result.rounds.push_back(std::move(attempt.ranks));
  if (attempt.loader.has_value()) {
    result.has_loader = true;
    result.loader.add(*attempt.loader);
  }
}

probes::OwnLoad TrialRunner::own_load(const Arm& arm) const {
  return {.cpus = options_.cpus,
          .threads = static_cast<int>(options_.own_threads) + arm.extra_threads()};
}

}  // namespace dlbench::harness
