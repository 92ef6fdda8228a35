// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Statistics of measured numbers in the form the report has for them.
#pragma once

#include "reports/trial_record.h"

#include <optional>
#include <span>

namespace dlbench::harness {

/// Of the repetitions' rates, samples/s, with a t interval from 2 on. Nothing for an empty set.
[[nodiscard]] std::optional<reports::RateSummary> rate_summary(std::span<const double> rates);

/// Of step times, s. Nothing for an empty set.
[[nodiscard]] std::optional<reports::StepTimeRecord> step_time_record(
    std::span<const double> step_s);

}  // namespace dlbench::harness
