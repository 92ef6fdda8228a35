// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Statistics of measured numbers in the form of the report.
#pragma once

#include "reports/interval.h"
#include "reports/scaling_record.h"
#include "reports/trial_record.h"

#include <optional>
#include <span>
#include <vector>

namespace dlbench::reports {

/// Returns the rates of the repetitions that count, samples/s, in the order of `repetitions`.
[[nodiscard]] std::vector<double> counted_rates(std::span<const RepetitionRecord> repetitions);

/// Returns the rates of the repetitions that count with their rounds, for pairing; rounds of
/// different invocations get different numbers.
[[nodiscard]] std::vector<RoundRate> round_rates(std::span<const RepetitionRecord> repetitions);

/// Summarizes the repetitions' rates, samples/s, with a t interval cut off at 0 from 2 rates on.
/// Nothing for an empty set.
[[nodiscard]] std::optional<RateSummary> rate_summary(std::span<const double> rates);

/// Summarizes step times, s. Nothing for an empty set.
[[nodiscard]] std::optional<StepTimeRecord> step_time_record(std::span<const double> step_s);

/// Returns the two ends of an interval.
[[nodiscard]] IntervalRecord interval_record(const Interval& interval);

/// Summarizes the calls of a collective, s; at least one (checked).
[[nodiscard]] CollectiveTimeRecord collective_time_record(std::span<const double> call_s);

}  // namespace dlbench::reports
