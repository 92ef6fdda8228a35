// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/conv_tuning.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/median.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace dlbench::backend::cuda {
int runs_per_sample(double run_s, const TuningPolicy& policy) {
  if (!(run_s > 0.0)) {
    return policy.most_runs;
  }
  const double wanted = std::ceil(policy.sample_s / run_s);
  return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(policy.most_runs)));
}

std::optional<std::size_t> choose_fastest(std::span<const std::optional<double>> seconds,
                                          double min_gain) {
  std::optional<double> best;
  for (const std::optional<double>& time : seconds) {
    if (time.has_value() && (!best.has_value() || *time < *best)) {
      best = time;
    }
  }
  for (std::size_t index = 0; index < seconds.size(); ++index) {
    if (seconds[index].has_value() && *best >= (1.0 - min_gain) * *seconds[index]) {
      return index;
    }
  }
  return std::nullopt;
}

Tuned tune(std::size_t candidates, const RunTrial& trial, const TuningPolicy& policy) {
  struct Candidate {
    std::optional<double> first_s;  ///< of a single run
    std::vector<double> samples;    ///< of one run each
    bool in_race = false;
  };
  std::vector<Candidate> race(candidates);
  Tuned result{.best = std::nullopt, .refusals = std::vector<std::string>(candidates)};
  double spent_s = 0.0;
  // Returns the seconds of one run; nullopt if refused. `untimed`: runs that RunTrial adds.
  const auto run = [&](std::size_t index, int runs, int untimed) -> std::optional<double> {
    const Trial done = trial(index, runs);
    if (!done.refusal.empty()) {
      result.refusals[index] = done.refusal;
      race[index] = {};
      return std::nullopt;
    }
    const double run_s = done.seconds / runs;
    spent_s += done.seconds + untimed * run_s;
    return run_s;
  };
  double best_s = INFINITY;
  for (std::size_t index = 0; index < candidates && spent_s <= policy.problem_s; ++index) {
    race[index].first_s = run(index, 1, 2);
    best_s = std::min(best_s, race[index].first_s.value_or(INFINITY));
  }
  for (Candidate& candidate : race) {
    candidate.in_race = candidate.first_s.value_or(INFINITY) <= policy.hopeless * best_s &&
                        candidate.first_s.has_value();
  }
  for (int round = 0; round < policy.rounds && spent_s <= policy.problem_s; ++round) {
    for (std::size_t index = 0; index < candidates; ++index) {
      if (!race[index].in_race) {
        continue;
      }
      if (const auto run_s = run(index, runs_per_sample(*race[index].first_s, policy), 1)) {
        race[index].samples.push_back(*run_s);
      }
    }
  }
  std::vector<std::optional<double>> seconds(candidates);
  for (std::size_t index = 0; index < candidates; ++index) {
    const Candidate& candidate = race[index];
    seconds[index] = candidate.samples.empty() ? candidate.first_s
                                               : std::optional(core::median(candidate.samples));
  }
  result.best = choose_fastest(seconds, policy.min_gain);
  return result;
}

std::vector<std::size_t> affordable(std::span<const std::size_t> workspace_bytes,
                                    const std::function<bool(std::size_t bytes)>& reserve) {
  const std::set<std::size_t, std::greater<>> sizes(workspace_bytes.begin(), workspace_bytes.end());
  const auto granted = std::find_if(sizes.begin(), sizes.end(), reserve);
  std::vector<std::size_t> indices;
  for (std::size_t index = 0; index < workspace_bytes.size(); ++index) {
    if (granted != sizes.end() && workspace_bytes[index] <= *granted) {
      indices.push_back(index);
    }
  }
  return indices;
}

std::size_t choose_that_runs(Choices& choices,
                             const TuningKey& key,
                             std::span<const std::string> names,
                             const ChoiceTrials& trials) {
  std::vector<std::size_t> left(names.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::string refusals;
  const auto refused = [&](std::size_t index, const std::string& why) {
    refusals += "; " + names[index] + ": " + why;
  };
  while (!left.empty()) {
    std::vector<std::string> names_left;
    names_left.reserve(left.size());
    for (const std::size_t index : left) {
      names_left.push_back(names[index]);
    }
    bool timed = false;
    bool all_refused = false;
    const auto measure = [&]() -> std::optional<std::size_t> {
      const std::optional<Tuned> tuned = trials.tune(left);
      if (!tuned.has_value()) {
        return std::nullopt;
      }
      for (std::size_t position = 0; position < left.size(); ++position) {
        if (!tuned->refusals[position].empty()) {
          refused(left[position], tuned->refusals[position]);
        }
      }
      timed = tuned->best.has_value();
      all_refused = !timed;
      return tuned->best;
    };
    std::size_t position = 0;
    try {
      position = choices.choose(key, names_left, names_left.front(), measure);
    } catch (const core::Error& error) {
      throw refusals.empty() ? error : core::Error(error.code(), error.what() + refusals);
    }
    if (timed) {
      return left[position];
    }
    if (all_refused) {
      break;
    }
    const std::string why = trials.try_out(left[position]);
    if (why.empty()) {
      return left[position];
    }
    refused(left[position], why);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(position));
  }
  throw core::Error(core::ErrorCode::kLibrary,
                    "none of the plans for " + key.problem + " can be taken" + refusals);
}

}  // namespace dlbench::backend::cuda
