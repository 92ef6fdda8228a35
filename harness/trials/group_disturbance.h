// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What happened on the processors of all ranks that measure together, and whether it disturbed
// them.
#pragma once

#include "harness/trials/rank_group.h"
#include "probes/disturbance.h"

#include <string>
#include <vector>

namespace dlbench::harness {

struct GroupDisturbance {
  probes::Disturbance own;        ///< on the CPUs of this rank
  std::vector<RankShare> shares;  ///< by rank, what was seen on the CPUs of each included
  std::string reason;             ///< of this rank, else "rank N was disturbed"; empty: none was
};

/// Judges the time between two snapshots of this process. `mine`: what this rank measured, its
/// cpu_s included; `own`: of this rank alone. Collective.
[[nodiscard]] GroupDisturbance judge_together(RankGroup& ranks,
                                              RankShare mine,
                                              const probes::ProcSnapshot& begin,
                                              const probes::ProcSnapshot& end,
                                              probes::OwnLoad own);

}  // namespace dlbench::harness
