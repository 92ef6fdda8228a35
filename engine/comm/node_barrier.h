// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Synchronisation of the ranks of one node: a barrier on a futex in shared memory, notes that each
// rank leaves for the others, and signs of life.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dlbench::comm {

/// Identifies a call of a communicator in messages: {"all_reduce", 17}.
struct CollectiveId {
  std::string_view name;
  std::int64_t number = 0;
};

/// What a rank tells the others before it arrives at a barrier.
struct ArrivalNote {
  std::uint64_t operation = 0;  ///< must be the same on all ranks: a fingerprint of the call
  std::int64_t window = -1;     ///< index of the window with its data; -1: in no window
  std::uint64_t offset = 0;     ///< of the data in that window, in bytes
};

/// The barrier of the ranks of one node, as seen by one of them. One thread at a time, except
/// beat() and give_up(). Threads of one process may act as ranks.
class NodeBarrier {
 public:
  struct Options {
    int rank = 0;                  ///< index on this node
    std::vector<int> world_ranks;  ///< by index: the rank numbers used in messages
    double timeout_s = 0.0;
    /// How often to poll before sleeping, a few tens of nanoseconds each. Above zero only if each
    /// rank has a core of its own.
    int spins = 0;
  };

  /// The size in bytes of `memory` for this many ranks. Its initial state is all zero.
  [[nodiscard]] static std::size_t bytes(int ranks);

  /// `memory`: shared by all ranks, 64-byte aligned, must outlive this object.
  NodeBarrier(std::byte* memory, Options options);
  NodeBarrier(const NodeBarrier&) = delete;
  NodeBarrier& operator=(const NodeBarrier&) = delete;
  /// Tells ranks that still wait that this rank has left.
  ~NodeBarrier();

  /// Waits until all ranks of the node have called it equally often; returns whether this one came
  /// last. What the ranks wrote before is then visible to all.
  /// Throws core::Error(kRun) if a missing rank is gone, kTimeout after the time-out; both name the
  /// ranks. After end_waits() (rank_progress.h) it throws that error.
  bool wait(const CollectiveId& call);

  /// Leaves a note for the others, who may read it between their next wait() and the one after.
  void leave(const ArrivalNote& note);
  /// The note that rank `index` left before the last wait(). Throws core::Error(kRun) if its
  /// operation differs from this rank's: the ranks are then in different collectives.
  [[nodiscard]] ArrivalNote note(int index, const CollectiveId& call) const;

  /// Gives a sign of life, from any thread; about twice a second is enough.
  void beat();

  /// Called from another thread when this rank gives up: its current or later wait() throws
  /// core::Error(kRun) unless all ranks have come.
  void give_up();

  [[nodiscard]] int rank() const { return options_.rank; }
  [[nodiscard]] int size() const { return static_cast<int>(options_.world_ranks.size()); }

 private:
  struct Shared;
  struct Seat;

  [[nodiscard]] Seat& seat(int index) const;
  void release(std::uint32_t generation);
  void sleep(std::uint32_t generation, const CollectiveId& call);
  void check_missing(const CollectiveId& call,
                     double waited_s,
                     std::optional<double>& gone_s) const;

  Options options_;
  Shared* shared_;
  std::uint32_t arrivals_ = 0;  ///< of this rank so far
  std::atomic<bool> gave_up_ = false;
};

}  // namespace dlbench::comm
