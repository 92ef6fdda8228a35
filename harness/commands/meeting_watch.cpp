// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/meeting_watch.h"

#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "launchers/launch_environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace dlbench::harness {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds kUnusual{30.0};
constexpr Seconds kLater{0.5};
constexpr double kFarAway = 1e9;  // decades; nanoseconds of much more overflow

}  // namespace

MeetingWatch::MeetingWatch(std::optional<double> timeout_s) {
  const launchers::LaunchEnvironment launch = launchers::detect_launch(core::environment());
  const int ranks = launch.announced_ranks.value_or(1);
  if (ranks > 1) {
    thread_ = std::thread([this, timeout_s, ranks, rank = launch.rank.value_or(0)] {
      watch(timeout_s, ranks, rank);
    });
  }
}

MeetingWatch::~MeetingWatch() { met(); }

void MeetingWatch::met() {
  if (thread_.joinable()) {
    {
      const std::scoped_lock lock(mutex_);
      met_ = true;
    }
    met_changed_.notify_all();
    thread_.join();
  }
}

void MeetingWatch::watch(std::optional<double> timeout_s, int ranks, int rank) {
  const double given_s = std::min(timeout_s.value_or(kFarAway), kFarAway);
  // The first rank to end reports it, and the launcher ends the others; but rank 0 may be the one
  // that does not come.
  const Seconds limit{given_s + (rank == 0 ? 0.0 : kLater.count())};
  std::unique_lock lock(mutex_);
  const auto have_met = [this] { return met_; };
  if (limit > kUnusual) {
    if (met_changed_.wait_for(lock, kUnusual, have_met)) {
      return;
    }
    if (rank <= 1) {  // either may be the one that does not come
      core::log::warn(
          fmt::format("still waiting for all {} ranks of the launch: is one of them another "
                      "program, or stopped?",
                      ranks));
    }
  }
  if (met_changed_.wait_for(lock, limit > kUnusual ? limit - kUnusual : limit, have_met)) {
    return;
  }
  core::log::error(
      fmt::format("the {} ranks of the launch have not met within --timeout ({:g} s): is one of "
                  "them another program, stopped or dead? nothing was measured",
                  ranks,
                  given_s));
  _exit(core::exit_code(core::ErrorCode::kTimeout));
}

}  // namespace dlbench::harness
