// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/make_step.h"

#include "engine/comm/communicator_list.h"
#include "engine/comm/compressed.h"
#include "engine/comm/simulated_link.h"
#include "engine/comm/single_root.h"
#include "harness/ranks.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

// Formats one decision per line, key and value separated by a tab.
std::string write_decisions(const std::map<std::string, std::string>& decisions) {
  std::string text;
  for (const auto& [key, value] : decisions) {
    text += fmt::format("{}\t{}\n", key, value);
  }
  return text;
}

std::map<std::string, std::string> read_decisions(const std::string& text) {
  std::map<std::string, std::string> decisions;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    decisions[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return decisions;
}

}  // namespace

std::unique_ptr<comm::Communicator> make_communicator(const SessionPlan& plan) {
  const SessionOptions& options = plan.options();
  std::unique_ptr<comm::Communicator> communicator =
      comm::create_communicator(plan.ranks(),
                                plan.backend(),
                                {.sharing = options.share_gpu ? comm::DeviceSharing::kHostStaged
                                                              : comm::DeviceSharing::kRefused,
                                 .repeatable = options.deterministic});
  if (plan.ranks().size() == 1) {
    return communicator;
  }
  if (options.link.has_value()) {
    communicator = std::make_unique<comm::SimulatedLinkCommunicator>(
        std::move(communicator), *options.link, options.seed);
  }
  if (options.compression.has_value()) {
    communicator = std::make_unique<comm::CompressedCommunicator>(
        std::move(communicator), *options.compression, plan.backend());
  }
  if (plan.single_root()) {
    communicator = std::make_unique<comm::SingleRootCommunicator>(std::move(communicator));
  }
  return communicator;
}

void lower_together(comm::Rendezvous& ranks,
                    const backend::LoweringOptions& options,
                    std::int64_t samples,
                    bool before,
                    const Lower& lower) {
  if (ranks.size() == 1) {
    static_cast<void>(lower(options));
    return;
  }
  const std::vector<std::int64_t> all = ranks.all_gather(samples);
  const std::vector<int> known = ranks.all_gather(before ? 1 : 0);
  const auto mine = static_cast<std::size_t>(ranks.rank());
  std::map<std::int64_t, std::size_t> leaders;  // by samples
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto [leader, first] = leaders.try_emplace(all[rank], rank);
    if (!first && known[leader->second] == 0 && known[rank] != 0) {
      leader->second = rank;
    }
  }
  for (const auto& entry : leaders) {
    const std::int64_t share = entry.first;
    const std::size_t leader = entry.second;
    std::string decisions;
    together(ranks, [&] {
      if (mine == leader) {
        decisions = write_decisions(lower(options));
      }
    });
    decisions = ranks.all_gather_text(decisions)[leader];
    together(ranks, [&] {
      if (mine != leader && all[mine] == share) {
        backend::LoweringOptions taken = options;
        taken.decisions = read_decisions(decisions);
        taken.tuning_cache.clear();
        static_cast<void>(lower(taken));
      }
    });
  }
}

}  // namespace dlbench::harness
