// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the ranks of one node meet: a barrier on a futex in memory they share, notes that each
// leaves for the others, and signs of life.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dlbench::comm {

/// Which call of a communicator this is, for messages: {"all_reduce", 17}.
struct CollectiveId {
  std::string_view name;
  std::int64_t number = 0;
};

/// What a rank tells the others before it arrives at a barrier.
struct ArrivalNote {
  std::uint64_t operation = 0;  ///< must be the same on all ranks: a fingerprint of the call
  std::int64_t window = -1;     ///< of its data, or -1: elsewhere
  std::uint64_t offset = 0;     ///< in that window
};

/// The ranks of one node, as one of them sees it. All calls are made by one thread at a time, but
/// for beat() and give_up(). Threads of one process may play the ranks.
class NodeBarrier {
 public:
  struct Options {
    int rank = 0;                  ///< index on this node
    std::vector<int> world_ranks;  ///< by index: what messages call them
    double timeout_s = 0.0;
    /// How often to look before falling asleep, a few tens of nanoseconds each. More than zero only
    /// where each rank has a core.
    int spins = 0;
  };

  /// What `memory` must hold for so many ranks. All bytes zero is the initial state.
  [[nodiscard]] static std::size_t bytes(int ranks);

  /// `memory`: the same for all ranks, aligned to 64, outlives this.
  NodeBarrier(std::byte* memory, Options options);
  NodeBarrier(const NodeBarrier&) = delete;
  NodeBarrier& operator=(const NodeBarrier&) = delete;
  /// Tells those who still wait that this rank left.
  ~NodeBarrier();

  /// Returns when all ranks of the node have called it as often, and whether this one came last.
  /// What they wrote before is then visible.
  /// Throws core::Error(kRun) if a rank that has not come is gone, kTimeout after the time-out;
  /// both name the ranks. After end_waits() (rank_progress.h) it throws that error.
  bool wait(const CollectiveId& call);

  /// Leaves a note for the others, who may read it after their next wait() and until the second
  /// next.
  void leave(const ArrivalNote& note);
  /// `index`'s note of before the last wait(). Throws core::Error(kRun) if its operation is not
  /// this rank's: the ranks are then in different collectives.
  [[nodiscard]] ArrivalNote note(int index, const CollectiveId& call) const;

  /// A sign of life, from any thread; about twice a second is often enough.
  void beat();

  /// From another thread, when this rank gives up: its wait(), now or later, throws
  /// core::Error(kRun) unless all have come.
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
  std::uint32_t arrivals_ = 0;  ///< own, so far
  std::atomic<bool> gave_up_ = false;
};

}  // namespace dlbench::comm
