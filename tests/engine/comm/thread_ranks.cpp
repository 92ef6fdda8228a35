// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/comm/thread_ranks.h"

#include "engine/comm/reduce.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <thread>

namespace dlbench::comm {

class ThreadNodeMemory final : public NodeMemory {
 public:
  ThreadNodeMemory(ThreadNode& node, int rank) : node_(node), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return node_.ranks_; }
  [[nodiscard]] std::vector<std::byte*> allocate(std::size_t bytes) override {
    return node_.allocate(rank_, bytes);
  }

 private:
  ThreadNode& node_;
  int rank_;
};

ThreadNode::Segment::Segment(std::size_t bytes)
    : data(static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 4096) / 4096 * 4096)),
           std::free) {
  std::memset(data.get(), 0, bytes);
}

ThreadNode::ThreadNode(int ranks, std::size_t room) : ranks_(ranks), room_(room), barrier_(ranks) {}

std::unique_ptr<NodeMemory> ThreadNode::memory(int rank) {
  return std::make_unique<ThreadNodeMemory>(*this, rank);
}

std::vector<std::byte*> ThreadNode::allocate(int rank, std::size_t bytes) {
  barrier_.arrive_and_wait();
  if (bytes > room_) {
    return {};
  }
  if (rank == 0) {
    for (int each = 0; each < ranks_; ++each) {
      segments_.emplace_back(bytes);
    }
  }
  barrier_.arrive_and_wait();
  std::vector<std::byte*> addresses;
  for (std::size_t each = segments_.size() - static_cast<std::size_t>(ranks_);
       each < segments_.size();
       ++each) {
    addresses.push_back(segments_[each].data.get());
  }
  barrier_.arrive_and_wait();
  return addresses;
}

class ThreadLinks final : public NodeLinks {
 public:
  ThreadLinks(ThreadNetwork& network, int rank) : network_(network), rank_(rank) {}
  [[nodiscard]] int lanes() const override { return network_.lanes_; }
  void lane_barrier() override { lane().barrier.arrive_and_wait(); }
  void lane_all_reduce(const ReduceRequest& request) override {
    ThreadNetwork::Lane& lane = this->lane();
    lane.data[node()] = request.data;
    lane.barrier.arrive_and_wait();
    const std::vector<const std::byte*> sources(lane.data.begin(), lane.data.end());
    std::vector<std::byte> sum(request.count * core::size_of(request.dtype));
    std::byte* target = sum.data();
    reduce_elements(sources, {&target, 1}, request.count, request.dtype, request.op);
    lane.barrier.arrive_and_wait();
    std::memcpy(request.data, sum.data(), sum.size());
  }
  void broadcast(std::byte* data, std::size_t bytes, int root) override {
    network_.data_[static_cast<std::size_t>(rank_)] = data;
    barrier();
    if (rank_ != root) {
      std::memcpy(data, network_.data_[static_cast<std::size_t>(root)], bytes);
    }
    barrier();
  }
  void reduce_scatter(const ReduceRequest& request) override {
    network_.data_[static_cast<std::size_t>(rank_)] = request.data;
    barrier();
    const int ranks = network_.nodes_ * network_.lanes_;
    const std::size_t begin = share_begin(request.count, rank_, ranks);
    const std::size_t count = share_begin(request.count, rank_ + 1, ranks) - begin;
    const std::size_t offset = begin * core::size_of(request.dtype);
    std::vector<const std::byte*> sources;
    for (const std::byte* data : network_.data_) {
      sources.push_back(data + offset);
    }
    std::vector<std::byte> sum(count * core::size_of(request.dtype));
    std::byte* target = sum.data();
    reduce_elements(sources, {&target, 1}, count, request.dtype, request.op);
    barrier();
    std::memcpy(request.data + offset, sum.data(), sum.size());
  }
  void all_gather(std::byte* data, std::size_t count, core::DType dtype) override {
    network_.data_[static_cast<std::size_t>(rank_)] = data;
    barrier();
    const int ranks = network_.nodes_ * network_.lanes_;
    for (int owner = 0; owner < ranks; ++owner) {
      const std::size_t begin = share_begin(count, owner, ranks) * core::size_of(dtype);
      const std::size_t end = share_begin(count, owner + 1, ranks) * core::size_of(dtype);
      if (owner != rank_) {
        std::memcpy(
            data + begin, network_.data_[static_cast<std::size_t>(owner)] + begin, end - begin);
      }
    }
    barrier();
  }
  void barrier() override { network_.all_.arrive_and_wait(); }
  void give_up() override {}

 private:
  [[nodiscard]] ThreadNetwork::Lane& lane() {
    return *network_.by_lane_[static_cast<std::size_t>(rank_ % network_.lanes_)];
  }
  [[nodiscard]] std::size_t node() const {
    return static_cast<std::size_t>(rank_ / network_.lanes_);
  }

  ThreadNetwork& network_;
  int rank_;
};

ThreadNetwork::ThreadNetwork(int nodes, int lanes)
    : nodes_(nodes),
      lanes_(lanes),
      all_(nodes * lanes),
      data_(static_cast<std::size_t>(nodes * lanes)) {
  for (int lane = 0; lane < lanes; ++lane) {
    by_lane_.push_back(std::make_unique<Lane>(nodes));
  }
}

std::unique_ptr<NodeLinks> ThreadNetwork::links(int rank) {
  return std::make_unique<ThreadLinks>(*this, rank);
}

HostRanks ranks_of_node(ThreadNode& node, int rank, int size, int spins) {
  HostRanks ranks{.rank = rank, .size = size, .timeout_s = 30.0, .spins = spins};
  ranks.node_ranks.resize(static_cast<std::size_t>(size));
  std::iota(ranks.node_ranks.begin(), ranks.node_ranks.end(), 0);
  ranks.memory = node.memory(rank);
  return ranks;
}

void run_ranks(int ranks, const std::function<void(int rank)>& work) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&work, rank] {
      try {
        work(rank);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace dlbench::comm
