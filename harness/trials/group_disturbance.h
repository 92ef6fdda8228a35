// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What happened on the processors of all ranks that measure together, and whether it disturbed
// them.
#pragma once

#include "harness/trials/rank_group.h"
#include "probes/node/disturbance.h"
#include "reports/trial_record.h"

#include <string>
#include <vector>

namespace dlbench::harness {

/// What ranks tell, by rank: "rank 1: ...; rank 5: ..." of the first that tell anything, and how
/// many more do; empty: none does.
[[nodiscard]] std::string told_by_ranks(const std::vector<std::string>& by_rank);

struct GroupDisturbance {
  probes::Disturbance own;        ///< on the CPUs of this rank
  std::vector<RankShare> shares;  ///< by rank, what was seen on the CPUs of each included
  std::string reason;  ///< of all ranks, on all of them alike, by rank; empty: none was disturbed
};

/// Judges the time between two snapshots of this process. `mine`: what this rank measured, its
/// wall_s and cpu_s included; `own`: of this rank alone; `neighbours`: who disturbed its device
/// (probes::DeviceConditions), empty: nobody. Collective.
[[nodiscard]] GroupDisturbance judge_together(RankGroup& ranks,
                                              RankShare mine,
                                              const probes::ProcSnapshot& begin,
                                              const probes::ProcSnapshot& end,
                                              probes::OwnLoad own,
                                              const std::string& neighbours);
/// judge_together() of work of which nothing but the two snapshots was measured.
[[nodiscard]] GroupDisturbance judge_together(RankGroup& ranks,
                                              const probes::ProcSnapshot& begin,
                                              const probes::ProcSnapshot& end,
                                              const probes::OwnLoad& own,
                                              const std::string& neighbours = "");

/// What of it the report keeps.
[[nodiscard]] reports::DisturbanceRecord disturbance_record(const probes::Disturbance& seen);

/// By how much a CPU quota held the ranks up; empty: by nothing worth saying.
[[nodiscard]] std::string quota_text(const std::vector<RankShare>& shares);

}  // namespace dlbench::harness
