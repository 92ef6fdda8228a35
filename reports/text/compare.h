// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Is the second report faster or slower than the first? Two runs, independent of each other: their
// repetitions are not paired.
#pragma once

#include "reports/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::reports {

enum class Change { kSame, kFaster, kSlower, kUnsure };

/// "same", "faster", "slower", "unsure".
[[nodiscard]] std::string_view word(Change change);

struct CompareOptions {
  /// Differences up to this share are of no interest: within it is "same", beyond it a gate.
  double tolerance = 0.02;
};

/// One arm that both reports have: a trial, or the training of `train`, whose epochs are its
/// repetitions, without the first of more than three.
struct ArmComparison {
  std::string arm;        ///< e.g. "synthetic/device", "train"
  double baseline = 0.0;  ///< samples/s, geometric mean of the repetitions that count
  double candidate = 0.0;
  double ratio = 0.0;  ///< candidate / baseline
  /// 95 %: Welch's t on the logs of the repetitions' rates. Nothing if one side has one repetition.
  std::optional<IntervalRecord> ci95;
  std::int64_t baseline_n = 0;
  std::int64_t candidate_n = 0;
  Change change = Change::kUnsure;
  /// Why a difference is no evidence, where it is none: "the candidate was disturbed". Empty:
  /// kUnsure for want of repetitions, or another change.
  std::string doubt;
  /// kUnsure for want of repetitions: how many per report would decide at this ratio and noise,
  /// more than the side with fewer has; nothing if not computable or above 10000.
  std::optional<std::int64_t> needed_n;
};

/// One collective at one size, of one dtype over as many ranks, that both reports have.
struct CollectiveComparison {
  std::string collective;    ///< e.g. "all_reduce of 1024 bytes, f32, 4 ranks"
  double baseline_s = 0.0;   ///< median of the calls
  double candidate_s = 0.0;  ///< the same
  double ratio = 0.0;        ///< of speeds: baseline_s / candidate_s
  Change change = Change::kUnsure;
  std::string doubt;  ///< as ArmComparison has it
};

/// A fact in which the reports differ: an option, a library version, the machine.
struct Difference {
  std::string what;
  std::string baseline;
  std::string candidate;
};

struct Comparison {
  std::vector<ArmComparison> arms;
  std::vector<CollectiveComparison> collectives;
  std::vector<std::string> only_in_one;  ///< "full: only in the baseline"
  /// Of what only the baseline has, what the candidate was to measure too, by its options.
  std::vector<std::string> missing;
  std::vector<std::string> wrong;       ///< "all_reduce of 8 bytes, ...: 5 wrong elements"
  std::string incomplete;               ///< "failed (exit code 5)": the candidate; empty: complete
  std::vector<Difference> differences;  ///< that may explain a change
  [[nodiscard]] bool any_slower() const;
  /// The gate: at least one arm or collective is slower, or missing, or the candidate computed
  /// wrong elements or is not complete. The command then ends with exit code 3.
  [[nodiscard]] bool fails() const;
};

/// Compares arm by arm (`synthetic` of a device that reads the host's memory with synthetic/host of
/// another): kFaster or kSlower when the ratio differs from 1 by more than the tolerance
/// and its 99 % interval excludes 1 (equal programs then raise a false alarm once in 100 runs, and
/// far less where the noise is below the tolerance); kSame when it lies within the tolerance and
/// its 95 % interval within twice the tolerance; else kUnsure. A candidate that was disturbed, or
/// throttled and the baseline not (trials, training, collectives), is kUnsure where it would be
/// kSlower; so is kFaster beside such a baseline. Calls of a
/// collective are not independent, so their medians decide: kSlower when the candidate's is above
/// the baseline's 95th percentile and by more than the tolerance above its median, kFaster the
/// other way round, kSame when the medians differ by no more than the tolerance, else kUnsure.
/// Throws Error(kData) when the reports are of different workloads or have neither arm nor
/// collective in common, or a repetition that counts has no rate above 0, Error(kUsage) for a
/// tolerance not in (0, 1).
[[nodiscard]] Comparison compare_reports(const RunRecord& baseline,
                                         const RunRecord& candidate,
                                         const CompareOptions& options = {});

/// A table of the arms, one of the collectives, what only one report has, why the candidate fails
/// without being slower, then the differences.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);

}  // namespace dlbench::reports
