// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the rank that the others wait for.
#pragma once

#include "harness/trials/rank_group.h"

#include <vector>

namespace dlbench::harness {

/// Fills `arrivals` and `late_arrivals` of the shares. `ahead_s`: each rank's
/// Communication::ahead_s, by rank. The last rank at a collective is the one whose lead was less
/// than half of any other rank's: leads are durations on each rank's own clock, so ranks of several
/// nodes can be compared. Without such a rank all came together, and the collective does not count.
/// Lists of different lengths are ignored. Where a step's wait replaces that of its collectives, it
/// includes their transfer, so a rank counts as last only if the others waited longer than that.
void count_late_arrivals(const std::vector<std::vector<double>>& ahead_s,
                         std::vector<RankShare>& shares);

}  // namespace dlbench::harness
