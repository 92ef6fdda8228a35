// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the devices of the ranks can do: the peaks that a trial's rate is a share of.
#pragma once

#include "harness/session/session_plan.h"
#include "harness/trials/rank_group.h"
#include "reports/record.h"
#include "reports/value.h"

#include <optional>
#include <vector>

namespace dlbench::harness {

/// Of all ranks together, in one precision.
struct GroupPeaks {
  reports::Measured<double> flop_per_s;  ///< what mfu divides by, or why there is none
  std::optional<double> measured_flop_per_s;
};

/// Whether ranks of the group share a GPU, or compute on hardware threads of one core: what each
/// can do alone, they cannot do together. Collective; the same on all ranks.
[[nodiscard]] bool ranks_share_devices(const SessionPlan& plan, RankGroup& group);

/// Of where this rank computes: of a GPU what its data sheet says and what was measured earlier, of
/// the CPU known_peaks(), which may measure, on rank 0 alone: the others would disturb it. Not
/// while anything is timed, and before memory is taken.
[[nodiscard]] std::vector<reports::PeakRecord> peaks_of_this_rank(const backend::Backend& backend,
                                                                  const RankGroup& group);

/// The sum of what each rank's GPU can do, or its cores: rank 0's measured ones stand for as many
/// of the same processor. `own`: peaks_of_this_rank(). Collective.
[[nodiscard]] GroupPeaks peaks_of_all_ranks(const SessionPlan& plan,
                                            RankGroup& group,
                                            const std::vector<reports::PeakRecord>& own);

/// Why no operator has a bound although peaks were measured: they lack the memory's. Nothing where
/// they have it, and where there is no peak at all, which `mfu_reason` explains.
[[nodiscard]] std::optional<reports::SkipRecord> lacking_memory_peak(
    const std::vector<reports::PeakRecord>& peaks);

}  // namespace dlbench::harness
