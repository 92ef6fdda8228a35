// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the ranks of a launch run: each rank's share of its node, computed jointly, and the table
// that shows it.
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

/// Computes this rank's share of its node from the affinity masks of all its ranks, the cpuset and
/// the CPU quota. GPUs are dealt among all ranks of the machine, and so are processors if ranks of
/// several of its nodes (containers) may run on the same ones. `threads`: compute threads per rank,
/// nothing for one per core. `gpus`: PCI addresses of the GPUs that this rank may use; if no rank
/// of the node has any, the topology's count. Binds nothing. Collective; call it before any rank
/// binds itself.
[[nodiscard]] RankRow place_this_rank(comm::Rendezvous& ranks,
                                      std::optional<int> threads,
                                      const std::vector<std::string>& gpus = {});

/// Calls place_this_rank() and, with several ranks, binds this process to its share, including
/// threads made later. Warns if the batch system was asked for more CPUs than are usable.
/// Collective; call it once, before the first parallel region.
RankRow bind_this_rank(comm::Rendezvous& ranks,
                       std::optional<int> threads,
                       const std::vector<std::string>& gpus);

/// Returns the rows of all ranks, by rank, on rank 0; empty elsewhere. Collective.
[[nodiscard]] std::vector<RankRow> gather_rows(comm::Rendezvous& ranks, const RankRow& mine);

/// How a rank uses the cores of its share.
struct CoreUse {
  bool computes = true;  ///< false: a GPU does, and its compute threads do not count
  std::int64_t workers = 0;
};

/// Returns the taint of a launch in which compute threads of several ranks share a core, a rank has
/// more loader workers than its share provides for, or ranks that share hardware threads have more
/// workers than these; nothing otherwise. Each rank passes its share `mine` and its `use` of it.
/// Collective; the same result on all ranks.
[[nodiscard]] std::optional<reports::TaintRecord> oversubscription(
    comm::Rendezvous& ranks, const probes::RankPlacement& mine, const CoreUse& use);

/// Returns what may be unavailable to ranks that see no GPU but their own while other ranks of the
/// node compute on other GPUs; nothing if there are none. Collective; the same result on all ranks.
[[nodiscard]] std::optional<reports::SkipRecord> hidden_peers(comm::Rendezvous& ranks,
                                                              const probes::RankPlacement& mine);

/// Returns the taint of ranks that share a GPU, as comm::shared_device() says; nothing if empty.
[[nodiscard]] std::optional<reports::TaintRecord> gpu_sharing(const std::string& shared);

/// Returns a table for people: rank, host, CPUs, cores, threads, NUMA node, GPU, and remarks.
[[nodiscard]] std::string rank_table(const std::vector<RankRow>& rows);

}  // namespace dlbench::harness
