// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/time_plan.h"

#include "engine/core/check.h"
#include "engine/core/round_up.h"
#include "reports/naming.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dlbench::harness {
namespace {

/// Seconds of one round: one repetition of every trial.
double round_seconds(const TimePlanRequest& request, TimePlan& plan) {
  double total_s = 0.0;
  for (std::size_t index = 0; index < plan.trials.size(); ++index) {
    const TrialEstimate& estimate = request.trials[index];
    TrialTimePlan& trial = plan.trials[index];
    trial.repetition_s = estimate.setup_s + static_cast<double>(trial.steps) * estimate.step_s;
    total_s += trial.repetition_s;
  }
  return total_s;
}

/// Removes steps until a round lasts `available_round_s`, as far as the trials' minima allow: all
/// trials by one factor, except those already at their minimum.
void shorten(const TimePlanRequest& request, double available_round_s, TimePlan& plan) {
  const std::vector<TrialTimePlan> wanted = plan.trials;
  std::vector<bool> at_minimum(wanted.size(), false);
  for (std::size_t pass = 0; pass <= wanted.size(); ++pass) {
    double fixed_s = 0.0;
    double steps_s = 0.0;
    for (std::size_t index = 0; index < wanted.size(); ++index) {
      const TrialEstimate& estimate = request.trials[index];
      const std::int64_t steps = at_minimum[index] ? whole_steps(estimate, 0) : wanted[index].steps;
      fixed_s += estimate.setup_s;
      (at_minimum[index] ? fixed_s : steps_s) += static_cast<double>(steps) * estimate.step_s;
    }
    const double factor =
        steps_s > 0.0 ? std::clamp((available_round_s - fixed_s) / steps_s, 0.0, 1.0) : 0.0;
    for (std::size_t index = 0; index < wanted.size(); ++index) {
      const TrialEstimate& estimate = request.trials[index];
      const std::int64_t minimum = whole_steps(estimate, 0);
      const std::int64_t scaled = whole_steps(
          estimate, static_cast<std::int64_t>(factor * static_cast<double>(wanted[index].steps)));
      at_minimum[index] = at_minimum[index] || scaled <= minimum;
      plan.trials[index].steps =
          at_minimum[index] ? std::min(minimum, wanted[index].steps) : scaled;
    }
  }
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    plan.shortened = plan.shortened || plan.trials[index].steps < wanted[index].steps;
  }
}

}  // namespace

std::int64_t whole_steps(const TrialEstimate& estimate, std::int64_t steps) {
  const std::int64_t unit = estimate.multiple;
  return std::max(core::round_up(estimate.min_steps, unit), steps / unit * unit);
}

std::int64_t steps_that_outweigh(std::int64_t least, double step_s) {
  constexpr double kLongS = 1.0;
  const double long_enough = std::ceil(kLongS / step_s);
  return long_enough < static_cast<double>(least) ? static_cast<std::int64_t>(long_enough) : least;
}

std::int64_t lengthened_steps(const TrialEstimate& estimate,
                              std::int64_t steps,
                              double wall_s,
                              double min_s) {
  if (wall_s >= min_s) {
    return steps;
  }
  constexpr double kReserve = 1.1;
  const auto wanted =
      static_cast<std::int64_t>(std::ceil(kReserve * static_cast<double>(steps) * min_s / wall_s));
  return std::max(steps, whole_steps(estimate, wanted + estimate.multiple - 1));
}

TimePlan plan_time(const TimePlanRequest& request) {
  DLBENCH_CHECK(!request.trials.empty() && request.min_repetitions >= 1);
  TimePlan plan;
  for (const TrialEstimate& estimate : request.trials) {
    DLBENCH_CHECK(estimate.step_s > 0.0 && estimate.setup_s >= 0.0 && estimate.min_steps >= 1 &&
                  estimate.multiple >= 1)
        << estimate.name;
    const auto for_time =
        static_cast<std::int64_t>(std::ceil(request.min_time_s / estimate.step_s));
    const std::int64_t steps = whole_steps(estimate, for_time + estimate.multiple - 1);
    plan.trials.push_back({estimate.name, request.steps.value_or(steps), 0.0});
  }
  auto repetitions = static_cast<double>(request.min_repetitions);
  plan.max_time_s = request.max_time_s;
  double round_s = round_seconds(request, plan);
  if (request.remaining_s.has_value()) {
    if (repetitions * round_s > *request.remaining_s && !request.steps.has_value()) {
      shorten(request, *request.remaining_s / repetitions, plan);
      round_s = round_seconds(request, plan);
    }
    double slowest_s = 0.0;
    for (const TrialTimePlan& trial : plan.trials) {
      slowest_s = std::max(slowest_s, trial.repetition_s);
    }
    // The limit is checked after a round, for the slowest trial: half a repetition less than the
    // last round that fits makes it act there and not one round later.
    constexpr double kRounding = 1e-9;  // shortened rounds fill the time exactly
    const double rounds = std::max(std::floor(*request.remaining_s / round_s + kRounding), 1.0);
    plan.max_time_s = std::min(plan.max_time_s, (rounds - 0.5) * slowest_s);
    repetitions = std::min(
        repetitions, std::max(rounds, static_cast<double>(request.min_repetitions_on_budget)));
  }
  plan.repetitions = std::llround(repetitions);
  plan.shortest_total_s = repetitions * round_s;
  plan.fits = !request.remaining_s.has_value() || plan.shortest_total_s <= *request.remaining_s;
  return plan;
}

std::string over_budget_text(const TimePlanRequest& request, const TimePlan& plan) {
  return fmt::format(
      "--time-budget is too short: {} of every trial {} about {:.0f} s, {:.0f} s are left for "
      "that; "
      "measuring all the same",
      reports::count_text(plan.repetitions, "repetition"),
      plan.repetitions == 1 ? "takes" : "take",
      std::ceil(plan.shortest_total_s),
      std::floor(request.remaining_s.value_or(0.0)));
}

}  // namespace dlbench::harness
