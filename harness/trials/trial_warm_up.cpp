// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Warms up the trials until they are steady, and finds the minimum length of a repetition of each.
#include "engine/comm/rank_progress.h"
#include "engine/core/clock.h"
#include "engine/core/trace.h"
#include "harness/trials/steady_state.h"
#include "harness/trials/trial_runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace dlbench::harness {
namespace {

namespace trace = core::trace;
using Clock = std::chrono::steady_clock;

// Share of a warm-up's time: waiting longer for a loader means that it sets the pace of steps.
constexpr double kWaitThatShows = 0.1;

}  // namespace

std::vector<TrialEstimate> TrialRunner::warm_up(const std::vector<std::unique_ptr<Arm>>& arms,
                                                double limit_s) {
  results_.resize(arms.size());
  std::vector<TrialEstimate> estimates;
  for (std::size_t index = 0; index < arms.size(); ++index) {
    results_[index].id = arms[index]->id();
    hooks_.failure.tell_failure(
        [&] { estimates.push_back(warm_up_arm(*arms[index], results_[index], limit_s)); });
  }
  estimates_ = estimates;
  return estimates;
}

TrialEstimate TrialRunner::warm_up_arm(Arm& arm, TrialResult& result, double max_seconds) {
  const std::string trial = arm.id().to_string();
  const trace::Region trial_region(trace::Category::kTrial, trial);
  const trace::Region region(trace::Category::kRepetition, "warm-up");
  if (hooks_.before_repetition) {
    hooks_.before_repetition(arm.id());
  }
  guard_.show_progress(trial + ": warm-up");
  enter_phase("trial " + trial + ", warm-up");
  std::optional<comm::FirstStep> first(std::in_place);  // preparing makes steps too
  const auto start = Clock::now();
  arm.prepare();
  if (options_.time_budget_s.has_value()) {  // whose share is for all of the warm-up
    max_seconds = std::max(1.0, max_seconds - core::seconds_since(start));
  }
  SteadyState steady({.min_steps = options_.warmup_steps, .max_seconds = max_seconds});
  std::optional<comm::Stepping> stepping;
  double step_s = 0.0;
  while (!ranks_.broadcast(steady.done())) {
    guard_.check();
    guard_.show_progress(trial + ": warm-up, step " + std::to_string(steady.steps() + 1));
    const auto step_start = Clock::now();
    const bool told = arm.step().has_value();
    step_s += std::chrono::duration<double>(Clock::now() - step_start).count();
    if (!told) {
      continue;  // the first ones are on their way
    }
    steady.add(step_s);
    comm::step_done(step_s);
    step_s = 0.0;
    if (!stepping.has_value()) {
      first.reset();
      stepping.emplace();  // how long a step takes is known from the first one on
    }
  }
  while (arm.drain().has_value()) {
  }
  stepping.reset();
  const std::optional<data::LoaderStats> loader = arm.loader_stats();
  const bool waits = loader.has_value() && loader->wait_s > kWaitThatShows * steady.total_s();
  const double burst = ranks_.max(waits ? static_cast<double>(arm.burst()) : 1.0);
  arm.finish();
  const bool was_steady = ranks_.broadcast(steady.steady());
  result.warmup = {.steps = steady.steps(),
                   .rule = steady.rule(),
                   .steady = was_steady,
                   .first_step_s = arm.untimed_first_step_s().value_or(steady.first_step_s())};
  if (!was_steady) {
    result.taints.push_back({reports::Taint::kWarmupNotSteady, "trial " + trial, steady.rule()});
  }
  if (arm.id().variant == "nocomm") {
    result.own_taints.push_back({reports::Taint::kNotConvergent,
                                 "trial " + trial,
                                 "gradients are not reduced: the models of the ranks drift apart"});
  }
  // Waiting for a loader, batches come in bursts, which only a mean covers. Otherwise steps are
  // alike except the first ones, which load code, and the one that records the graph.
  const double planned_step_s = ranks_.max(waits ? steady.mean_step_s() : steady.usual_step_s());
  const double shortest_s = std::min(kShortestRepetitionS, options_.min_time_s);
  const std::int64_t beyond_queue =
      ranks_.broadcast(steps_that_outweigh(arm.min_steps(), planned_step_s));
  return {.name = trial,
          .step_s = planned_step_s,
          .setup_s = planned_step_s * static_cast<double>(arm.untimed_steps()),
          .min_steps = std::max(static_cast<std::int64_t>(std::ceil(shortest_s / planned_step_s)),
                                beyond_queue),
          .multiple = static_cast<std::int64_t>(burst)};
}

}  // namespace dlbench::harness
