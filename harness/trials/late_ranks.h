// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which rank the others wait for.
#pragma once

#include "harness/trials/rank_group.h"

#include <vector>

namespace dlbench::harness {

/// Fills `arrivals` and `late_arrivals` of the shares. `ahead_s`: each rank's
/// Communication::ahead_s, by rank. The last to reach a collective is the rank that was
/// ahead of the last one by less than half as long as any other: durations on clocks of their own,
/// which ranks of several nodes can compare. Where there is none such, they came together, and
/// nobody waited for one of them: it is not known who was last. Lists that are not of one length
/// tell nothing. Where a step's wait stands for that of its collectives it has their transfer in
/// it, so that a rank is only last where the others waited for it longer than that took.
void count_late_arrivals(const std::vector<std::vector<double>>& ahead_s,
                         std::vector<RankShare>& shares);

}  // namespace dlbench::harness
