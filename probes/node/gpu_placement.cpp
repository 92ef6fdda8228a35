// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/check.h"
#include "probes/node/gpu_placement_internal.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace dlbench::probes {
namespace {

/// The GPUs that ranks of the node see.
struct SeenGpus {
  std::vector<TopologyGpu> gpus;
  std::vector<std::vector<std::size_t>> by_rank;  ///< indices of `gpus`, in the rank's order
};

SeenGpus see_gpus(const Topology& topology, const PlacementLimits& limits, std::size_t ranks) {
  SeenGpus seen;
  if (limits.visible_gpus.empty()) {
    seen.gpus = topology.gpus;
    std::vector<std::size_t> all(topology.gpus.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    seen.by_rank.assign(ranks, all);
    return seen;
  }
  DLBENCH_CHECK(limits.visible_gpus.size() == ranks) << "GPUs of each rank";
  const auto index_in = [](const std::vector<TopologyGpu>& gpus, const std::string& address) {
    return static_cast<std::size_t>(
        std::find_if(gpus.begin(),
                     gpus.end(),
                     [&address](const TopologyGpu& gpu) { return gpu.pci_address == address; }) -
        gpus.begin());
  };
  for (const std::vector<std::string>& addresses : limits.visible_gpus) {
    std::vector<std::size_t>& own = seen.by_rank.emplace_back();
    for (const std::string& address : addresses) {
      const std::size_t index = index_in(seen.gpus, address);
      if (index == seen.gpus.size()) {
        const std::size_t known = index_in(topology.gpus, address);
        seen.gpus.push_back({.pci_address = address,
                             .numa_node = known < topology.gpus.size()
                                              ? topology.gpus[known].numa_node
                                              : std::nullopt});
      }
      own.push_back(index);
    }
  }
  return seen;
}

/// Marks ranks that see a single GPU where this hides another rank's GPU from them.
void mark_hidden_peers(const SeenGpus& seen, std::vector<RankPlacement>& placements) {
  for (std::size_t rank = 0; rank < placements.size(); ++rank) {
    RankPlacement& placement = placements[rank];
    placement.peers_hidden =
        seen.by_rank[rank].size() == 1 &&
        std::any_of(placements.begin(), placements.end(), [&](const RankPlacement& other) {
          return other.gpu.has_value() && other.gpu_address != placement.gpu_address;
        });
  }
}

/// Deals the GPUs: first those near a rank, then so that as few ranks as possible share one.
class GpuDealer {
 public:
  GpuDealer(const SeenGpus& seen, const std::vector<RankPlacement>& placements)
      : seen_(seen),
        placements_(placements),
        ranks_on_(seen.gpus.size()),
        gpu_of_(placements.size()) {}

  /// Returns by rank an index of SeenGpus::gpus; none for a rank that sees none.
  [[nodiscard]] std::vector<std::optional<std::size_t>> deal() {
    std::vector<std::size_t> order;  // first those that have little choice
    for (std::size_t rank = 0; rank < placements_.size(); ++rank) {
      if (!seen_.by_rank[rank].empty()) {
        order.push_back(rank);
      }
    }
    if (order.empty()) {
      return gpu_of_;
    }
    std::stable_sort(order.begin(), order.end(), [this](std::size_t left, std::size_t right) {
      return seen_.by_rank[left].size() < seen_.by_rank[right].size();
    });
    most_ = (order.size() + seen_.gpus.size() - 1) / seen_.gpus.size();
    for (const std::size_t rank : order) {
      take_least_used(rank, most_, [&](std::size_t gpu) {
        return seen_.gpus[gpu].numa_node == placements_[rank].numa_node;
      });
    }
    for (const std::size_t rank : order) {
      std::vector<bool> asked(seen_.gpus.size(), false);
      if (!gpu_of_[rank].has_value() && !make_room(rank, asked)) {
        take_least_used(rank, order.size(), [](std::size_t /*gpu*/) { return true; });
      }
    }
    return gpu_of_;
  }

 private:
  void take(std::size_t rank, std::size_t gpu) {
    gpu_of_[rank] = gpu;
    ranks_on_[gpu].push_back(rank);
  }

  template <typename Allowed>
  void take_least_used(std::size_t rank, std::size_t most, const Allowed& allowed) {
    std::optional<std::size_t> best;
    for (const std::size_t gpu : seen_.by_rank[rank]) {
      if (allowed(gpu) && ranks_on_[gpu].size() < most &&
          (!best || ranks_on_[gpu].size() < ranks_on_[*best].size())) {
        best = gpu;
      }
    }
    if (best.has_value()) {
      take(rank, *best);
    }
  }

  /// Finds a GPU with room for this rank, or one whose rank can move to another: an augmenting path
  /// of bipartite matching. `asked`: GPUs already tried.
  bool make_room(std::size_t rank, std::vector<bool>& asked) {
    for (const std::size_t gpu : seen_.by_rank[rank]) {
      if (ranks_on_[gpu].size() < most_) {
        take(rank, gpu);
        return true;
      }
    }
    for (const std::size_t gpu : seen_.by_rank[rank]) {
      if (asked[gpu]) {
        continue;
      }
      asked[gpu] = true;
      for (std::size_t& other : ranks_on_[gpu]) {
        if (make_room(other, asked)) {  // it has another one now, and left this
          other = rank;
          gpu_of_[rank] = gpu;
          return true;
        }
      }
    }
    return false;
  }

  const SeenGpus& seen_;
  const std::vector<RankPlacement>& placements_;
  std::vector<std::vector<std::size_t>> ranks_on_;  ///< by GPU
  std::vector<std::optional<std::size_t>> gpu_of_;  ///< by rank
  std::size_t most_ = 0;                            ///< ranks of a GPU
};

/// The NUMA node of each rank's GPU, if it has one and the node is known.
using GpuNodes = std::vector<std::optional<int>>;

GpuNodes assign_gpus(const Topology& topology,
                     const PlacementLimits& limits,
                     std::vector<RankPlacement>& placements) {
  GpuNodes nodes(placements.size());
  const SeenGpus seen = see_gpus(topology, limits, placements.size());
  const std::vector<std::optional<std::size_t>> dealt = GpuDealer(seen, placements).deal();
  for (std::size_t rank = 0; rank < placements.size(); ++rank) {
    if (dealt[rank].has_value()) {
      const std::vector<std::size_t>& own = seen.by_rank[rank];
      RankPlacement& placement = placements[rank];
      placement.gpu =
          static_cast<int>(std::find(own.begin(), own.end(), *dealt[rank]) - own.begin());
      placement.gpu_address = seen.gpus[*dealt[rank]].pci_address;
      placement.gpu_visible = !limits.visible_gpus.empty();
      nodes[rank] = seen.gpus[*dealt[rank]].numa_node;
    }
  }
  if (!limits.visible_gpus.empty()) {
    mark_hidden_peers(seen, placements);
  }
  return nodes;
}

/// Lets two ranks of one mask exchange their cores if more of them are then near their GPUs, for
/// example if each sees only one.
void move_to_gpus(std::span<const std::vector<int>> masks,
                  const GpuNodes& nodes,
                  std::vector<RankPlacement>& placements) {
  const auto near = [&](std::size_t rank, std::size_t cores_of) {
    return nodes[rank] == placements[cores_of].numa_node ? 1 : 0;
  };
  for (std::size_t left = 0; left < placements.size(); ++left) {
    for (std::size_t right = left + 1; right < placements.size(); ++right) {
      if (masks[left] == masks[right] &&
          near(left, right) + near(right, left) > near(left, left) + near(right, right)) {
        std::swap(placements[left].cpus, placements[right].cpus);
        std::swap(placements[left].cores, placements[right].cores);
        std::swap(placements[left].numa_node, placements[right].numa_node);
        std::swap(placements[left].oversubscribed, placements[right].oversubscribed);
        std::swap(placements[left].ranks_on_cpus, placements[right].ranks_on_cpus);
      }
    }
  }
}

}  // namespace

void give_gpus(const Topology& topology,
               std::span<const std::vector<int>> masks,
               const PlacementLimits& limits,
               std::vector<RankPlacement>& placements) {
  move_to_gpus(masks, assign_gpus(topology, limits, placements), placements);
}

}  // namespace dlbench::probes
