// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/placement.h"

#include "engine/core/affinity.h"
#include "engine/core/check.h"
#include "engine/core/error.h"
#include "probes/node/cpu_list.h"
#include "probes/node/gpu_placement_internal.h"
#include "probes/node/system_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace dlbench::probes {
namespace {

using core::Error;
using core::ErrorCode;
using CoreRange = std::span<const TopologyCore>;

/// Returns part `index` of `parts` of a sequence; sizes differ by at most one.
CoreRange part_of(CoreRange cores, std::size_t index, std::size_t parts) {
  const std::size_t begin = index * cores.size() / parts;
  const std::size_t end = (index + 1) * cores.size() / parts;
  return cores.subspan(begin, end - begin);
}

/// Splits the cores into ranges of neighbours, one per NUMA node.
std::vector<CoreRange> split_by_numa_node(CoreRange cores) {
  std::vector<CoreRange> nodes;
  for (std::size_t begin = 0; begin < cores.size();) {
    std::size_t end = begin + 1;
    while (end < cores.size() && cores[end].numa_node == cores[begin].numa_node) {
      ++end;
    }
    nodes.push_back(cores.subspan(begin, end - begin));
    begin = end;
  }
  return nodes;
}

/// Returns how many ranks each NUMA node takes if no rank may straddle two and each must get at
/// least `least` cores; empty if that is impossible.
std::vector<std::size_t> ranks_per_node(const std::vector<CoreRange>& nodes,
                                        std::size_t ranks,
                                        std::size_t least) {
  std::vector<std::size_t> counts(nodes.size(), 0);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    // The node on which one more rank leaves the most cores for each.
    std::size_t best = 0;
    double best_share = 0.0;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const double share =
          static_cast<double>(nodes[node].size()) / static_cast<double>(counts[node] + 1);
      if (share > best_share) {
        best = node;
        best_share = share;
      }
    }
    if (best_share < static_cast<double>(least)) {
      return {};
    }
    ++counts[best];
  }
  return counts;
}

/// Gives each rank at least one core.
std::vector<CoreRange> deal_cores(CoreRange cores, std::size_t ranks) {
  const std::vector<CoreRange> nodes = split_by_numa_node(cores);
  const std::vector<std::size_t> counts = ranks_per_node(nodes, ranks, cores.size() / ranks);
  std::vector<CoreRange> shares;
  for (std::size_t node = 0; node < counts.size(); ++node) {
    for (std::size_t index = 0; index < counts[node]; ++index) {
      shares.push_back(part_of(nodes[node], index, counts[node]));
    }
  }
  if (counts.empty()) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      shares.push_back(part_of(cores, rank, ranks));
    }
  }
  return shares;
}

int busiest_numa_node(CoreRange cores) {
  std::map<int, int> counts;
  for (const TopologyCore& core : cores) {
    ++counts[core.numa_node];
  }
  return std::max_element(
             counts.begin(),
             counts.end(),
             [](const auto& left, const auto& right) { return left.second < right.second; })
      ->first;
}

RankPlacement place_on(CoreRange cores) {
  RankPlacement placement;
  placement.cpus = cpus_of({.cores = {cores.begin(), cores.end()}, .gpus = {}});
  placement.cores = static_cast<int>(cores.size());
  placement.numa_node = busiest_numa_node(cores);
  return placement;
}

/// Deals hardware threads instead of cores, shared by several ranks if there are too few.
/// Consecutive ranks get different cores, so that the first n of them alone have as many cores as
/// possible.
std::vector<RankPlacement> deal_cpus(const Topology& topology, std::size_t ranks) {
  std::vector<TopologyCore> single;
  bool more = true;
  for (std::size_t thread = 0; more; ++thread) {
    more = false;
    for (const TopologyCore& core : topology.cores) {
      if (thread < core.cpus.size()) {
        single.push_back(
            {.cpus = {core.cpus[thread]}, .numa_node = core.numa_node, .package = core.package});
        more = true;
      }
    }
  }
  std::vector<RankPlacement> placements;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const CoreRange share = single.size() >= ranks
                                ? part_of(single, rank, ranks)
                                : CoreRange(single).subspan(rank % single.size(), 1);
    placements.push_back(place_on(share));
    placements.back().cores = 1;
  }
  return placements;
}

std::vector<RankPlacement> deal(const Topology& topology, std::size_t ranks) {
  if (topology.cores.size() < ranks) {
    return deal_cpus(topology, ranks);
  }
  std::vector<RankPlacement> placements;
  for (const CoreRange& share : deal_cores(topology.cores, ranks)) {
    placements.push_back(place_on(share));
  }
  return placements;
}

/// Local ranks that may run on the same hardware threads.
struct MaskGroup {
  std::vector<int> mask;           ///< CPUs of the topology, ascending
  std::vector<std::size_t> ranks;  ///< ascending
  std::vector<int> cpus;           ///< of the mask what no other group has
  double cores = 0.0;              ///< cores of these CPUs
};

std::vector<MaskGroup> group_by_mask(const Topology& topology,
                                     std::span<const std::vector<int>> masks) {
  std::vector<MaskGroup> groups;
  for (std::size_t rank = 0; rank < masks.size(); ++rank) {
    const std::vector<int> mask = cpus_of(restrict_topology(topology, masks[rank]));
    auto group = std::find_if(groups.begin(), groups.end(), [&mask](const MaskGroup& known) {
      return known.mask == mask;
    });
    if (group == groups.end()) {
      group = groups.emplace(group);
      group->mask = mask;
    }
    group->ranks.push_back(rank);
  }
  return groups;
}

/// Hardware threads of one core, and the groups that may use them.
struct ClaimedPart {
  std::vector<int> cpus;
  std::vector<std::size_t> groups;
};

/// Returns the parts by number of groups, then in the topology's order.
std::vector<ClaimedPart> claimed_parts(const Topology& topology,
                                       const std::vector<MaskGroup>& groups) {
  std::vector<ClaimedPart> parts;
  for (const TopologyCore& core : topology.cores) {
    std::map<std::vector<std::size_t>, std::vector<int>> cpus_by_groups;
    for (const int cpu : core.cpus) {
      std::vector<std::size_t> claiming;
      for (std::size_t group = 0; group < groups.size(); ++group) {
        if (std::binary_search(groups[group].mask.begin(), groups[group].mask.end(), cpu)) {
          claiming.push_back(group);
        }
      }
      cpus_by_groups[claiming].push_back(cpu);
    }
    for (const auto& [claiming, cpus] : cpus_by_groups) {
      if (!claiming.empty()) {
        parts.push_back({.cpus = cpus, .groups = claiming});
      }
    }
  }
  std::stable_sort(
      parts.begin(), parts.end(), [](const ClaimedPart& left, const ClaimedPart& right) {
        return left.groups.size() < right.groups.size();
      });
  return parts;
}

/// Gives every group hardware threads that no other group has, or its whole mask if others took all
/// of it.
void share_out(const Topology& topology, std::vector<MaskGroup>& groups) {
  const auto need = [&groups](std::size_t index) {
    const MaskGroup& group = groups[index];
    return std::pair(group.cores / static_cast<double>(group.ranks.size()), group.mask.size());
  };
  for (const ClaimedPart& part : claimed_parts(topology, groups)) {
    MaskGroup& taker = groups[*std::min_element(
        part.groups.begin(), part.groups.end(), [&need](std::size_t left, std::size_t right) {
          return need(left) < need(right);
        })];
    taker.cpus.insert(taker.cpus.end(), part.cpus.begin(), part.cpus.end());
    taker.cores += 1.0;
  }
  for (MaskGroup& group : groups) {
    if (group.cpus.empty()) {
      group.cpus = group.mask;
    }
  }
}

std::vector<RankPlacement> deal_masks(const Topology& topology,
                                      std::span<const std::vector<int>> masks) {
  std::vector<MaskGroup> groups = group_by_mask(topology, masks);
  share_out(topology, groups);
  std::vector<RankPlacement> placements(masks.size());
  for (const MaskGroup& group : groups) {
    std::vector<RankPlacement> shares =
        deal(restrict_topology(topology, group.cpus), group.ranks.size());
    for (std::size_t index = 0; index < group.ranks.size(); ++index) {
      RankPlacement& share = shares[index];
      share.local_rank = static_cast<int>(group.ranks[index]);
      share.bound_by_launcher = groups.size() > 1 && share.cpus == group.mask;
      placements[group.ranks[index]] = std::move(share);
    }
  }
  return placements;
}

void count_ranks_on_cpus(std::vector<RankPlacement>& placements) {
  std::map<int, int> ranks;  // by CPU
  for (const RankPlacement& placement : placements) {
    for (const int cpu : placement.cpus) {
      ++ranks[cpu];
    }
  }
  for (RankPlacement& placement : placements) {
    for (const int cpu : placement.cpus) {
      placement.ranks_on_cpus = std::max(placement.ranks_on_cpus, ranks[cpu]);
    }
  }
}

/// A quota of 1.5 CPUs is worth two threads, as in usable_cpus(). It may be larger than any int.
int whole_cpus(double quota) {
  return static_cast<int>(std::min(std::ceil(quota), double{std::numeric_limits<int>::max()}));
}

void choose_threads(std::vector<RankPlacement>& placements, const PlacementLimits& limits) {
  const auto room_for_workers = [](const RankPlacement& placement) {
    return std::max(1, static_cast<int>(placement.cpus.size()) / placement.ranks_on_cpus);
  };
  int threads = placements.front().cores;
  int workers = room_for_workers(placements.front());
  for (const RankPlacement& placement : placements) {
    threads = std::min(threads, placement.cores);
    workers = std::min(workers, room_for_workers(placement));
  }
  const auto ranks = static_cast<int>(placements.size());
  if (limits.cpu_quota.has_value()) {
    const int share = std::max(1, whole_cpus(*limits.cpu_quota) / ranks);
    threads = std::min(threads, share);
    workers = std::min(workers, share);
  }
  for (RankPlacement& placement : placements) {
    placement.threads = limits.threads.value_or(threads);
    placement.workers = workers;
  }
}

/// Marks ranks with more threads than cores: in their own set, in overlapping sets, or by the
/// quota.
void mark_oversubscribed(const Topology& topology,
                         const PlacementLimits& limits,
                         std::vector<RankPlacement>& placements) {
  std::map<int, int> core_of;  // CPU -> core
  for (std::size_t core = 0; core < topology.cores.size(); ++core) {
    for (const int cpu : topology.cores[core].cpus) {
      core_of[cpu] = static_cast<int>(core);
    }
  }
  std::vector<double> load(topology.cores.size(), 0.0);  // threads per core
  const auto cores_of = [&core_of](const RankPlacement& placement) {
    std::vector<std::size_t> cores;
    for (const int cpu : placement.cpus) {
      const auto core = static_cast<std::size_t>(core_of.at(cpu));
      if (cores.empty() || std::find(cores.begin(), cores.end(), core) == cores.end()) {
        cores.push_back(core);
      }
    }
    return cores;
  };
  int threads = 0;
  for (const RankPlacement& placement : placements) {
    threads += placement.threads;
    for (const std::size_t core : cores_of(placement)) {
      load[core] += static_cast<double>(placement.threads) / placement.cores;
    }
  }
  constexpr double kFull = 1.0 + 1e-9;
  const bool over_quota = limits.cpu_quota.has_value() && threads > whole_cpus(*limits.cpu_quota);
  for (RankPlacement& placement : placements) {
    const std::vector<std::size_t> cores = cores_of(placement);
    placement.oversubscribed =
        over_quota || std::any_of(cores.begin(), cores.end(), [&load](std::size_t core) {
          return load[core] > kFull;
        });
  }
}

}  // namespace

std::vector<RankPlacement> place_ranks(const Topology& topology,
                                       std::span<const std::vector<int>> masks,
                                       const PlacementLimits& limits) {
  DLBENCH_CHECK(!masks.empty()) << "no ranks to place";
  for (std::size_t rank = 0; rank < masks.size(); ++rank) {
    if (restrict_topology(topology, masks[rank]).cores.empty()) {
      throw Error(
          ErrorCode::kUnavailable,
          fmt::format("local rank {} may only run on CPUs {}, which this node does not let us "
                      "use ({})",
                      rank,
                      cpu_list_text(masks[rank]),
                      cpu_list_text(cpus_of(topology))));
    }
  }
  std::vector<RankPlacement> placements = deal_masks(topology, masks);
  count_ranks_on_cpus(placements);
  choose_threads(placements, limits);
  mark_oversubscribed(topology, limits, placements);
  give_gpus(topology, masks, limits, placements);
  return placements;
}

std::vector<RankPlacement> place_ranks(const Topology& topology,
                                       int local_ranks,
                                       const PlacementLimits& limits) {
  const std::vector<std::vector<int>> masks(static_cast<std::size_t>(local_ranks),
                                            cpus_of(topology));
  return place_ranks(topology, masks, limits);
}

int usable_physical_cores() {
  const std::vector<std::vector<int>> mask = {core::affinity_cpus()};
  return place_ranks(read_topology(), mask, {.cpu_quota = own_cpu_quota()}).front().threads;
}

void bind_process(const std::vector<int>& cpus) {
  DLBENCH_CHECK(!cpus.empty()) << "a process needs a CPU";
  // Threads that libraries (MPI) started earlier do not inherit it, so each is bound by its number.
  const std::vector<pid_t> threads = core::process_threads();
  int error = threads.empty() ? ENOENT : 0;
  for (const pid_t thread : threads) {
    const int failed = core::set_affinity(thread, cpus);
    if (failed != 0 && failed != ESRCH) {
      error = failed;
    }
  }
  if (error != 0) {
    throw Error(ErrorCode::kLibrary,
                fmt::format("cannot bind this process to CPUs {}: {}",
                            cpu_list_text(cpus),
                            core::errno_text(error)));
  }
}

}  // namespace dlbench::probes
