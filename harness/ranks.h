// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The ranks of this launch, joined once before a parallel command begins.
#pragma once

#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"

#include <functional>
#include <memory>
#include <string>

namespace dlbench::harness {

/// A launch whose ranks did not find each other: no rank can speak for the others.
class BrokenLaunch : public core::Error {
 public:
  explicit BrokenLaunch(const std::string& message)
      : core::Error(core::ErrorCode::kUnavailable, message) {}
};

/// Finds out how this process was started, loads the MPI plug-in that fits the launcher and joins
/// the other ranks; without a launcher, returns a lone rank. Throws BrokenLaunch if more processes
/// were started than found each other, or if there is no plug-in for their MPI.
[[nodiscard]] std::unique_ptr<comm::Rendezvous> join_launch();

/// Returns the rank number from the launcher, before joining; 0 without a launcher.
[[nodiscard]] int announced_rank();

/// Whether the launcher announces several ranks.
[[nodiscard]] bool of_several_ranks();

/// Runs `work` on every rank, for what may fail on some ranks only: opening files, reserving
/// memory. If it throws core::Error on any rank, all ranks throw the error of the lowest such rank,
/// so that none waits for a rank that is gone. Collective.
void together(comm::Rendezvous& ranks, const std::function<void()>& work);

}  // namespace dlbench::harness
