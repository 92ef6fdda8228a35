// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Shared memory in which the ranks of one node and their sentinel exchange their state: one seat
// per rank, and the first fault. The seat of a rank that dies keeps its last state.
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
  kFailed,  ///< has reported its failure and is about to end
  kLeft,    ///< ended normally
};

/// The state of one rank.
struct BoardSeat {
  comm::RankProgress progress;
  std::atomic<std::int64_t> pid;
  std::atomic<std::uint64_t> temporary_token;  ///< core::temporary_token() of the rank
  std::atomic<std::int32_t> rank;
  std::atomic<std::int32_t> lifeline;  ///< its descriptor in the rank's process
  std::atomic<SeatState> state;
};

/// A mapping of the board, whose memory lives as long as anyone maps it. Any thread, any process.
class StatusBoard {
 public:
  static constexpr int kSeats = 1024;  ///< ranks of one node at most

  /// Makes a board, all zero, that other processes can open by its name until unlink(). Until then
  /// its maker holds a lock (flock) on it: boards of this user without a lock were left by killed
  /// processes and are removed. Throws core::Error(kUnavailable).
  [[nodiscard]] static std::unique_ptr<StatusBoard> create();
  /// Opens a board made by another process of this user. Throws core::Error(kUnavailable).
  [[nodiscard]] static std::unique_ptr<StatusBoard> open(const std::string& name);
  StatusBoard(const StatusBoard&) = delete;
  StatusBoard& operator=(const StatusBoard&) = delete;
  ~StatusBoard();
  /// Returns the maker's name for the board, before unlink(); empty otherwise. One word, unique on
  /// this machine even across containers, where process numbers may be equal.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Removes the name; mappings stay.
  void unlink();

  [[nodiscard]] BoardSeat& seat(int index) const;
  /// Whether a running rank of this node has not yet checked the loss of a step earlier than the
  /// one whose loss the rank of seat `index` is checking.
  [[nodiscard]] bool earlier_loss_unseen(int index) const;

  // Set once, by the first rank of the node:
  void describe_node(const NodeFacts& facts);
  [[nodiscard]] std::optional<NodeFacts> node() const;
  /// Where the other nodes' sentinels find that of rank 0's node; empty before. Set once.
  void set_meeting_place(const std::string& place);
  [[nodiscard]] std::string meeting_place() const;

  /// Number of other nodes connected with this one.
  void set_linked(int nodes);
  [[nodiscard]] int linked() const;

  /// The path of the report once it is on disk; empty before. Set once.
  void set_report(const std::string& path);
  [[nodiscard]] std::string report() const;

  /// Posts the fault with the time, unless there is one already. Returns the one that counts.
  Fault post(const Fault& fault);
  [[nodiscard]] std::optional<Fault> fault() const;

  /// Records that rank 0 has named the fault in the report.
  void conclude();
  [[nodiscard]] bool concluded() const;
  /// True for the first caller, who informs the user and then calls set_announced().
  [[nodiscard]] bool may_announce();
  void set_announced();
  [[nodiscard]] bool announced() const;

 private:
  struct Layout;
  static void* map(const core::FileDescriptor& file);
  StatusBoard(Layout* layout, std::string name, core::FileDescriptor lock)
      : layout_(layout), name_(std::move(name)), lock_(std::move(lock)) {}

  Layout* layout_;
  std::string name_;           ///< empty once unlinked, and in processes that opened the board
  core::FileDescriptor lock_;  ///< likewise none
};

}  // namespace dlbench::harness
