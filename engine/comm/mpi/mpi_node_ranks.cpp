// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/mpi/mpi_node_ranks.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/round_up.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

namespace dlbench::comm::mpi {
namespace {

constexpr std::size_t kPage = 4096;
constexpr double kLeaveSeconds = 10.0;  // how long to wait for the others before freeing memory

/// Whether /dev/shm, where MPI keeps shared memory on Linux, has room. If it is full, allocation
/// does not fail: the first write to a missing page kills the process (SIGBUS).
bool shared_memory_has_room(std::size_t bytes) {
  struct statvfs space {};
  if (statvfs("/dev/shm", &space) != 0) {
    return true;  // shared memory is elsewhere; nothing to check
  }
  return static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize >= bytes;
}

class MpiNodeMemory final : public NodeMemory {
 public:
  MpiNodeMemory(std::unique_ptr<MpiGroup> node, const Waiting& waiting)
      : node_(std::move(node)), waiting_(waiting) {}

  ~MpiNodeMemory() override {
    bool all_here = false;
    try {
      if (std::uncaught_exceptions() == 0) {
        node_->barrier({.timeout_s = kLeaveSeconds, .what = "end of a communicator"});
        all_here = true;
      }
    } catch (const std::exception&) {
      // A rank that failed will not come.
    }
    if (!all_here) {
      // Freeing a window would wait forever: it stays until the process ends.
      for (std::unique_ptr<SharedSegments>& each : segments_) {
        static_cast<void>(each.release());
      }
      static_cast<void>(node_.release());
    }
  }

  [[nodiscard]] int rank() const override { return node_->rank(); }
  [[nodiscard]] int size() const override { return node_->size(); }

  [[nodiscard]] std::vector<std::byte*> allocate(std::size_t bytes) override {
    const std::size_t segment = core::round_up(bytes, kPage) + kPage;
    std::uint8_t room = 1;
    if (rank() == 0) {
      room = shared_memory_has_room(segment * static_cast<std::size_t>(size())) ? 1 : 0;
    }
    node_->broadcast(std::as_writable_bytes(std::span(&room, 1)), 0, waiting_);
    if (room == 0) {
      return {};
    }
    segments_.push_back(node_->allocate_shared(segment, waiting_));
    std::vector<std::byte*> addresses;
    for (std::byte* address : segments_.back()->addresses()) {
      // MPI may place windows at any address, but all ranks see the same offset within a page.
      const auto offset = reinterpret_cast<std::uintptr_t>(address) % kPage;
      addresses.push_back(address + (kPage - offset) % kPage);
    }
    std::memset(addresses[static_cast<std::size_t>(rank())], 0, bytes);
    node_->barrier(waiting_);
    return addresses;
  }

 private:
  std::unique_ptr<MpiGroup> node_;
  Waiting waiting_;
  std::vector<std::unique_ptr<SharedSegments>> segments_;
};

class MpiNodeLinks final : public NodeLinks {
 public:
  MpiNodeLinks(std::unique_ptr<MpiGroup> all,
               std::unique_ptr<MpiGroup> lane,
               int lanes,
               double timeout_s)
      : all_(std::move(all)), lane_(std::move(lane)), lanes_(lanes), timeout_s_(timeout_s) {}

  [[nodiscard]] int lanes() const override { return lanes_; }
  void lane_barrier() override { lane_->barrier(waiting("all-reduce between nodes")); }
  void lane_all_reduce(const ReduceRequest& request) override {
    lane_->all_reduce(request, moving("all-reduce between nodes"));
  }
  void broadcast(std::byte* data, std::size_t bytes, int root) override {
    all_->broadcast({data, bytes}, root, moving("broadcast between nodes"));
  }
  void reduce_scatter(const ReduceRequest& request) override {
    all_->reduce_scatter(request, moving("reduce-scatter between nodes"));
  }
  void all_gather(std::byte* data, std::size_t count, core::DType dtype) override {
    all_->all_gather(data, count, dtype, moving("all-gather between nodes"));
  }
  void barrier() override { all_->barrier(waiting("collective between nodes")); }
  void give_up() override { give_up_ = true; }

 private:
  [[nodiscard]] Waiting waiting(const char* what) const {
    return {.timeout_s = timeout_s_, .what = what, .give_up = &give_up_};
  }
  [[nodiscard]] Waiting moving(const char* what) const {
    return {.timeout_s = timeout_s_, .what = what, .moving_data = true, .give_up = &give_up_};
  }

  std::unique_ptr<MpiGroup> all_;
  std::unique_ptr<MpiGroup> lane_;
  int lanes_;
  double timeout_s_;
  std::atomic<bool> give_up_ = false;
};

}  // namespace

std::unique_ptr<NodeMemory> share_node_memory(const MpiGroup& all,
                                              int node,
                                              const Waiting& waiting) {
  return std::make_unique<MpiNodeMemory>(all.split(node, waiting), waiting);
}

std::unique_ptr<NodeLinks> link_nodes(const MpiGroup& all,
                                      int local_rank,
                                      int lanes,
                                      const Waiting& waiting) {
  std::unique_ptr<MpiGroup> copy = all.split(0, waiting);
  std::unique_ptr<MpiGroup> lane = all.split(local_rank < lanes ? local_rank : -1, waiting);
  return std::make_unique<MpiNodeLinks>(std::move(copy), std::move(lane), lanes, waiting.timeout_s);
}

}  // namespace dlbench::comm::mpi
