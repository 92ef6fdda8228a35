// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory in which the ranks of one node and their sentinel tell each other how they are: a seat
// per rank, and the first fault. Whoever dies leaves its seat as it was.
#pragma once

#include "engine/comm/rank_progress.h"
#include "engine/core/file_descriptor.h"
#include "harness/faults/fault.h"
#include "harness/faults/node_link.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace dlbench::harness {

enum class SeatState : std::uint32_t {
  kFree,
  kRunning,
  kFailed,  ///< has told of its failure and is about to end
  kLeft,    ///< ended as it should
};

/// One rank.
struct BoardSeat {
  comm::RankProgress progress;
  std::atomic<std::int64_t> pid;
  std::atomic<std::uint64_t> temporary_token;  ///< core::temporary_token() of the rank
  std::atomic<std::int32_t> rank;
  std::atomic<std::int32_t> lifeline;  ///< its descriptor in the rank's process
  std::atomic<SeatState> state;
};

/// A mapping of the board; the memory lives as long as anybody maps it. Any thread, any process.
class StatusBoard {
 public:
  static constexpr int kSeats = 1024;  ///< ranks of one node at most

  /// Makes a board, all zero, that other processes open by its name until unlink(). Until then its
  /// maker holds a lock (flock) on it: boards of this user without one were left by processes that
  /// were killed, and are removed. Throws core::Error(kUnavailable).
  [[nodiscard]] static std::unique_ptr<StatusBoard> create();
  /// Opens a board that a process of this user made. Throws core::Error(kUnavailable).
  [[nodiscard]] static std::unique_ptr<StatusBoard> open(const std::string& name);
  StatusBoard(const StatusBoard&) = delete;
  StatusBoard& operator=(const StatusBoard&) = delete;
  ~StatusBoard();
  /// The maker's, before unlink(): no other board of this machine has it, in whatever container,
  /// where process numbers are equal. One word; empty otherwise.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Takes away its name; mappings stay.
  void unlink();

  [[nodiscard]] BoardSeat& seat(int index) const;
  /// Whether a rank of this node has not yet looked at the loss of a step before the one whose loss
  /// the rank of seat `index` looks at.
  [[nodiscard]] bool earlier_loss_unseen(int index) const;

  // Set once by the first rank of the node, then by nobody:
  void describe_node(const NodeFacts& facts);
  [[nodiscard]] std::optional<NodeFacts> node() const;
  /// Where the sentinels of the other nodes find that of rank 0's; empty before. Set once.
  void set_meeting_place(const std::string& place);
  [[nodiscard]] std::string meeting_place() const;

  /// Other nodes that are linked with this one.
  void set_linked(int nodes);
  [[nodiscard]] int linked() const;

  /// The report that is on the disk, once it is there; empty before. Set once.
  void set_report(const std::string& path);
  [[nodiscard]] std::string report() const;

  /// Puts the fault up, with the time, unless one is there already; the one that counts.
  Fault post(const Fault& fault);
  [[nodiscard]] std::optional<Fault> fault() const;

  /// Rank 0 has named the fault in the report.
  void conclude();
  [[nodiscard]] bool concluded() const;
  /// True for the first who asks: it tells the user, then says so.
  [[nodiscard]] bool may_announce();
  void set_announced();
  [[nodiscard]] bool announced() const;

 private:
  struct Layout;
  static void* map(const core::FileDescriptor& file);
  StatusBoard(Layout* layout, std::string name, core::FileDescriptor lock)
      : layout_(layout), name_(std::move(name)), lock_(std::move(lock)) {}

  Layout* layout_;
  std::string name_;           ///< empty once unlinked, and for those who opened it
  core::FileDescriptor lock_;  ///< none in the same cases
};

}  // namespace dlbench::harness
