// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which GPU each rank of a node gets, and whether its cores are near it.
#pragma once

#include "probes/node/placement.h"

#include <span>
#include <vector>

namespace dlbench::probes {

/// Assigns GPUs to ranks that already have their cores, by local rank. See place_ranks().
void give_gpus(const Topology& topology,
               std::span<const std::vector<int>> masks,
               const PlacementLimits& limits,
               std::vector<RankPlacement>& placements);

}  // namespace dlbench::probes
