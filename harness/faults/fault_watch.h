// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A rank's part in finding faults: it shows its signs of life on the node's board, tells of its own
// failure, and ends when another rank has failed. With one rank nothing of this runs.
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

  /// Before the ranks meet, and before this process has a second thread: starts the sentinel where
  /// this may be the first rank of its node.
  void prepare(const launchers::LaunchEnvironment& launch);
  /// Takes a seat on the node's board; from then on the rank is watched. If a node can have no
  /// board, no rank is, and rank 0 warns. Collective.
  void join(comm::Rendezvous& ranks);
  /// The rank ends as it should.
  void leave();

  /// The report is on the disk, there for a sentinel to name a fault in.
  void report_is_at(const std::string& path);
  /// Before a loss that is not finite is declared: gives other ranks of the node the time to look
  /// at their losses of earlier steps, for the fault is of the rank whose loss was the first.
  void await_earlier_losses() const;
  /// Tells the others of this rank's failure. Returns the fault that ends the launch: this one, or
  /// an earlier one of which it is a consequence.
  Fault declare(const Fault& own);
  /// Rank 0: the report names the fault.
  void conclude();
  /// Others: gives rank 0 a few seconds to write and announce it.
  void await_rank_0() const;
  /// Calls `tell`, which tells the user, unless another rank has done so or is at it.
  void announce(const std::function<void()>& tell);

 private:
  void forget_board();
  /// The name of the board of this rank's node; empty if it has none. Collective.
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

/// That of this process, which is one rank.
[[nodiscard]] FaultWatch& fault_watch();

/// A text that one rank says for all: "[rank 2] ..." unless it is rank 0.
[[nodiscard]] std::string said_by(int rank, const std::string& text);

/// The failure of this rank as the others shall hear of it.
[[nodiscard]] Fault own_fault(const comm::Rendezvous& ranks,
                              core::ErrorCode code,
                              const std::string& detail);

/// Tells the others of this rank's failure, as FaultWatch::declare() does: before it is thrown,
/// where destructors will wait for a device and the failure would be found on another rank first.
/// A NonFiniteLoss waits for the earlier losses of others.
void declare_failure(const comm::Rendezvous& ranks, const core::Error& failure);

}  // namespace dlbench::harness
