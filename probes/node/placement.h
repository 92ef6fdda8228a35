// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which cores, how many threads and which GPU each rank of a node gets. Pure functions of a
// topology; only bind_process() changes the process.
#pragma once

#include "probes/node/topology.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::probes {

/// One rank's share of its node.
struct RankPlacement {
  int local_rank = 0;
  std::vector<int> cpus;     ///< hardware threads it may run on, ascending
  int cores = 0;             ///< physical cores of these hardware threads
  int threads = 1;           ///< compute threads
  int workers = 1;           ///< loader workers: they gain from a core's second hardware thread
  int numa_node = 0;         ///< where most of its cores are
  std::optional<int> gpu;    ///< index among those that the rank sees; empty without GPUs
  std::string gpu_address;   ///< its PCI address, "0000:18:00.0"; empty without GPUs
  bool gpu_visible = false;  ///< by PlacementLimits::visible_gpus; false: from the topology only
  /// It sees no GPU but that one, while another rank of the node was given another one.
  bool peers_hidden = false;
  /// Its threads share cores with another rank's, or with each other.
  bool oversubscribed = false;
  bool bound_by_launcher = false;  ///< the cpus were already chosen by the launcher
  int ranks_on_cpus = 1;           ///< largest number of ranks that may run on one of its cpus
};

/// Limits of a placement besides the topology.
struct PlacementLimits {
  std::optional<int> threads;       ///< compute threads of each rank; empty: its cores
  std::optional<double> cpu_quota;  ///< CPUs' worth of time for all ranks together (cgroup)
  /// By local rank, the PCI addresses of the GPUs that it may use, in its order. Empty: unknown,
  /// and the topology's GPUs count.
  std::vector<std::vector<std::string>> visible_gpus{};
};

/// Places the ranks of one node. `masks` holds each local rank's CPU affinity
/// (core::affinity_cpus()), by local rank. A mask that overlaps no other rank's is the launcher's
/// choice and is kept. Ranks with equal masks, such as those of a socket with Open MPI's defaults,
/// divide its cores:
/// - into disjoint sets of neighbours in hwloc's order that cover all cores, each of at least
///   cores/ranks (rounded down); no rank straddles two NUMA nodes unless that would take cores
///   from one;
/// - more ranks than cores: single hardware threads in turn over the cores, then shared ones,
///   oversubscribed.
/// If masks overlap partly, each core goes, among the masks that may use it, to the one with the
/// fewest cores per rank so far, cores that few may use first; ranks that get none keep their mask,
/// oversubscribed. On the whole node each rank has as many threads as the smallest set has cores,
/// so that no rank waits for a narrower one, and as many workers as it has hardware threads; a
/// quota is divided alike. The GPUs that each rank sees are dealt evenly, first those of its own
/// NUMA node, among equals the first that it sees. Ranks with equal masks that get a GPU of another
/// NUMA node exchange their cores if that brings them to it.
/// Throws core::Error(kUnavailable) if a mask has no CPU of the topology.
[[nodiscard]] std::vector<RankPlacement> place_ranks(const Topology& topology,
                                                     std::span<const std::vector<int>> masks,
                                                     const PlacementLimits& limits = {});

/// Places ranks that may each use the whole topology.
[[nodiscard]] std::vector<RankPlacement> place_ranks(const Topology& topology,
                                                     int local_ranks,
                                                     const PlacementLimits& limits = {});

/// Returns the compute threads that this process would get if it were alone: the physical cores
/// that it may use, within the CPU quota.
[[nodiscard]] int usable_physical_cores();

/// Restricts all threads of this process, and those they start later, to `cpus`. Throws
/// core::Error(kLibrary) if the kernel refuses.
void bind_process(const std::vector<int>& cpus);

}  // namespace dlbench::probes
