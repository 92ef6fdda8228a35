// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares the speed of a candidate's reports with a baseline's. The runs are independent: their
// repetitions are not paired.
#pragma once

#include "reports/record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::reports {

enum class Change { kSame, kFaster, kSlower, kUnsure };

/// "same", "faster", "slower", "unsure".
[[nodiscard]] std::string_view word(Change change);

struct CompareOptions {
  /// Differences up to this share do not matter: within it "same", beyond it a gate.
  double tolerance = 0.02;
};

/// What a side's rates are of: repetitions of the only report on each side; or, where a side has
/// several reports, their starts, each with the geometric mean of its repetitions.
enum class CompareUnit { kRepetition, kStart };

/// What two samples of rates say.
struct RateComparison {
  double ratio = 0.0;  ///< candidate / baseline, of geometric means
  /// 95 %: Welch's t on the logs of the rates; of a lone start against several Student's t, as if
  /// it varied as they do. Nothing if a side has one repetition, or both have one start.
  std::optional<IntervalRecord> ci95{};
  std::int64_t baseline_n = 0;
  std::int64_t candidate_n = 0;
  Change change = Change::kUnsure;
  /// Why a difference is not evidence: "the candidate was disturbed". Empty: kUnsure because of too
  /// few rates, or another change.
  std::string doubt{};
  /// For kUnsure with too few rates: how many per side would decide at this ratio and noise, more
  /// than the side with fewer has; nothing if not computable or above 10000.
  std::optional<std::int64_t> needed_n{};
};

/// One arm that both sides have: a trial, or the training of `train`, whose epochs are its
/// repetitions; with more than three epochs the first is dropped.
struct ArmComparison : RateComparison {
  std::string arm;        ///< e.g. "synthetic/device", "train"
  double baseline = 0.0;  ///< samples/s, geometric mean of the rates that count
  double candidate = 0.0;
};

/// One collective at one size, dtype and number of ranks that both sides have. Of one report each
/// without interval and needed_n; n counts reports.
struct CollectiveComparison : RateComparison {
  std::string collective;    ///< e.g. "all_reduce of 1024 bytes, f32, 4 ranks"
  double baseline_s = 0.0;   ///< median of the calls; of several starts their geometric mean
  double candidate_s = 0.0;  ///< likewise
};

/// A fact in which the reports differ: an option, a library version, the machine.
struct Difference {
  std::string what;
  std::string baseline;  ///< if a side's reports differ among themselves: "40 or 41"
  std::string candidate;
};

struct Comparison {
  CompareUnit unit = CompareUnit::kRepetition;
  std::vector<ArmComparison> arms;
  std::vector<CollectiveComparison> collectives;
  std::vector<std::string> only_in_one;  ///< "full: only in the baseline"
  /// What only the baseline has although the candidate's options ask for it too.
  std::vector<std::string> missing;
  std::vector<std::string> wrong;       ///< "all_reduce of 8 bytes, ...: 5 wrong elements"
  std::string incomplete;               ///< "failed (exit code 5)": the candidate; empty: complete
  std::vector<Difference> differences;  ///< facts that may explain a change
  /// Whether an arm or collective is such.
  [[nodiscard]] bool any(Change change) const;
  /// The gate: whether an arm or collective is slower or missing, or the candidate computed wrong
  /// elements or is incomplete. The command then ends with exit code 3.
  [[nodiscard]] bool fails() const;
};

/// Compares arm by arm (`synthetic` of a device that reads host memory with another's
/// synthetic/host). kFaster or kSlower: the ratio differs from 1 by more than the tolerance and its
/// 99 % interval excludes 1 (an arm of equal programs then raises a false alarm once in 100
/// comparisons, one of many arms more often, and all of them far less often if the noise is below
/// the tolerance). kSame: the ratio is within the tolerance and its 95 % interval within twice the
/// tolerance. Else kUnsure. kSlower becomes kUnsure if the candidate was disturbed, or throttled
/// and the baseline was not (trials, training, collectives), unless its undisturbed repetitions
/// alone are slower, too; kFaster likewise for the baseline. Calls of a collective are not
/// independent, so their medians decide: kSlower if the candidate's is above the baseline's 95th
/// percentile and by more than the tolerance above its median, kFaster the other way round, kSame
/// if the medians differ by at most the tolerance, else kUnsure.
///
/// With several reports on a side the unit is the start: what differs from start to start, such as
/// where memory lies, is noise then, which one report each cannot show. Collectives are then
/// compared by their medians of the starts as arms are by their rates. An arm or collective that
/// one report of a side has is the side's.
///
/// Throws Error(kData) if the reports have different workloads, no common arm or collective, or a
/// repetition that counts without a rate above 0, or if of several one is there twice or they are
/// of several commands; Error(kUsage) for a tolerance not in (0, 1). Both sides have at least one
/// report.
[[nodiscard]] Comparison compare_reports(std::span<const RunRecord> baselines,
                                         std::span<const RunRecord> candidates,
                                         const CompareOptions& options = {});
/// Compares one report with another.
[[nodiscard]] Comparison compare_reports(const RunRecord& baseline,
                                         const RunRecord& candidate,
                                         const CompareOptions& options = {});

/// Returns tables of the arms and of the collectives, what only one report has, why the candidate
/// fails without being slower, and the differences.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);

/// Returns the same as JSON for programs: its members are in docs/report-format.md.
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

}  // namespace dlbench::reports
