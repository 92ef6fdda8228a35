// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of several implementations of a contraction is taken: how often each is run, what is made
// of the times, and what happens where one does not run, or computes something else. Knows no
// device, so that all of it is tested where there is none.
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
  int rounds = 3;            ///< every candidate once in each: a clock that falls hits them alike
  double sample_s = 0.5e-3;  ///< runs back to back until they take that long together,
  int most_runs = 64;        ///< or are so many
  double min_gain = 0.03;    ///< below it the candidate that comes first is kept
  double hopeless = 2.0;     ///< times the best at first sight: timed no more
  double problem_s = 0.25;   ///< of runs, after which no further one is looked at, nor round begun
};

/// What came of running a candidate.
struct Trial {
  double seconds = 0.0;  ///< of all its timed runs, on the device's clock
  std::string refusal;   ///< why it is not to be taken; empty: it may be
};
/// Runs candidate `index` once untimed, and `runs` times back to back; the first time, once more
/// before, to see what it computes. What it throws ends tuning.
using RunTrial = std::function<Trial(std::size_t index, int runs)>;

struct Tuned {
  std::optional<std::size_t> best;    ///< nothing: all are refused
  std::vector<std::string> refusals;  ///< by candidate; empty: it is not
};

/// Times `candidates` of them in turn: each once to see whether it is refused and how often it has
/// to, then in rounds. Returns choose_fastest() of the medians, and, of who was in no round, of
/// that first time.
[[nodiscard]] Tuned tune(std::size_t candidates, const RunTrial& trial, const TuningPolicy& policy);

/// Runs of `run_s` seconds that make a sample, at least 1.
[[nodiscard]] int runs_per_sample(double run_s, const TuningPolicy& policy);

/// The first than which no other is faster by more than `min_gain` of its time; candidates
/// without a time do not count. Nothing if none has one.
[[nodiscard]] std::optional<std::size_t> choose_fastest(
    std::span<const std::optional<double>> seconds, double min_gain);

/// Indices, in order, of those that get along with the largest workspace that `reserve` grants.
/// Empty if it grants none.
[[nodiscard]] std::vector<std::size_t> affordable(
    std::span<const std::size_t> workspace_bytes,
    const std::function<bool(std::size_t bytes)>& reserve);

/// How one of several named candidates is chosen, and seen to run and compute what it should.
struct ChoiceTrials {
  /// Times some of the candidates: Tuned of them, in their order; nothing where that cannot be done
  /// (then the first is taken, and nothing remembered).
  std::function<std::optional<Tuned>(std::span<const std::size_t> candidates)> tune;
  /// Runs one that was not timed: why it is refused, or empty.
  std::function<std::string(std::size_t candidate)> try_out;
};

/// Index of the candidate that `choices` gives (by decision, memory, measurement or order) and that
/// is not refused: one that is, is left out and the choice made again. Throws
/// core::Error(kLibrary), naming the problem and each candidate's reason, if all are;
/// core::Error(kUnavailable), with the reason, if the one that a decision names is.
[[nodiscard]] std::size_t choose_that_runs(Choices& choices,
                                           const TuningKey& key,
                                           std::span<const std::string> names,
                                           const ChoiceTrials& trials);

}  // namespace dlbench::backend::cuda
