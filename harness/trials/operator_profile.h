// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The operators of a step with their rates against measured peaks, from a repetition of their own
// with a clock read around every node. Headline numbers never come from it.
#pragma once

#include "harness/session/session.h"
#include "harness/trials/rank_group.h"
#include "probes/node/disturbance.h"
#include "reports/analysis_record.h"
#include "reports/record.h"

#include <string>
#include <vector>

namespace dlbench::harness {

struct OperatorProfile {
  std::vector<reports::OperatorRecord> operators;
  std::string disturbance;  ///< why no profile was clean; empty: this one is
};

/// Profiles 3 steps or more, as many as last a quarter of a second, on the cached batch, starting
/// from the saved state; medians per node. A profile that was disturbed on any rank is taken again,
/// three times at most and while all together last a second. An operator is memory-bound or
/// compute-bound by which of its two rates is the larger share of its peak; below 10 % of both it
/// is latency-bound. Without peaks the bound is absent. `own`: this process while it steps.
/// Collective.
[[nodiscard]] OperatorProfile profile_operators(Session& session,
                                                RankGroup& ranks,
                                                const probes::OwnLoad& own,
                                                const std::vector<reports::PeakRecord>& peaks);

}  // namespace dlbench::harness
