// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/mpi/mpi_rendezvous.h"

#include "engine/comm/host_communicator.h"
#include "engine/comm/mpi/mpi_node_ranks.h"
#include "engine/comm/rank_progress.h"
#include "engine/comm/self.h"
#include "engine/core/affinity.h"
#include "engine/core/check.h"
#include "engine/core/host_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

namespace dlbench::comm::mpi {
namespace {

/// Numbers equal keys equally, from 0 in order of first appearance.
std::vector<int> numbered(const std::vector<std::string>& keys) {
  std::map<std::string, int> numbers;
  std::vector<int> result;
  for (const std::string& key : keys) {
    result.push_back(numbers.emplace(key, static_cast<int>(numbers.size())).first->second);
  }
  return result;
}

/// Fills node, local_rank and local_size from keys that are equal on ranks of one node.
void number_nodes(const std::vector<std::string>& keys, std::vector<RankPlace>& places) {
  const std::vector<int> nodes = numbered(keys);
  std::map<int, int> ranks_of_node;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    places[rank].node = nodes[rank];
    places[rank].local_rank = ranks_of_node[nodes[rank]]++;
  }
  for (RankPlace& place : places) {
    place.local_size = ranks_of_node[place.node];
  }
}

}  // namespace

std::unique_ptr<Rendezvous> MpiRendezvous::start(int ranks_per_node) {
  std::unique_ptr<MpiRendezvous> world(new MpiRendezvous(MpiGroup::start(), true));
  world->find_places(ranks_per_node);
  return world;
}

MpiRendezvous::~MpiRendezvous() {
  if (is_world_) {
    MpiGroup::finish(*group_, exit_code_);
  }
}

Waiting MpiRendezvous::waiting(const char* what) const {
  return {.timeout_s = timeout_s(), .what = what};
}

// Ranks are on one node if they can share memory, and nodes on one machine if they have the same
// kernel: containers of one machine need not share memory. Host names tell neither, since they may
// be equal in different containers.
void MpiRendezvous::find_places(int ranks_per_node) {
  const std::unique_ptr<MpiGroup> node = group_->split_by_memory(waiting("start"));
  int leader = group_->rank();
  node->broadcast(std::as_writable_bytes(std::span(&leader, 1)), 0, waiting("start"));
  const int part = ranks_per_node > 0 ? node->rank() / ranks_per_node : 0;

  const std::vector<std::string> keys = all_gather_text(fmt::format("{}/{}", leader, part));
  for (std::string& host : all_gather_text(core::host_name())) {
    places_.push_back({.host = std::move(host)});
  }
  number_nodes(keys, places_);

  // The leader's boot id counts for its whole node.
  const std::vector<std::string> boot_ids = all_gather_text(core::boot_id());
  const std::string& boot_id = boot_ids[static_cast<std::size_t>(leader)];
  const std::string machine = boot_id.empty() ? std::to_string(leader) : boot_id;
  const std::vector<int> machines = numbered(all_gather_text(fmt::format("{}/{}", machine, part)));
  for (std::size_t rank = 0; rank < places_.size(); ++rank) {
    places_[rank].machine = machines[rank];
  }
}

void MpiRendezvous::broadcast(std::span<std::byte> bytes) {
  const AwaitingMessage awaiting("broadcast between ranks");
  group_->broadcast(bytes, 0, waiting("broadcast between ranks"));
}

std::vector<std::string> MpiRendezvous::gather(const std::string& text) {
  const AwaitingMessage awaiting("gather from ranks");
  return group_->gather(text, waiting("gather from ranks"));
}

void MpiRendezvous::barrier() {
  const AwaitingMessage awaiting("barrier of ranks");
  group_->barrier(waiting("barrier of ranks"));
}

std::unique_ptr<Rendezvous> MpiRendezvous::first(int ranks) {
  DLBENCH_CHECK(ranks >= 1 && ranks <= size()) << ranks << " ranks of " << size();
  const AwaitingMessage awaiting("subset of ranks");
  std::unique_ptr<MpiGroup> group = group_->split(rank() < ranks ? 0 : -1, waiting("subset"));
  if (group == nullptr) {
    return nullptr;
  }
  std::unique_ptr<MpiRendezvous> subset(new MpiRendezvous(std::move(group), false));
  subset->set_timeout(timeout_s());
  subset->places_.assign(places_.begin(), places_.begin() + ranks);
  std::vector<std::string> keys;
  for (const RankPlace& place : subset->places_) {
    keys.push_back(std::to_string(place.node));
  }
  number_nodes(keys, subset->places_);
  return subset;
}

int MpiRendezvous::spins() {
  constexpr int kSpins = 2000;  // about 50 us
  const std::vector<std::string> texts =
      all_gather_text(fmt::format("{}", fmt::join(core::affinity_cpus(), " ")));
  std::vector<std::vector<int>> masks;  // of the ranks of this node
  for (std::size_t other = 0; other < texts.size(); ++other) {
    if (places_[other].node == places_[static_cast<std::size_t>(rank())].node) {
      std::istringstream numbers(texts[other]);
      masks.emplace_back(std::istream_iterator<int>(numbers), std::istream_iterator<int>());
    }
  }
  return core::each_has_a_cpu(masks) ? kSpins : 0;
}

std::unique_ptr<Communicator> MpiRendezvous::create_host_communicator() {
  if (size() == 1) {
    return std::make_unique<SelfCommunicator>();
  }
  const AwaitingMessage awaiting("new communicator");
  const RankPlace& here = places_[static_cast<std::size_t>(rank())];
  HostRanks ranks{.rank = rank(), .size = size(), .timeout_s = timeout_s(), .spins = spins()};
  for (std::size_t other = 0; other < places_.size(); ++other) {
    if (places_[other].node == here.node) {
      ranks.node_ranks.push_back(static_cast<int>(other));
    }
  }
  ranks.memory = share_node_memory(*group_, here.node, waiting("new communicator"));
  if (static_cast<int>(ranks.node_ranks.size()) < size()) {
    int lanes = size();
    for (const RankPlace& place : places_) {
      lanes = std::min(lanes, place.local_size);
    }
    ranks.links = link_nodes(*group_, here.local_rank, lanes, waiting("new communicator"));
  }
  return std::make_unique<HostCommunicator>(std::move(ranks));
}

}  // namespace dlbench::comm::mpi
