// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which GPU each rank of a node gets, and whether its cores are beside it.
#pragma once

#include "probes/node/placement.h"

#include <span>
#include <vector>

namespace dlbench::probes {

/// See place_ranks(): of ranks that have their cores, by local rank.
void give_gpus(const Topology& topology,
               std::span<const std::vector<int>> masks,
               const PlacementLimits& limits,
               std::vector<RankPlacement>& placements);

}  // namespace dlbench::probes
