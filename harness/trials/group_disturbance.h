// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What happened on the processors of all ranks that measure together, and whether it disturbed
// them.
#pragma once

#include "harness/trials/rank_group.h"
#include "probes/node/disturbance.h"
#include "probes/probe.h"
#include "reports/trial_record.h"

#include <string>
#include <vector>

namespace dlbench::harness {

/// Joins the texts of ranks as "rank 1: ...; rank 5: ...", for the first ranks with a text, and
/// counts the rest; empty if none has a text.
[[nodiscard]] std::string told_by_ranks(const std::vector<std::string>& by_rank);

struct GroupDisturbance {
  probes::Disturbance own;        ///< on the CPUs of this rank
  std::vector<RankShare> shares;  ///< by rank, including what was seen on each rank's CPUs
  std::string reason;     ///< from all disturbed ranks, the same on all; empty: none disturbed
  double severity = 0.0;  ///< that of the most disturbed rank
};

/// Judges the time between two snapshots of this process. `mine`: what this rank measured,
/// including wall_s and cpu_s; `own`: the load of this rank alone; `device`: the condition of its
/// device meanwhile. Collective.
[[nodiscard]] GroupDisturbance judge_together(RankGroup& ranks,
                                              RankShare mine,
                                              const probes::ProcSnapshot& begin,
                                              const probes::ProcSnapshot& end,
                                              probes::OwnLoad own,
                                              const probes::DeviceConditions& device);
/// Calls judge_together() for work of which only the two snapshots were measured.
[[nodiscard]] GroupDisturbance judge_together(RankGroup& ranks,
                                              const probes::ProcSnapshot& begin,
                                              const probes::ProcSnapshot& end,
                                              const probes::OwnLoad& own,
                                              const probes::DeviceConditions& device = {});

/// Returns the part that the report keeps.
[[nodiscard]] reports::DisturbanceRecord disturbance_record(const probes::Disturbance& seen);

/// Says by how much a CPU quota delayed the ranks; empty if not worth mentioning.
[[nodiscard]] std::string quota_text(const std::vector<RankShare>& shares);

}  // namespace dlbench::harness
