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

/// One arm that both reports have.
struct ArmComparison {
  std::string arm;        ///< e.g. "synthetic/device"
  double baseline = 0.0;  ///< samples/s, geometric mean of the repetitions that count
  double candidate = 0.0;
  double ratio = 0.0;  ///< candidate / baseline
  /// 95 %: Welch's t on the logs of the repetitions' rates. Nothing if one side has one repetition.
  std::optional<IntervalRecord> ci95;
  std::int64_t baseline_n = 0;
  std::int64_t candidate_n = 0;
  Change change = Change::kUnsure;
  /// kUnsure: repetitions per report that would decide at this noise; nothing if not computable.
  std::optional<std::int64_t> needed_n;
};

/// A fact in which the reports differ: an option, a library version, the machine.
struct Difference {
  std::string what;
  std::string baseline;
  std::string candidate;
};

struct Comparison {
  std::vector<ArmComparison> arms;
  std::vector<std::string> only_in_one;  ///< "full: only in the baseline"
  std::vector<Difference> differences;   ///< that may explain a change
  /// The gate: at least one arm is slower. The command then ends with exit code 3.
  [[nodiscard]] bool any_slower() const;
  /// At least one arm could not be decided.
  [[nodiscard]] bool any_unsure() const;
};

/// Compares arm by arm: kFaster or kSlower when the ratio differs from 1 by more than the tolerance
/// and its 99 % interval excludes 1 (equal programs then raise a false alarm once in 100 runs, and
/// far less where the noise is below the tolerance); kSame when it lies within the tolerance and
/// its 95 % interval within twice the tolerance; else kUnsure. Throws Error(kData) when the reports
/// are of different workloads or have no arm in common, Error(kUsage) for a tolerance not in (0,
/// 1).
[[nodiscard]] Comparison compare_reports(const RunRecord& baseline,
                                         const RunRecord& candidate,
                                         const CompareOptions& options = {});

/// A table of the arms, then the differences.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);

}  // namespace dlbench::reports
