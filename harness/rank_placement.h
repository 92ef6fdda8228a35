// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the ranks of a launch run: each rank's share of its node, worked out together, and the
// table that shows it.
#pragma once

#include "engine/comm/rendezvous.h"
#include "probes/node/placement.h"
#include "reports/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// A rank with its share of a node.
struct RankRow {
  int rank = 0;
  std::string host;
  int machine = 0;  ///< comm::RankPlace::machine
  probes::RankPlacement placement;
};

/// This rank's share of its node: from the affinity masks of all ranks of the node, its cpuset and
/// CPU quota. Its GPU is dealt among all ranks of the machine, and so are its processors where
/// ranks of several nodes of the machine (containers) may run on the same ones. `threads`: compute
/// threads of each rank, empty for one per core. `gpus`: PCI addresses of those that this rank may
/// use; where no rank of the node has any, the GPU is the topology's. Binds nothing. Collective;
/// call it before any rank has bound itself.
[[nodiscard]] RankRow place_this_rank(comm::Rendezvous& ranks,
                                      std::optional<int> threads,
                                      const std::vector<std::string>& gpus = {});

/// place_this_rank(), and on several ranks binds this process to its share, threads made later
/// included. Warns where the batch system was asked for more CPUs than there are. Collective; call
/// it once, before the first parallel region.
RankRow bind_this_rank(comm::Rendezvous& ranks,
                       std::optional<int> threads,
                       const std::vector<std::string>& gpus);

/// The rows of all ranks, by rank, on rank 0; empty elsewhere. Collective.
[[nodiscard]] std::vector<RankRow> gather_rows(comm::Rendezvous& ranks, const RankRow& mine);

/// What a rank does on the cores of its share.
struct CoreUse {
  bool computes = true;  ///< false: a GPU does, and its compute threads count as none
  std::int64_t workers = 0;
};

/// The taint of a launch in which compute threads of any rank share a core with those of another,
/// or in which a rank has more loader workers than its share is for, or ranks that share hardware
/// threads more than there are of these; none otherwise. `ranks` have the shares `mine` and each
/// `use` of it. Collective; the same on all ranks.
[[nodiscard]] std::optional<reports::TaintRecord> oversubscription(
    comm::Rendezvous& ranks, const probes::RankPlacement& mine, const CoreUse& use);

/// What ranks on GPUs may have to do without that see no GPU but their own, while others of their
/// node compute on others; none if no rank does. Collective; the same on all ranks.
[[nodiscard]] std::optional<reports::SkipRecord> hidden_peers(comm::Rendezvous& ranks,
                                                              const probes::RankPlacement& mine);

/// The taint of ranks that share a GPU, as comm::shared_device() says it; none if that is empty.
[[nodiscard]] std::optional<reports::TaintRecord> gpu_sharing(const std::string& shared);

/// A table for people: rank, host, cores, threads, NUMA node, GPU, and what is noteworthy.
[[nodiscard]] std::string rank_table(const std::vector<RankRow>& rows);

}  // namespace dlbench::harness
