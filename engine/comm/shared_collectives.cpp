// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A large call divides the elements into one share per owner and runs in pieces: a piece is one
// slice of every share, so that all owners are busy in each. If the data of all ranks are in shared
// windows, there is only one piece:
//   [copy in] - barrier - owners reduce or readers fetch - barrier - [copy out] - next piece
// A small all-reduce of ranks that share cores, for which a barrier costs tens of microseconds,
// uses only one barrier: each rank puts its elements into a slot and sums all slots.
#include "engine/comm/shared_collectives.h"

#include "engine/comm/reduce.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/round_up.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace dlbench::comm {
namespace {

using core::seconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kSmallSlot = std::size_t{16} << 10;
// A small call reads the slots of all ranks on every rank; above this a second barrier is cheaper.
constexpr std::size_t kSmallTotal = std::size_t{64} << 10;

enum class Kind : std::uint8_t { kAllReduce, kReduceScatter, kFetch };

}  // namespace

struct SharedCollectives::Call {
  CollectiveId id;
  Kind kind = Kind::kAllReduce;
  ReduceRequest request;
  std::size_t element_bytes = 1;
  int owners = 1;
  int root = -1;                          ///< the only owner; -1: each owns a share
  std::span<const std::size_t> bounds{};  ///< of the owners' shares; empty: equal shares
  /// The elements that this rank fetches from others' shares: only some in a scatter or gather.
  std::size_t wanted_begin = 0;
  std::size_t wanted_end = std::numeric_limits<std::size_t>::max();
  std::size_t slice_elements = 0;
  std::size_t pieces = 1;

  [[nodiscard]] std::size_t bytes() const { return request.count * element_bytes; }

  /// First element of an owner's share. Shares of an all-reduce begin on cache lines.
  [[nodiscard]] std::size_t begin(int owner) const {
    if (root >= 0) {
      return owner <= root ? 0 : request.count;
    }
    if (!bounds.empty()) {
      return bounds[static_cast<std::size_t>(owner)];
    }
    const std::size_t first = share_begin(request.count, owner, owners);
    return kind == Kind::kAllReduce
               ? std::min(request.count, core::round_up(first, kCacheLine / element_bytes))
               : first;
  }

  [[nodiscard]] std::size_t largest_share() const {
    std::size_t largest = 0;
    for (int owner = 0; owner < owners; ++owner) {
      largest = std::max(largest, begin(owner + 1) - begin(owner));
    }
    return largest;
  }

  /// A hash that differs between calls that do not match.
  [[nodiscard]] std::uint64_t fingerprint() const {
    std::uint64_t result = static_cast<std::uint64_t>(id.number);
    const auto mix = [&result](std::uint64_t value) {
      result = (result ^ value) * 0x9e3779b97f4a7c15ULL;  // 2^64 / golden ratio
      result ^= result >> 32U;
    };
    mix(std::hash<std::string_view>{}(id.name));
    mix(request.count);
    mix(static_cast<std::uint64_t>(request.dtype));
    mix(static_cast<std::uint64_t>(request.op));
    mix(static_cast<std::uint64_t>(root) + 1);  // 0 if there is no root
    return result;
  }
};

/// Elements [begin, begin + count) of the array.
struct SharedCollectives::Slice {
  std::size_t begin;
  std::size_t count;
};

SharedCollectives::SharedCollectives(NodeMemory& memory, NodeLinks* links, Options options)
    : links_(links), memory_(memory), options_(std::move(options)) {
  DLBENCH_CHECK(static_cast<int>(options_.world_ranks.size()) == memory.size());
  const auto ranks = options_.world_ranks.size();
  // One segment for all purposes, since allocating is slow: staging area, two small slots,
  // *other_nodes_s_, the barrier.
  const std::size_t bytes =
      options_.staging_bytes + 2 * kSmallSlot + kCacheLine + NodeBarrier::bytes(memory.size());
  staging_ = memory.allocate(bytes);
  if (staging_.empty()) {
    throw core::Error(core::ErrorCode::kMemory,
                      "no room for " + std::to_string(bytes) +
                          " bytes of shared memory per rank; enlarge /dev/shm (a container's "
                          "--shm-size) or use fewer ranks per node");
  }
  for (std::byte* segment : staging_) {
    small_.push_back(segment + options_.staging_bytes);
  }
  other_nodes_s_ = reinterpret_cast<double*>(small_.front() + 2 * kSmallSlot);
  barrier_ = std::make_unique<NodeBarrier>(small_.front() + 2 * kSmallSlot + kCacheLine,
                                           NodeBarrier::Options{.rank = memory.rank(),
                                                                .world_ranks = options_.world_ranks,
                                                                .timeout_s = options_.timeout_s,
                                                                .spins = options_.spins});
  in_place_.resize(ranks);
  sources_.resize(ranks);
  targets_.resize(ranks);
}

void SharedCollectives::give_up() {
  barrier_->give_up();
  if (links_ != nullptr) {
    links_->give_up();
  }
}

std::byte* SharedCollectives::allocate(std::size_t bytes) {
  Window window{.segments = memory_.allocate(bytes), .bytes = bytes};
  if (window.segments.empty()) {
    return nullptr;
  }
  windows_.push_back(std::move(window));
  return windows_.back().segments[static_cast<std::size_t>(memory_.rank())];
}

SharedCollectives::Slice SharedCollectives::slice(const Call& call, int owner, std::size_t piece) {
  const std::size_t end = call.begin(owner + 1);
  const std::size_t begin = std::min(end, call.begin(owner) + piece * call.slice_elements);
  return {.begin = begin, .count = std::min(call.slice_elements, end - begin)};
}

/// The address of `owner`'s slice of a piece in the memory of `rank`.
std::byte* SharedCollectives::address(const Call& call,
                                      int rank,
                                      int owner,
                                      std::size_t piece) const {
  const auto index = static_cast<std::size_t>(rank);
  if (in_place_[index] != nullptr) {
    return in_place_[index] + slice(call, owner, piece).begin * call.element_bytes;
  }
  // If slices are fetched, each owner stages only its own slice.
  const std::size_t place = call.kind == Kind::kFetch ? 0 : static_cast<std::size_t>(owner);
  return staging_[index] + place * call.slice_elements * call.element_bytes;
}

void SharedCollectives::leave_note(const Call& call) {
  ArrivalNote note{.operation = call.fingerprint()};
  const auto self = static_cast<std::size_t>(memory_.rank());
  in_place_[self] = nullptr;
  for (std::size_t index = 0; index < windows_.size(); ++index) {
    const Window& window = windows_[index];
    const auto offset =
        static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(call.request.data) -
                                 reinterpret_cast<std::uintptr_t>(window.segments[self]));
    // For an address before the segment the offset wraps around to a huge number.
    if (offset < window.bytes && call.bytes() <= window.bytes - offset) {
      note.window = static_cast<std::int64_t>(index);
      note.offset = offset;
      in_place_[self] = call.request.data;
    }
  }
  barrier_->leave(note);
}

/// Called after the barrier: learns where the data of all ranks are, and so how large pieces can
/// be.
void SharedCollectives::read_notes(Call& call) {
  bool all_in_place = true;
  for (int rank = 0; rank < memory_.size(); ++rank) {
    const ArrivalNote note = barrier_->note(rank, call.id);
    const auto index = static_cast<std::size_t>(rank);
    in_place_[index] = nullptr;
    if (note.window >= 0) {
      const Window& window = windows_.at(static_cast<std::size_t>(note.window));
      in_place_[index] = window.segments[index] + note.offset;
    }
    all_in_place = all_in_place && note.window >= 0;
  }
  // With several nodes all must use the same pieces, whichever memory each of them uses.
  if (all_in_place && links_ == nullptr) {
    call.slice_elements = std::max<std::size_t>(1, call.largest_share());
    call.pieces = 1;
  }
}

CollectiveTimes SharedCollectives::run(Call& call) {
  if (call.bytes() == 0) {
    return {};
  }
  const auto start = Clock::now();
  const auto places =
      call.kind == Kind::kFetch ? std::size_t{1} : static_cast<std::size_t>(call.owners);
  const std::size_t slice_bytes = options_.staging_bytes / places / kCacheLine * kCacheLine;
  call.slice_elements = slice_bytes / call.element_bytes;
  DLBENCH_CHECK(call.slice_elements > 0) << call.owners << " owners share too small a staging area";
  call.pieces = (call.largest_share() + call.slice_elements - 1) / call.slice_elements;
  leave_note(call);
  copy_in(call, 0);
  const auto staged = Clock::now();
  const bool last_of_node = barrier_->wait(call.id);
  const auto met = Clock::now();
  const bool in_lane = links_ != nullptr && memory_.rank() < call.owners;
  double other_nodes_s = 0.0;
  if (in_lane) {
    links_->lane_barrier();
    other_nodes_s = seconds(Clock::now() - met);
  }
  if (in_lane && memory_.rank() == 0) {
    *other_nodes_s_ = other_nodes_s;
  }
  read_notes(call);
  for (std::size_t piece = 0; piece < call.pieces; ++piece) {
    if (piece > 0) {
      copy_in(call, piece);
      barrier_->wait(call.id);
    }
    work(call, piece);
    barrier_->wait(call.id);
    copy_out(call, piece);
  }
  const auto done = Clock::now();
  if (links_ != nullptr && !in_lane) {
    // This rank waited at the next barrier, for the ranks of its node that are in a lane.
    other_nodes_s = std::min(*other_nodes_s_, seconds(done - met));
  }
  const double node_s = seconds(met - staged);
  return {.waiting_s = node_s + other_nodes_s,
          .transfer_s = seconds(staged - start) + seconds(done - met) - other_nodes_s,
          .ahead_s = (last_of_node ? 0.0 : node_s) + other_nodes_s};
}

CollectiveTimes SharedCollectives::run_small(Call& call) {
  if (call.bytes() == 0) {
    return {};
  }
  const auto start = Clock::now();
  const std::size_t slot = small_calls_++ % 2 * kSmallSlot;
  const auto self = static_cast<std::size_t>(memory_.rank());
  std::memcpy(small_[self] + slot, call.request.data, call.bytes());
  barrier_->leave({.operation = call.fingerprint()});
  const auto staged = Clock::now();
  const bool last = barrier_->wait(call.id);
  const auto arrived = Clock::now();
  for (std::size_t rank = 0; rank < small_.size(); ++rank) {
    static_cast<void>(barrier_->note(static_cast<int>(rank), call.id));
    sources_[rank] = small_[rank] + slot;
  }
  targets_[0] = call.request.data;
  reduce_elements(
      sources_, {targets_.data(), 1}, call.request.count, call.request.dtype, call.request.op);
  return {.waiting_s = seconds(arrived - staged),
          .transfer_s = seconds(staged - start) + seconds(Clock::now() - arrived),
          .ahead_s = last ? 0.0 : seconds(arrived - staged)};
}

void SharedCollectives::copy_in(const Call& call, std::size_t piece) {
  const int self = memory_.rank();
  if (in_place_[static_cast<std::size_t>(self)] != nullptr) {
    return;
  }
  for (int owner = 0; owner < call.owners; ++owner) {
    const Slice part = slice(call, owner, piece);
    if (part.count > 0 && (call.kind != Kind::kFetch || owner == self)) {
      std::memcpy(address(call, self, owner, piece),
                  call.request.data + part.begin * call.element_bytes,
                  part.count * call.element_bytes);
    }
  }
}

void SharedCollectives::work(const Call& call, std::size_t piece) {
  if (call.kind == Kind::kFetch) {
    fetch_slices(call, piece);
  } else if (memory_.rank() < call.owners) {
    reduce_slice(call, piece);
  }
}

void SharedCollectives::reduce_slice(const Call& call, std::size_t piece) {
  const int self = memory_.rank();
  const Slice part = slice(call, self, piece);
  if (part.count == 0) {
    return;
  }
  for (int rank = 0; rank < memory_.size(); ++rank) {
    std::byte* place = address(call, rank, self, piece);
    sources_[static_cast<std::size_t>(rank)] = place;
    targets_[static_cast<std::size_t>(rank)] = place;
  }
  std::byte* own = targets_[static_cast<std::size_t>(self)];
  if (call.kind == Kind::kReduceScatter) {
    own = call.request.data + part.begin * call.element_bytes;
  }
  const bool everywhere = call.kind == Kind::kAllReduce && links_ == nullptr;
  const std::span<std::byte* const> targets =
      everywhere ? std::span<std::byte* const>(targets_) : std::span<std::byte* const>(&own, 1);
  reduce_elements(sources_, targets, part.count, call.request.dtype, call.request.op);
  if (links_ == nullptr) {
    return;
  }
  links_->lane_all_reduce(
      {.data = own, .count = part.count, .dtype = call.request.dtype, .op = call.request.op});
  for (std::byte* target : targets_) {
    if (target != own) {
      std::memcpy(target, own, part.count * call.element_bytes);
    }
  }
}

void SharedCollectives::fetch_slices(const Call& call, std::size_t piece) {
  const int self = memory_.rank();
  for (int step = 1; step < call.owners; ++step) {
    // Ranks begin with different owners, so that they do not all read the same memory at once.
    const int owner = (self + step) % call.owners;
    const Slice part = slice(call, owner, piece);
    const std::size_t begin = std::max(part.begin, call.wanted_begin);
    const std::size_t end = std::min(part.begin + part.count, call.wanted_end);
    if (begin < end) {
      std::memcpy(call.request.data + begin * call.element_bytes,
                  address(call, owner, owner, piece) + (begin - part.begin) * call.element_bytes,
                  (end - begin) * call.element_bytes);
    }
  }
}

void SharedCollectives::copy_out(const Call& call, std::size_t piece) {
  const int self = memory_.rank();
  if (call.kind != Kind::kAllReduce || in_place_[static_cast<std::size_t>(self)] != nullptr) {
    return;
  }
  for (int owner = 0; owner < call.owners; ++owner) {
    const Slice part = slice(call, owner, piece);
    if (part.count > 0) {
      std::memcpy(call.request.data + part.begin * call.element_bytes,
                  address(call, self, owner, piece),
                  part.count * call.element_bytes);
    }
  }
}

CollectiveTimes SharedCollectives::all_reduce(const ReduceRequest& request, std::int64_t number) {
  Call call{.id = {"all_reduce", number},
            .kind = Kind::kAllReduce,
            .request = request,
            .element_bytes = core::size_of(request.dtype),
            .owners = links_ == nullptr ? memory_.size() : links_->lanes()};
  const std::size_t bytes = call.bytes();
  // If ranks have cores of their own, a second barrier is cheaper than reading all slots.
  const bool small = links_ == nullptr && options_.spins == 0 && bytes <= kSmallSlot &&
                     bytes * sources_.size() <= kSmallTotal;
  return small ? run_small(call) : run(call);
}

CollectiveTimes SharedCollectives::reduce_scatter(const ReduceRequest& request,
                                                  std::int64_t number) {
  DLBENCH_CHECK(links_ == nullptr) << "one node only";
  Call call{.id = {"reduce_scatter", number},
            .kind = Kind::kReduceScatter,
            .request = request,
            .element_bytes = core::size_of(request.dtype),
            .owners = memory_.size()};
  return run(call);
}

CollectiveTimes SharedCollectives::all_gather(std::byte* data,
                                              std::size_t count,
                                              core::DType dtype,
                                              std::int64_t number) {
  DLBENCH_CHECK(links_ == nullptr) << "one node only";
  Call call{.id = {"all_gather", number},
            .kind = Kind::kFetch,
            .request = {.data = data, .count = count, .dtype = dtype},
            .element_bytes = core::size_of(dtype),
            .owners = memory_.size()};
  return run(call);
}

CollectiveTimes SharedCollectives::broadcast(std::byte* data,
                                             std::size_t bytes,
                                             int root,
                                             std::int64_t number) {
  DLBENCH_CHECK(links_ == nullptr) << "one node only";
  Call call{.id = {"broadcast", number},
            .kind = Kind::kFetch,
            .request = {.data = data, .count = bytes, .dtype = core::DType::kU8},
            .element_bytes = 1,
            .owners = memory_.size(),
            .root = root};
  return run(call);
}

CollectiveTimes SharedCollectives::reduce(const ReduceRequest& request,
                                          int root,
                                          std::int64_t number) {
  DLBENCH_CHECK(links_ == nullptr) << "one node only";
  // A reduce-scatter in which one rank owns everything.
  Call call{.id = {"reduce", number},
            .kind = Kind::kReduceScatter,
            .request = request,
            .element_bytes = core::size_of(request.dtype),
            .owners = memory_.size(),
            .root = root};
  return run(call);
}

CollectiveTimes SharedCollectives::scatter(std::byte* data,
                                           std::span<const std::size_t> bounds,
                                           int root,
                                           std::int64_t number) {
  DLBENCH_CHECK(links_ == nullptr) << "one node only";
  const auto self = static_cast<std::size_t>(memory_.rank());
  // A broadcast of which each rank fetches only its part.
  Call call{.id = {"scatter", number},
            .kind = Kind::kFetch,
            .request = {.data = data, .count = bounds.back(), .dtype = core::DType::kU8},
            .element_bytes = 1,
            .owners = memory_.size(),
            .root = root,
            .wanted_begin = bounds[self],
            .wanted_end = bounds[self + 1]};
  return run(call);
}

CollectiveTimes SharedCollectives::gather(std::byte* data,
                                          std::span<const std::size_t> bounds,
                                          int root,
                                          std::int64_t number) {
  DLBENCH_CHECK(links_ == nullptr) << "one node only";
  // An all-gather in which only the root fetches the parts.
  Call call{.id = {"gather", number},
            .kind = Kind::kFetch,
            .request = {.data = data, .count = bounds.back(), .dtype = core::DType::kU8},
            .element_bytes = 1,
            .owners = memory_.size(),
            .bounds = bounds,
            .wanted_end = memory_.rank() == root ? bounds.back() : 0};
  return run(call);
}

}  // namespace dlbench::comm
