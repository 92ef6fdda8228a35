// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/rank_placement.h"

#include "engine/core/affinity.h"
#include "engine/core/check.h"
#include "probes/node/cpu_list.h"
#include "probes/node/system_info.h"
#include "probes/node/topology.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace dlbench::harness {
namespace {

using probes::RankPlacement;

using reports::kNone;

// Words of a line and cells must not be empty.
std::string or_none(const std::string& text) { return text.empty() ? kNone : text; }

/// A placement as one line of words, as ranks exchange it.
std::string to_line(const RankRow& row) {
  const RankPlacement& placement = row.placement;
  return fmt::format("{} {} {} {} {} {} {} {} {} {}",
                     placement.local_rank,
                     probes::cpu_list_text(placement.cpus),
                     placement.cores,
                     placement.threads,
                     placement.workers,
                     placement.numa_node,
                     placement.gpu.value_or(-1),
                     placement.oversubscribed,
                     placement.bound_by_launcher,
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
      placement.oversubscribed >> placement.bound_by_launcher >> placement.gpu_address;
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

std::string remarks(const RankPlacement& placement) {
  std::string text = placement.oversubscribed ? "oversubscribed" : "";
  if (placement.bound_by_launcher) {
    text += text.empty() ? "bound by the launcher" : ", bound by the launcher";
  }
  return or_none(text);
}

std::string gpu_text(const RankPlacement& placement) {
  return placement.gpu.has_value() ? fmt::format("{} ({})", *placement.gpu, placement.gpu_address)
                                   : kNone;
}

}  // namespace

RankRow place_this_rank(comm::Rendezvous& ranks, std::optional<int> threads) {
  std::string lines;
  for (const std::string& mask : ranks.gather(probes::cpu_list_text(core::affinity_cpus()))) {
    lines += mask + "\n";
  }
  std::istringstream all(ranks.broadcast_text(lines));
  const std::vector<comm::RankPlace>& places = ranks.places();
  const comm::RankPlace& here = places[static_cast<std::size_t>(ranks.rank())];
  std::vector<std::vector<int>> masks(static_cast<std::size_t>(here.local_size));
  std::string line;
  for (const comm::RankPlace& place : places) {
    std::getline(all, line);
    if (place.node == here.node) {
      masks.at(static_cast<std::size_t>(place.local_rank)) = probes::parse_cpu_list(line);
    }
  }
  const probes::Topology topology = probes::read_topology();
  const std::vector<RankPlacement> placements = probes::place_ranks(
      topology, masks, {.threads = threads, .cpu_quota = probes::own_cpu_quota()});
  return {.rank = ranks.rank(),
          .host = here.host,
          .placement = placements[static_cast<std::size_t>(here.local_rank)]};
}

RankRow bind_this_rank(comm::Rendezvous& ranks, std::optional<int> threads) {
  RankRow row = place_this_rank(ranks, threads);
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
  const std::vector<double> all = ranks.all_gather(own);
  const auto count_ranks = [&](int kind) {
    return std::count_if(all.begin(), all.end(), [kind](double crowded) {
      return (static_cast<int>(crowded) & kind) != 0;
    });
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
               remarks(placement)});
  }
  return table.text(0);
}

}  // namespace dlbench::harness
