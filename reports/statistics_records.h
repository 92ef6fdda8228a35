// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Statistics of measured numbers in the form the report has for them.
#pragma once

#include "reports/scaling_record.h"
#include "reports/trial_record.h"

#include <optional>
#include <span>

namespace dlbench::reports {

/// Of the repetitions' rates, samples/s, with a t interval from 2 on, cut off at 0. Nothing for an
/// empty set.
[[nodiscard]] std::optional<RateSummary> rate_summary(std::span<const double> rates);

/// Of step times, s. Nothing for an empty set.
[[nodiscard]] std::optional<StepTimeRecord> step_time_record(std::span<const double> step_s);

/// Of the calls of a collective, s; there is one at least (checked).
[[nodiscard]] CollectiveTimeRecord collective_time_record(std::span<const double> call_s);

}  // namespace dlbench::reports
