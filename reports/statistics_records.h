// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Statistics of measured numbers in the form the report has for them.
#pragma once

#include "reports/interval.h"
#include "reports/scaling_record.h"
#include "reports/trial_record.h"

#include <optional>
#include <span>
#include <vector>

namespace dlbench::reports {

/// Rates of the repetitions that count, samples/s, in the order of `repetitions`.
[[nodiscard]] std::vector<double> counted_rates(std::span<const RepetitionRecord> repetitions);

/// Rates of the repetitions that count with their rounds, for pairing: of different invocations
/// these have different numbers.
[[nodiscard]] std::vector<RoundRate> round_rates(std::span<const RepetitionRecord> repetitions);

/// Of the repetitions' rates, samples/s, with a t interval from 2 on, cut off at 0. Nothing for an
/// empty set.
[[nodiscard]] std::optional<RateSummary> rate_summary(std::span<const double> rates);

/// Of step times, s. Nothing for an empty set.
[[nodiscard]] std::optional<StepTimeRecord> step_time_record(std::span<const double> step_s);

/// The two ends of an interval.
[[nodiscard]] IntervalRecord interval_record(const Interval& interval);

/// Of the calls of a collective, s; there is one at least (checked).
[[nodiscard]] CollectiveTimeRecord collective_time_record(std::span<const double> call_s);

}  // namespace dlbench::reports
