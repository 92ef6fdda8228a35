// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The ranks of this launch: joined once, before a command that works in parallel begins.
#pragma once

#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"

#include <functional>
#include <memory>
#include <string>

namespace dlbench::harness {

/// A launch whose ranks did not find each other: what one says no other can be trusted to say.
class BrokenLaunch : public core::Error {
 public:
  explicit BrokenLaunch(const std::string& message)
      : core::Error(core::ErrorCode::kUnavailable, message) {}
};

/// Finds out how this process was started, loads the MPI plug-in that fits the launcher and joins
/// the other ranks; the lone rank without a launcher. Throws BrokenLaunch: more processes started
/// than found each other, or no plug-in for their MPI.
[[nodiscard]] std::unique_ptr<comm::Rendezvous> join_launch();

/// The number the launcher gave this process, before anything was joined; 0 without a launcher.
[[nodiscard]] int announced_rank();

/// Whether the launcher says that there are others.
[[nodiscard]] bool of_several_ranks();

/// Runs `work` on every rank, for what may fail on one rank alone: opening files, reserving memory.
/// If it throws core::Error on any rank, all ranks throw the error of the lowest one of them, so
/// that none waits for a rank that is gone. Collective.
void together(comm::Rendezvous& ranks, const std::function<void()>& work);

}  // namespace dlbench::harness
