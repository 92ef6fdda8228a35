// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The operators of a step with their rates against measured peaks, from a repetition of their own
// with a clock read around every node. Headline numbers never come from it.
#pragma once

#include "harness/trials/session.h"
#include "reports/analysis_record.h"
#include "reports/record.h"

#include <cstdint>
#include <vector>

namespace dlbench::harness {

/// Profiles `steps` steps on the cached batch, starting from the saved state; medians per node. An
/// operator is memory-bound or compute-bound by which of its two rates is the larger share of its
/// peak; below 10 % of both it is latency-bound. Without peaks the bound is absent.
[[nodiscard]] std::vector<reports::OperatorRecord> profile_operators(
    Session& session, std::int64_t steps, const std::vector<reports::PeakRecord>& peaks);

}  // namespace dlbench::harness
