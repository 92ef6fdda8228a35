// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A rank's part in fault detection: it posts signs of life on the node's board, reports its own
// failure, and ends when another rank has failed. Inactive with one rank.
#pragma once

#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"
#include "harness/faults/fault.h"
#include "harness/faults/lifeline.h"
#include "harness/faults/sentinel.h"
#include "harness/faults/status_board.h"
#include "launchers/launch_environment.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace dlbench::harness {

class FaultWatch {
 public:
  FaultWatch() = default;
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;
  ~FaultWatch();

  /// Call before the ranks meet and before this process has a second thread: starts the sentinel if
  /// this may be the first rank of its node.
  void prepare(const launchers::LaunchEnvironment& launch);
  /// Takes a seat on the node's board; from then on the rank is watched. If any node cannot have a
  /// board, no rank is watched, and rank 0 warns. Collective.
  void join(comm::Rendezvous& ranks);
  /// Ends the watch of a rank that ends normally.
  void leave();

  /// Announces that the report is on disk, so that a sentinel can name a fault in it.
  void report_is_at(const std::string& path);
  /// Call before declaring a non-finite loss: gives other ranks of the node time to check their
  /// losses of earlier steps, because the fault belongs to the rank whose loss was the first.
  void await_earlier_losses() const;
  /// Reports this rank's failure to the others. Returns the fault that ends the launch: this one,
  /// or an earlier one that caused it.
  Fault declare(const Fault& own);
  /// Records that rank 0 has named the fault in the report.
  void conclude();
  /// On other ranks, gives rank 0 a few seconds to write and announce the fault.
  void await_rank_0() const;
  /// Calls `tell`, which informs the user, unless another rank has done so or is doing so.
  void announce(const std::function<void()>& tell);

 private:
  void forget_board();
  /// Returns the name of the board of this rank's node; empty if it has none. Collective.
  [[nodiscard]] std::string find_board(comm::Rendezvous& ranks) const;
  void take_seat(const comm::Rendezvous& ranks, const std::string& board);
  void link_nodes(comm::Rendezvous& ranks, int nodes);
  void watch(const std::stop_token& stop) const;

  std::unique_ptr<StatusBoard> board_;  ///< nullptr: not watched
  std::unique_ptr<Lifeline> lifeline_;
  int seat_ = 0;
  bool misconfigured_ = false;  ///< prepare() threw
  int rank_ = 0;
  std::optional<StartedSentinel> sentinel_;
  std::jthread thread_;  // last: it uses all of the above
};

/// Returns the watch of this process, which is one rank.
[[nodiscard]] FaultWatch& fault_watch();

/// Prefixes a text that one rank says for all: "[rank 2] ..." unless it is rank 0.
[[nodiscard]] std::string said_by(int rank, const std::string& text);

/// Describes this rank's failure for the other ranks.
[[nodiscard]] Fault own_fault(const comm::Rendezvous& ranks,
                              core::ErrorCode code,
                              const std::string& detail);

/// Declares this rank's failure as FaultWatch::declare() does. Call it before throwing where
/// destructors will wait for a device, since another rank would otherwise be blamed first. A
/// NonFiniteLoss first awaits the earlier losses of other ranks.
void declare_failure(const comm::Rendezvous& ranks, const core::Error& failure);

}  // namespace dlbench::harness
