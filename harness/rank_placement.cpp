// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/rank_placement.h"

#include "engine/core/affinity.h"
#include "engine/core/check.h"
#include "engine/core/environment.h"
#include "engine/core/log.h"
#include "engine/core/split_list.h"
#include "launchers/launch_environment.h"
#include "probes/node/cpu_list.h"
#include "probes/node/system_info.h"
#include "probes/node/topology.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace dlbench::harness {
namespace {

using probes::RankPlacement;

using reports::kNone;

// Words of a line and cells must not be empty.
std::string or_none(const std::string& text) { return text.empty() ? kNone : text; }

/// Formats a placement as one line of words, which ranks exchange.
std::string to_line(const RankRow& row) {
  const RankPlacement& placement = row.placement;
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}",
                     placement.local_rank,
                     probes::cpu_list_text(placement.cpus),
                     placement.cores,
                     placement.threads,
                     placement.workers,
                     placement.numa_node,
                     placement.gpu.value_or(-1),
                     placement.oversubscribed,
                     placement.bound_by_launcher,
                     placement.gpu_visible,
                     or_none(placement.gpu_address));
}

RankRow from_line(const std::string& line) {
  RankRow row;
  RankPlacement& placement = row.placement;
  std::string cpus;
  int gpu = -1;
  std::istringstream words(line);
  words >> placement.local_rank >> cpus >> placement.cores >> placement.threads >>
      placement.workers >> placement.numa_node >> gpu >> std::boolalpha >>
      placement.oversubscribed >> placement.bound_by_launcher >> placement.gpu_visible >>
      placement.gpu_address;
  DLBENCH_CHECK(!words.fail()) << "a rank sent '" << line << "'";
  placement.cpus = probes::parse_cpu_list(cpus);
  if (gpu >= 0) {
    placement.gpu = gpu;
  }
  if (placement.gpu_address == kNone) {
    placement.gpu_address.clear();
  }
  return row;
}

/// Returns the lowest other rank on a rank's GPU, which NCCL refuses; nothing if there is none.
std::optional<int> sharer(const RankRow& row, const std::vector<RankRow>& rows) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&row](const RankRow& other) {
    return other.rank != row.rank && other.machine == row.machine && row.placement.gpu_visible &&
           other.placement.gpu_visible && other.placement.gpu_address == row.placement.gpu_address;
  });
  return found == rows.end() ? std::nullopt : std::optional(found->rank);
}

std::string remarks(const RankPlacement& placement, std::optional<int> shares_with) {
  std::vector<std::string> found;
  if (placement.oversubscribed) {
    found.emplace_back("oversubscribed");
  }
  if (placement.bound_by_launcher) {
    found.emplace_back("bound by the launcher");
  }
  if (placement.gpu.has_value() && !placement.gpu_visible) {
    found.emplace_back("dlbench cannot use its GPU");
  }
  if (shares_with.has_value()) {
    found.push_back(fmt::format("its GPU is that of rank {}, too", *shares_with));
  }
  return or_none(fmt::format("{}", fmt::join(found, ", ")));
}

std::string gpu_text(const RankPlacement& placement) {
  return placement.gpu.has_value() ? fmt::format("{} ({})", *placement.gpu, placement.gpu_address)
                                   : kNone;
}

/// What a rank tells of itself.
struct Means {
  std::vector<int> mask;
  std::vector<int> known_cpus;  ///< those of its topology: a container may see part of a machine
  double cpu_quota = 0.0;       ///< of its control groups; 0: none
  std::vector<std::string> gpus;
};

std::string text_of(const Means& means) {
  return fmt::format("{} {} {} {}",
                     probes::cpu_list_text(means.mask),
                     probes::cpu_list_text(means.known_cpus),
                     means.cpu_quota,
                     or_none(fmt::format("{}", fmt::join(means.gpus, ","))));
}

Means means_of(const std::string& text) {
  std::istringstream words(text);
  std::string mask;
  std::string known;
  std::string gpus;
  Means means;
  words >> mask >> known >> means.cpu_quota >> gpus;
  DLBENCH_CHECK(!words.fail()) << "a rank sent no mask, processors, quota and GPUs";
  means.mask = probes::parse_cpu_list(mask);
  means.known_cpus = probes::parse_cpu_list(known);
  if (gpus != kNone) {
    means.gpus = core::split_list(gpus);
  }
  return means;
}

/// Ranks that share processors or GPUs, in their order.
class Sharers {
 public:
  void add(const Means& means, int node, bool is_own) {
    if (is_own) {
      own_ = masks_.size();
    }
    know_the_same_ = know_the_same_ && (masks_.empty() || known_cpus_ == means.known_cpus);
    known_cpus_ = means.known_cpus;
    masks_.push_back(means.mask);
    gpus_.push_back(means.gpus);
    nodes_.push_back(node);
    double& quota = quotas_.try_emplace(node, means.cpu_quota).first->second;
    quota = quota > 0.0 && means.cpu_quota > 0.0 ? std::max(quota, means.cpu_quota) : 0.0;
  }

  [[nodiscard]] std::size_t size() const { return masks_.size(); }

  /// CPU quota of all nodes together; nothing where one has none.
  [[nodiscard]] std::optional<double> cpu_quota() const {
    double sum = 0.0;
    for (const auto& [node, quota] : quotas_) {
      if (!(quota > 0.0)) {
        return std::nullopt;
      }
      sum += quota;
    }
    return sum;
  }

  [[nodiscard]] RankPlacement place_own(const probes::Topology& topology,
                                        std::optional<int> threads,
                                        std::optional<double> cpu_quota) const {
    return probes::place_ranks(
        topology,
        masks_,
        {.threads = threads, .cpu_quota = cpu_quota, .visible_gpus = seen_gpus()})[own_];
  }

  /// Whether all ranks see the same processors; else each would deal others, and differently.
  [[nodiscard]] bool know_the_same() const { return know_the_same_; }

  /// Whether ranks of two nodes may run on one processor.
  [[nodiscard]] bool nodes_share_processors() const {
    std::map<int, int> node_of;  // processor -> node
    for (std::size_t rank = 0; rank < masks_.size(); ++rank) {
      for (const int cpu : masks_[rank]) {
        if (node_of.try_emplace(cpu, nodes_[rank]).first->second != nodes_[rank]) {
          return true;
        }
      }
    }
    return false;
  }

  /// Gives `placement` a GPU of those that its rank sees: ranks choose in their order, each the one
  /// that the fewest have chosen. Leaves it as it is if the rank sees none.
  void deal_gpus(RankPlacement& placement) const {
    std::map<std::string, int> users;
    for (std::size_t rank = 0; rank < gpus_.size(); ++rank) {
      const auto chosen = std::ranges::min_element(
          gpus_[rank], {}, [&users](const std::string& gpu) { return users[gpu]; });
      if (chosen == gpus_[rank].end()) {
        continue;
      }
      ++users[*chosen];
      if (rank == own_) {
        placement.gpu = static_cast<int>(chosen - gpus_[rank].begin());
        placement.gpu_address = *chosen;
        placement.gpu_visible = true;
      }
    }
    const auto used = std::ranges::count_if(users, [](const auto& gpu) { return gpu.second > 0; });
    placement.peers_hidden = gpus_[own_].size() == 1 && used > 1;
  }

 private:
  /// Nothing where no rank sees any: the topology's count then.
  [[nodiscard]] std::vector<std::vector<std::string>> seen_gpus() const {
    const bool none = std::ranges::all_of(gpus_, [](const auto& seen) { return seen.empty(); });
    return none ? std::vector<std::vector<std::string>>() : gpus_;
  }

  std::vector<std::vector<int>> masks_;
  std::vector<std::vector<std::string>> gpus_;
  std::vector<int> nodes_;
  std::vector<int> known_cpus_;
  bool know_the_same_ = true;
  std::map<int, double> quotas_;  ///< by node; 0: none
  std::size_t own_ = 0;           ///< place of this rank among them
};

/// The processors of `of_node` where no other node of the machine has them too, those of
/// `of_machine` else: all ranks are bound, so two containers would crowd the same ones and leave
/// others idle. What a container's quota allows holds in both. The GPU is that of `of_machine`.
RankPlacement merge_placements(const RankPlacement& of_node,
                               RankPlacement of_machine,
                               bool share_processors) {
  RankPlacement merged = of_node;
  if (share_processors) {
    merged = of_machine;
    merged.local_rank = of_node.local_rank;
    merged.threads = std::min(of_node.threads, of_machine.threads);
    merged.workers = std::min(of_node.workers, of_machine.workers);
    merged.oversubscribed = of_node.oversubscribed || of_machine.oversubscribed;
  }
  merged.gpu = of_machine.gpu;
  merged.gpu_address = std::move(of_machine.gpu_address);
  merged.gpu_visible = of_machine.gpu_visible;
  merged.peers_hidden = of_machine.peers_hidden;
  return merged;
}

}  // namespace

RankRow place_this_rank(comm::Rendezvous& ranks,
                        std::optional<int> threads,
                        const std::vector<std::string>& gpus) {
  const std::optional<double> own_quota = probes::own_cpu_quota();
  const probes::Topology topology = probes::read_topology();
  const std::vector<std::string> texts =
      ranks.all_gather_text(text_of({.mask = core::affinity_cpus(),
                                     .known_cpus = probes::cpus_of(topology),
                                     .cpu_quota = own_quota.value_or(0.0),
                                     .gpus = gpus}));
  const std::vector<comm::RankPlace>& places = ranks.places();
  const comm::RankPlace& here = places[static_cast<std::size_t>(ranks.rank())];
  Sharers node;
  Sharers machine;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const Means means = means_of(texts[rank]);
    const bool is_own = rank == static_cast<std::size_t>(ranks.rank());
    if (places[rank].node == here.node) {
      node.add(means, places[rank].node, is_own);
    }
    if (places[rank].machine == here.machine) {
      machine.add(means, places[rank].node, is_own);
    }
  }
  RankPlacement placement = node.place_own(topology, threads, own_quota);
  if (machine.size() > node.size() && !machine.know_the_same()) {
    machine.deal_gpus(placement);
  } else if (machine.size() > node.size()) {
    placement = merge_placements(placement,
                                 machine.place_own(topology, threads, machine.cpu_quota()),
                                 machine.nodes_share_processors());
  }
  return {.rank = ranks.rank(),
          .host = here.host,
          .machine = here.machine,
          .placement = std::move(placement)};
}

RankRow bind_this_rank(comm::Rendezvous& ranks,
                       std::optional<int> threads,
                       const std::vector<std::string>& gpus) {
  if (const std::string hint =
          launchers::lost_cpus_hint(core::environment(), probes::usable_cpus());
      !hint.empty()) {
    core::log::warn(hint);
  }
  RankRow row = place_this_rank(ranks, threads, gpus);
  if (ranks.size() > 1) {
    probes::bind_process(row.placement.cpus);
  }
  return row;
}

std::vector<RankRow> gather_rows(comm::Rendezvous& ranks, const RankRow& mine) {
  std::vector<RankRow> rows;
  for (const std::string& line : ranks.gather(to_line(mine))) {
    const std::size_t rank = rows.size();
    rows.push_back(from_line(line));
    rows.back().rank = static_cast<int>(rank);
    rows.back().host = ranks.places()[rank].host;
    rows.back().machine = ranks.places()[rank].machine;
  }
  return rows;
}

std::optional<reports::TaintRecord> oversubscription(comm::Rendezvous& ranks,
                                                     const RankPlacement& mine,
                                                     const CoreUse& use) {
  constexpr int kThreads = 1;
  constexpr int kWorkers = 2;
  const bool shared_threads = use.computes && mine.oversubscribed;
  const bool many_workers =
      use.workers > mine.workers ||
      (mine.ranks_on_cpus > 1 &&
       use.workers * mine.ranks_on_cpus > static_cast<std::int64_t>(mine.cpus.size()));
  const int own = (shared_threads ? kThreads : 0) + (many_workers ? kWorkers : 0);
  const std::vector<int> all = ranks.all_gather(own);
  const auto count_ranks = [&](int kind) {
    return std::ranges::count_if(all, [kind](int crowded) { return (crowded & kind) != 0; });
  };
  std::vector<std::string> reasons;
  if (const auto crowded = count_ranks(kThreads); crowded > 0) {
    reasons.push_back(
        fmt::format("the compute threads of {} of {} rank(s) share cores", crowded, ranks.size()));
  }
  if (const auto crowded = count_ranks(kWorkers); crowded > 0) {
    reasons.push_back(
        fmt::format("the loader workers of {} of {} rank(s), {} each, outnumber their processors",
                    crowded,
                    ranks.size(),
                    use.workers));
  }
  if (reasons.empty()) {
    return std::nullopt;
  }
  return reports::TaintRecord{
      reports::Taint::kOversubscribed, "ranks", fmt::format("{}", fmt::join(reasons, "; "))};
}

// https://github.com/NVIDIA/nccl/issues/1066 reports that NCCL fails where a control group hides
// the other devices. Memory of devices that only CUDA_VISIBLE_DEVICES hides can be shared:
// https://github.com/openucx/ucx/pull/4137 does so. Neither was tried.
std::optional<reports::SkipRecord> hidden_peers(comm::Rendezvous& ranks,
                                                const RankPlacement& mine) {
  const std::vector<int> all = ranks.all_gather(mine.peers_hidden ? 1 : 0);
  const auto apart = std::ranges::count(all, 1);
  if (apart == 0) {
    return std::nullopt;
  }
  return reports::SkipRecord{
      "peer access between GPUs of a node",
      fmt::format(
          "{} of {} ranks see no GPU but their own, so NCCL may not reach the others of the "
          "node over NVLink or PCIe; srun --gpus-per-node=N --gpu-bind=none lets ranks see "
          "each other's GPUs",
          apart,
          ranks.size())};
}

std::optional<reports::TaintRecord> gpu_sharing(const std::string& shared) {
  if (shared.empty()) {
    return std::nullopt;
  }
  return reports::TaintRecord{
      reports::Taint::kOversubscribed, "ranks", shared + ": gradients are reduced in host memory"};
}

std::string rank_table(const std::vector<RankRow>& rows) {
  reports::TextTable table(
      {"rank", "host", "cpus", "cores", "threads", "NUMA node", "GPU", "remarks"}, {1, 2, 6, 7});
  for (const RankRow& row : rows) {
    const RankPlacement& placement = row.placement;
    table.add({std::to_string(row.rank),
               row.host,
               probes::cpu_list_text(placement.cpus),
               std::to_string(placement.cores),
               std::to_string(placement.threads),
               std::to_string(placement.numa_node),
               gpu_text(placement),
               remarks(placement, sharer(row, rows))});
  }
  return table.text(0);
}

}  // namespace dlbench::harness
