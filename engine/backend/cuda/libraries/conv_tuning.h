// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses one of several implementations of a contraction: how often each is run, how times are
// evaluated, and what happens if one does not run, or computes something else. Independent of
// devices, so that all of it can be tested without one.
#pragma once

#include "engine/backend/tuning.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {

struct TuningPolicy {
  int rounds = 3;            ///< each times every candidate once: a falling clock affects all alike
  double sample_s = 0.5e-3;  ///< a sample is as many runs back to back as take that long,
  int most_runs = 64;        ///< but at most this many
  double min_gain = 0.03;    ///< a relative gain below it does not displace an earlier candidate
  double hopeless = 2.0;     ///< first run slower than best times this: not timed again
  double problem_s = 0.25;   ///< of runs; afterwards no candidate is tried and no round begun
};

/// The result of running a candidate.
struct Trial {
  double seconds = 0.0;  ///< of all its timed runs, on the device's clock
  std::string refusal;   ///< why it must not be used; empty: it may be
};
/// Runs candidate `index` once untimed, then `runs` times back to back; the first call runs it once
/// more before, to check what it computes. An exception ends tuning.
using RunTrial = std::function<Trial(std::size_t index, int runs)>;

struct Tuned {
  std::optional<std::size_t> best;    ///< nullopt: all are refused
  std::vector<std::string> refusals;  ///< by candidate; empty if it is not refused
};

/// Times `candidates` candidates in turn: each once, to see whether it is refused and how many runs
/// a sample needs, then in rounds. Returns choose_fastest() of the medians (of the first times for
/// candidates that were in no round).
[[nodiscard]] Tuned tune(std::size_t candidates, const RunTrial& trial, const TuningPolicy& policy);

/// The number of runs of `run_s` seconds that make a sample, at least 1.
[[nodiscard]] int runs_per_sample(double run_s, const TuningPolicy& policy);

/// The first candidate than which no other is faster by more than `min_gain` of its time;
/// candidates without a time are ignored. nullopt if none has a time.
[[nodiscard]] std::optional<std::size_t> choose_fastest(
    std::span<const std::optional<double>> seconds, double min_gain);

/// Indices, in order, of the candidates that fit the largest workspace that `reserve` grants; empty
/// if it grants none.
[[nodiscard]] std::vector<std::size_t> affordable(
    std::span<const std::size_t> workspace_bytes,
    const std::function<bool(std::size_t bytes)>& reserve);

/// How one of several named candidates is chosen, and checked to run and compute what it should.
struct ChoiceTrials {
  /// Times some of the candidates and returns the result in their order; nullopt if that is not
  /// possible (then the first is used, and nothing is remembered).
  std::function<std::optional<Tuned>(std::span<const std::size_t> candidates)> tune;
  /// Runs a candidate that was not timed; returns why it is refused, or empty.
  std::function<std::string(std::size_t candidate)> try_out;
};

/// Returns the index of the candidate that `choices` gives (by decision, cache, measurement or
/// order); if it is refused, it is left out and the choice is repeated. Throws
/// core::Error(kLibrary) naming the problem and each candidate's reason if all are refused, and
/// core::Error(kUnavailable) with the reason if the one that a decision names is refused.
[[nodiscard]] std::size_t choose_that_runs(Choices& choices,
                                           const TuningKey& key,
                                           std::span<const std::string> names,
                                           const ChoiceTrials& trials);

}  // namespace dlbench::backend::cuda
