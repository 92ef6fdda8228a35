// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/stopping_rule.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "reports/interval.h"

#include <fmt/format.h>

#include <algorithm>

namespace dlbench::harness {

namespace {

using reports::mean_interval;

}  // namespace

std::string missed_noise_text(const StopDecision& decision,
                              bool budget_spent,
                              const StoppingLimits& limits) {
  const auto missed = std::ranges::count(decision.noise, false, &TrialNoise::target_met);
  if (missed == 0) {
    return "";
  }
  double widest = 0.0;
  for (const TrialNoise& noise : decision.noise) {
    widest = std::max(widest, noise.half_width.value_or(0.0));
  }
  const char* limit = budget_spent                                ? "--time-budget"
                      : decision.reason == StopReason::kTimeLimit ? "--max-time"
                                                                  : "the most repetitions";
  return fmt::format(
      "{} ended it with {} of {} trials too noisy; the widest half-width is {:.2f} % of the mean, "
      "wanted {:.2f} %",
      limit,
      missed,
      decision.noise.size(),
      100.0 * widest,
      100.0 * limits.max_noise);
}

StoppingRule::StoppingRule(StoppingLimits limits) : limits_(limits) {
  if (limits.min_repetitions < 1 || !(limits.max_noise > 0.0) || !(limits.max_time_s > 0.0) ||
      limits.max_repetitions < 1) {
    throw core::Error(core::ErrorCode::kUsage,
                      fmt::format("{} repetitions, noise {}, {} s per trial: all must be positive",
                                  limits.min_repetitions,
                                  limits.max_noise,
                                  limits.max_time_s));
  }
  limits_.max_repetitions = std::max(limits.max_repetitions, limits.min_repetitions);
}

std::int64_t StoppingRule::next_look(std::int64_t n) const {
  constexpr std::int64_t kFirstLook = 5;
  // A user's larger minimum is the first check: fixed in advance, like the list.
  const std::int64_t first = std::max(kFirstLook, limits_.min_repetitions);
  if (n < first) {
    return first;
  }
  for (std::int64_t even = 10, odd = 14;; even *= 2, odd *= 2) {
    if (even > n) {
      return even;
    }
    if (odd > n) {
      return odd;
    }
  }
}

bool StoppingRule::looks_at(std::int64_t n) const { return n > 0 && next_look(n - 1) == n; }

StopDecision StoppingRule::decide(std::span<const TrialProgress> trials) const {
  DLBENCH_CHECK(!trials.empty());
  StopDecision decision;
  auto fewest = static_cast<std::int64_t>(trials.front().samples_per_second.size());
  double longest_s = 0.0;
  bool all_met = true;
  for (const TrialProgress& trial : trials) {
    fewest = std::min(fewest, static_cast<std::int64_t>(trial.samples_per_second.size()));
    longest_s = std::max(longest_s, trial.elapsed_s);
    TrialNoise noise{trial.name, std::nullopt, false};
    if (const auto interval = mean_interval(trial.samples_per_second); interval.has_value()) {
      noise.half_width = interval->half_width() / interval->estimate;
      noise.target_met = *noise.half_width <= limits_.max_noise;
    }
    all_met = all_met && noise.target_met;
    decision.noise.push_back(std::move(noise));
  }
  if (all_met && looks_at(fewest)) {
    decision.reason = StopReason::kNoiseTarget;
  } else if (fewest >= limits_.min_repetitions && longest_s >= limits_.max_time_s) {
    decision.reason = StopReason::kTimeLimit;
  } else if (fewest >= limits_.max_repetitions) {
    decision.reason = StopReason::kRepetitionLimit;
  }
  return decision;
}

}  // namespace dlbench::harness
