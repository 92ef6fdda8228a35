// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/trial_runner.h"

#include "engine/core/check.h"
#include "engine/core/log.h"
#include "engine/core/trace.h"
#include "probes/disturbance.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

namespace dlbench::harness {
namespace {

namespace trace = core::trace;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void add_stats(data::LoaderStats& sum, const data::LoaderStats& part) {
  for (std::size_t stage = 0; stage < sum.stage_s.size(); ++stage) {
    sum.stage_s[stage] += part.stage_s[stage];
  }
  sum.worker_idle_s += part.worker_idle_s;
  sum.worker_cpu_s += part.worker_cpu_s;
  sum.wait_s += part.wait_s;
  sum.samples_loaded += part.samples_loaded;
  sum.samples_delivered += part.samples_delivered;
  sum.batches_delivered += part.batches_delivered;
  sum.bytes_read += part.bytes_read;
  sum.samples_replaced += part.samples_replaced;
  sum.skipped = part.skipped;
  sum.queue_capacity = part.queue_capacity;
}

// The queue may end with at most 1 % of the repetition's batches more or less than it began with.
bool queue_balanced(std::int64_t start, std::int64_t end, std::int64_t steps) {
  return std::abs(static_cast<double>(end - start)) <= 0.01 * static_cast<double>(steps);
}

}  // namespace

std::vector<double> TrialResult::rates() const {
  std::vector<double> rates;
  for (const auto& repetition : repetitions) {
    if (!repetition.discarded.has_value()) {
      rates.push_back(repetition.samples_per_second);
    }
  }
  return rates;
}

std::optional<double> TrialResult::cpu_s_per_sample() const {
  double cpu_s = 0.0;
  std::int64_t samples = 0;
  for (const auto& repetition : repetitions) {
    if (!repetition.discarded.has_value() && repetition.cpu_s.has_value()) {
      cpu_s += *repetition.cpu_s;
      samples += repetition.samples;
    }
  }
  if (samples == 0) {
    return std::nullopt;
  }
  return cpu_s / static_cast<double>(samples);
}

TrialRunner::TrialRunner(RunnerOptions options, RunGuard& guard, Listener listener)
    : options_(std::move(options)),
      guard_(guard),
      listener_(std::move(listener)),
      stopping_(options_.stopping) {}

void TrialRunner::show_progress(const std::string& what) const {
  char text[120];
  std::snprintf(text, sizeof text, "%s, %.0f s", what.c_str(), guard_.elapsed_s());
  core::log::progress(text);
}

void TrialRunner::run(const std::vector<std::unique_ptr<Arm>>& arms) {
  results_.resize(arms.size());
  for (std::size_t index = 0; index < arms.size(); ++index) {
    results_[index].id = arms[index]->id();
  }
  // A third of a time budget may go into warm-up, shared evenly.
  const double warmup_limit_s =
      options_.time_budget_s.has_value()
          ? std::max(1.0, *options_.time_budget_s / 3.0 / static_cast<double>(arms.size()))
          : SteadyStateLimits{}.max_seconds;
  std::vector<TrialEstimate> estimates;
  for (std::size_t index = 0; index < arms.size(); ++index) {
    estimates.push_back(warm_up(*arms[index], results_[index], warmup_limit_s));
  }
  plan(std::move(estimates));
  StopDecision decision;
  for (std::int64_t round = 0; !decision.stop(); ++round) {
    run_round(arms, round);
    decision = decide();
  }
  note_missed_noise(decision);
  core::log::progress("");
}

void TrialRunner::note_missed_noise(const StopDecision& decision) {
  for (std::size_t index = 0; index < results_.size(); ++index) {
    if (decision.noise[index].target_met) {
      continue;
    }
    char detail[120];
    std::snprintf(detail,
                  sizeof detail,
                  "half-width %.2f %% of the mean, wanted %.2f %%",
                  100.0 * decision.noise[index].half_width.value_or(NAN),
                  100.0 * options_.stopping.max_noise);
    results_[index].taints.push_back(
        {reports::Taint::kNoiseTargetMissed, "trial " + results_[index].id.to_string(), detail});
  }
}

TrialEstimate TrialRunner::warm_up(Arm& arm, TrialResult& result, double max_seconds) {
  const std::string trial = arm.id().to_string();
  const trace::Region trial_region(trace::Category::kTrial, trial);
  const trace::Region region(trace::Category::kRepetition, "warm-up");
  SteadyState steady({.min_steps = options_.warmup_steps, .max_seconds = max_seconds});
  if (before_repetition) {
    before_repetition(arm.id());
  }
  show_progress(trial + ": warm-up");
  arm.prepare();
  const auto start = Clock::now();
  while (!steady.done()) {
    guard_.check();
    show_progress(trial + ": warm-up, step " + std::to_string(steady.steps() + 1));
    const auto step_start = Clock::now();
    static_cast<void>(arm.step());
    steady.add(seconds_since(step_start));
  }
  const double mean_s = seconds_since(start) / static_cast<double>(steady.steps());
  arm.finish();
  result.warmup = {.steps = steady.steps(),
                   .rule = steady.rule(),
                   .steady = steady.steady(),
                   .first_step_s = steady.first_step_s()};
  if (!steady.steady()) {
    result.taints.push_back({reports::Taint::kWarmupNotSteady, "trial " + trial, steady.rule()});
  }
  const double step_s = steady.median_step_s() > 0.0 ? steady.median_step_s() : mean_s;
  return {.name = trial,
          .step_s = step_s,
          .setup_s = step_s * static_cast<double>(arm.untimed_steps())};
}

void TrialRunner::plan(std::vector<TrialEstimate> estimates) {
  TimePlanRequest request{.trials = std::move(estimates),
                          .min_repetitions = options_.stopping.min_repetitions,
                          .min_time_s = options_.min_time_s,
                          .max_time_s = options_.stopping.max_time_s,
                          .steps = options_.steps,
                          .remaining_s = std::nullopt};
  if (options_.time_budget_s.has_value()) {
    request.remaining_s = std::max(1.0, *options_.time_budget_s - guard_.elapsed_s());
  }
  plan_ = plan_time(request);
  if (plan_.shortened) {
    for (auto& result : results_) {
      result.taints.push_back({reports::Taint::kShortRun,
                               "trial " + result.id.to_string(),
                               "repetitions shortened to fit --time-budget"});
    }
  }
  if (!plan_.fits) {
    core::log::warn("--time-budget is too short for " +
                    std::to_string(options_.stopping.min_repetitions) +
                    " repetitions of every trial; measuring them all the same");
  }
  options_.stopping.max_time_s = plan_.max_time_s;
  stopping_ = StoppingRule(options_.stopping);
}

StopDecision TrialRunner::decide() const {
  std::vector<TrialProgress> progress;
  for (const TrialResult& result : results_) {
    progress.push_back({.name = result.id.to_string(),
                        .samples_per_second = result.rates(),
                        .elapsed_s = result.elapsed_s});
  }
  return stopping_.decide(progress);
}

void TrialRunner::run_round(const std::vector<std::unique_ptr<Arm>>& arms, std::int64_t round) {
  for (std::size_t index = 0; index < arms.size(); ++index) {
    std::int64_t steps = plan_.trials[index].steps;
    if (options_.loader_max_steps.has_value() && arms[index]->loader_stats().has_value()) {
      steps = std::min(steps, *options_.loader_max_steps);
    }
    measure(*arms[index], results_[index], round, steps);
  }
}

void TrialRunner::measure(Arm& arm, TrialResult& result, std::int64_t round, std::int64_t steps) {
  const std::string trial = arm.id().to_string();
  while (true) {
    guard_.check();
    show_progress("round " + std::to_string(round + 1) + ", " + trial);
    const auto start = Clock::now();
    if (before_repetition) {
      before_repetition(arm.id());
    }
    const trace::Region trial_region(trace::Category::kTrial, trial);
    arm.prepare();
    const trace::Region region(trace::Category::kRepetition, "repetition", round);
    if (begin_window) {
      begin_window(arm.id());
    }
    const probes::ProcSnapshot before = probes::take_snapshot();
    reports::RepetitionRecord repetition =
        time_steps(arm, steps, options_.steps.has_value(), &guard_);
    const probes::ProcSnapshot after = probes::take_snapshot();
    if (end_window) {
      end_window();
    }
    const PhaseTotals phases = arm.phases();
    const std::optional<data::LoaderStats> loader = arm.loader_stats();
    arm.finish();

    const probes::Disturbance disturbance = probes::compare_snapshots(
        before, after, options_.cpus, static_cast<int>(options_.own_threads));
    repetition.index = static_cast<std::int64_t>(result.repetitions.size());
    repetition.round = round;
    repetition.cpu_s = disturbance.user_cpu_s + disturbance.system_cpu_s;
    repetition.disturbance = {
        .involuntary_context_switches = disturbance.involuntary_context_switches,
        .steal_s = disturbance.steal_s,
        .foreign_cpu_s = disturbance.other_cpu_s,
        .sm_clock_mhz = std::nullopt,
        .throttle_reasons = {}};
    judge(repetition, result, disturbance.disturbed ? disturbance.reason : "");
    result.elapsed_s += seconds_since(start);
    const bool counts = !repetition.discarded.has_value();
    if (counts) {
      result.phases.add(phases);
      result.timed_s += repetition.wall_s;
      if (loader.has_value()) {
        result.has_loader = true;
        add_stats(result.loader, *loader);
      }
    }
    result.repetitions.push_back(std::move(repetition));
    if (listener_) {
      listener_(results_);
    }
    if (counts) {
      return;
    }
  }
}

void TrialRunner::run_untimed(const std::vector<std::unique_ptr<Arm>>& arms, double seconds) {
  for (std::size_t index = 0; index < arms.size(); ++index) {
    Arm& arm = *arms[index];
    const std::string trial = arm.id().to_string();
    show_progress("tracing " + trial);
    const trace::Region trial_region(trace::Category::kTrial, trial);
    arm.prepare();
    const trace::Region region(trace::Category::kRepetition, "traced repetition");
    const auto start = Clock::now();
    do {
      static_cast<void>(time_steps(arm, 1, true, &guard_));
    } while (seconds_since(start) < seconds);
    arm.finish();
  }
  core::log::progress("");
}

reports::RepetitionRecord TrialRunner::time_steps(Arm& arm,
                                                  std::int64_t steps,
                                                  bool exact,
                                                  RunGuard* guard) {
  reports::RepetitionRecord repetition;
  const std::optional<std::int64_t> queue_start = arm.queue_fill();
  const std::int64_t limit = exact ? steps : steps + steps / 2 + 1;
  repetition.step_wall_s.reserve(static_cast<std::size_t>(limit));
  repetition.step_loss.reserve(static_cast<std::size_t>(limit));
  std::optional<std::int64_t> queue_end = queue_start;
  const auto start = Clock::now();
  auto last = start;
  while (true) {
    {
      const trace::Region region(trace::Category::kStep, "step", repetition.steps);
      const StepSample sample = arm.step();
      repetition.samples += sample.samples;
      if (sample.loss.has_value()) {
        repetition.step_loss.push_back(*sample.loss);
      }
    }
    const auto now = Clock::now();
    repetition.step_wall_s.push_back(std::chrono::duration<double>(now - last).count());
    last = now;
    repetition.steps += 1;
    if (guard != nullptr) {
      guard->check();
    }
    if (repetition.steps < steps) {
      continue;
    }
    queue_end = arm.queue_fill();
    if (repetition.steps >= limit || !queue_start.has_value() ||
        queue_balanced(*queue_start, *queue_end, repetition.steps)) {
      break;
    }
  }
  repetition.wall_s = std::chrono::duration<double>(last - start).count();
  repetition.samples_per_second = static_cast<double>(repetition.samples) / repetition.wall_s;
  if (queue_start.has_value()) {
    repetition.queue_fill = reports::QueueFillRecord{*queue_start, *queue_end};
  }
  return repetition;
}

void TrialRunner::judge(reports::RepetitionRecord& repetition,
                        TrialResult& result,
                        const std::string& reason) {
  const std::string where =
      "trial " + result.id.to_string() + ", repetition " + std::to_string(repetition.index);
  if (!reason.empty()) {
    const auto discarded = std::count_if(
        result.repetitions.begin(), result.repetitions.end(), [](const auto& earlier) {
          return earlier.discarded.has_value();
        });
    if (discarded < options_.max_discards) {
      repetition.discarded = reason;
      return;
    }
    result.taints.push_back({reports::Taint::kDisturbed, where, reason});
  }
  if (repetition.queue_fill.has_value() &&
      !queue_balanced(repetition.queue_fill->start, repetition.queue_fill->end, repetition.steps)) {
    result.taints.push_back({reports::Taint::kShortRun,
                             where,
                             "the prefetch queue went from " +
                                 std::to_string(repetition.queue_fill->start) + " to " +
                                 std::to_string(repetition.queue_fill->end) + " batches in " +
                                 std::to_string(repetition.steps) + " steps"});
  }
}

}  // namespace dlbench::harness
