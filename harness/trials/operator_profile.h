// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The operators of a step with their rates relative to measured peaks, from a separate repetition
// with a clock reading around every node. Never used for headline numbers.
#pragma once

#include "engine/backend/lowering.h"
#include "harness/session/session.h"
#include "harness/trials/rank_group.h"
#include "probes/gpu/gpu_trace.h"
#include "probes/node/disturbance.h"
#include "reports/analysis_record.h"
#include "reports/record.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlbench::harness {

struct OperatorProfile {
  std::vector<reports::OperatorRecord> operators;
  std::string disturbance;  ///< why no profile was undisturbed; empty: this one was
};

/// Profiles at least 3 steps, and as many as last a quarter of a second, on the cached batch from
/// the saved state; takes medians per node. Repeats a profile that was disturbed on any rank, up to
/// three times and within a second in total. An operator is memory-bound or compute-bound by the
/// rate that is the larger share of its peak; below 10 % of both it is latency-bound. Without peaks
/// there is no bound. `own`: the load of this process during steps. Collective.
[[nodiscard]] OperatorProfile profile_operators(Session& session,
                                                RankGroup& ranks,
                                                const probes::OwnLoad& own,
                                                const std::vector<reports::PeakRecord>& peaks);

/// Returns the names and phases of the nodes that run, as `operators` of the report has them, and
/// the phases of what belongs to none of them, by the id under which they are traced.
[[nodiscard]] std::map<std::int64_t, probes::GpuOpLabel> op_labels(
    const backend::LoweredGraph& lowered);

}  // namespace dlbench::harness
