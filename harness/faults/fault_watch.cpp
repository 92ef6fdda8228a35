// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/fault_watch.h"

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/faults/non_finite_loss.h"
#include "harness/ranks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using std::chrono::milliseconds;

constexpr milliseconds kLookInterval{100};
constexpr milliseconds kRankGrace{3000};      // to unwind, before the process is ended
constexpr milliseconds kRankZeroGrace{2500};  // to write its report
constexpr milliseconds kMeetingTime{5000};    // for the sentinels of all nodes
constexpr milliseconds kLossGrace{1000};      // to look at a loss that is known

/// Sleeps; returns true if asked to stop.
bool sleep_unless(const std::stop_token& stop, milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, time, [] { return false; });
  return stop.stop_requested();
}

HangLimits hang_limits() {
  HangLimits limits;
  if (const char* seconds = std::getenv("DLBENCH_HANG_SECONDS"); seconds != nullptr) {
    char* end = nullptr;
    const double wanted = std::strtod(seconds, &end);
    if (end == seconds || *end != '\0' || !(wanted >= limits.stepping_s) ||
        !std::isfinite(wanted)) {
      throw Error(ErrorCode::kUsage,
                  "DLBENCH_HANG_SECONDS is '" + std::string(seconds) + "', wanted " +
                      std::to_string(std::lround(limits.stepping_s)) + " or more");
    }
    limits.stepping_s = wanted;
    limits.first_step_s = std::max(limits.first_step_s, limits.stepping_s);
    limits.otherwise_s = std::max(limits.otherwise_s, limits.stepping_s);
  }
  return limits;
}

}  // namespace

FaultWatch::~FaultWatch() {
  leave();
  if (board_ != nullptr) {
    board_->unlink();  // the ranks may never have met
  }
  // The communication thread of a rank that ends early may still write to its seat.
  static_cast<void>(board_.release());
}

void FaultWatch::prepare(const launchers::LaunchEnvironment& launch) {
  const bool several = launch.announced_ranks.value_or(2) > 1;
  const bool simulated_nodes = std::getenv("DLBENCH_TEST_RANKS_PER_NODE") != nullptr;
  if (!launch.launched() || !several) {
    return;
  }
  misconfigured_ = true;
  const HangLimits limits = hang_limits();
  misconfigured_ = false;
  if (launch.local_rank.value_or(0) != 0 && !simulated_nodes) {
    return;
  }
  try {
    board_ = StatusBoard::create();
    sentinel_ = start_sentinel(*board_, limits);
  } catch (const Error&) {
    board_.reset();  // join() says so
  }
}

void FaultWatch::join(comm::Rendezvous& ranks) {
  rank_ = ranks.rank();
  const comm::RankPlace& here = ranks.places()[static_cast<std::size_t>(rank_)];
  if (ranks.size() == 1 || here.local_rank != 0) {
    forget_board();
  }
  if (ranks.size() == 1) {
    return;
  }
  const std::string board = find_board(ranks);
  try {
    together(ranks, [&] { take_seat(ranks, board); });
  } catch (const Error& error) {
    if (!misconfigured_) {  // else that ends the launch, and says why
      core::log::warn(std::string("faults of ranks will not be named: ") + error.what());
    }
    forget_board();
    return;
  }
  int nodes = 1;
  for (const comm::RankPlace& place : ranks.places()) {
    nodes = std::max(nodes, place.node + 1);
  }
  if (here.local_rank == 0) {
    board_->unlink();
    board_->describe_node({.host = here.host,
                           .ranks = here.local_size,
                           .first_rank = rank_,
                           .node = here.node,
                           .nodes = nodes});
  }
  if (nodes > 1) {
    link_nodes(ranks, nodes);
  }
  comm::publish_progress(board_->seat(seat_).progress);
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

// The sentinels connect; the ranks only tell them where.
void FaultWatch::link_nodes(comm::Rendezvous& ranks, int nodes) {
  const auto await = [](const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + kMeetingTime;
    while (!done() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(milliseconds(2));
    }
  };
  if (rank_ == 0) {
    await([&] { return !board_->meeting_place().empty(); });
  }
  const std::string place = ranks.broadcast_text(rank_ == 0 ? board_->meeting_place() : "");
  board_->set_meeting_place(place);
  if (rank_ == 0) {
    await([&] { return board_->linked() == nodes - 1; });
    if (board_->linked() < nodes - 1) {
      core::log::warn(fmt::format(
          "{} of {} other nodes reached the sentinel of this one within {} s (TCP, {}); faults of "
          "the rest will not be named: look for a firewall between the nodes",
          board_->linked(),
          nodes - 1,
          std::chrono::duration_cast<std::chrono::seconds>(kMeetingTime).count(),
          describe_meeting_place(place)));
    }
  }
}

void FaultWatch::forget_board() {
  if (sentinel_.has_value()) {
    dismiss_sentinel(*sentinel_);
    sentinel_.reset();
  }
  board_.reset();
}

std::string FaultWatch::find_board(comm::Rendezvous& ranks) const {
  const std::vector<std::string> names =
      ranks.all_gather_text(board_ != nullptr ? board_->name() : "");
  const std::vector<comm::RankPlace>& places = ranks.places();
  const int node = places[static_cast<std::size_t>(rank_)].node;
  const auto first = std::ranges::find_if(places, [node](const comm::RankPlace& place) {
    return place.node == node && place.local_rank == 0;
  });
  return names[static_cast<std::size_t>(first - places.begin())];
}

void FaultWatch::take_seat(const comm::Rendezvous& ranks, const std::string& board) {
  const comm::RankPlace& here = ranks.places()[static_cast<std::size_t>(rank_)];
  if (here.local_size > StatusBoard::kSeats) {
    throw Error(ErrorCode::kUnavailable, "too many ranks on " + here.host);
  }
  if (board.empty()) {
    throw Error(ErrorCode::kUnavailable, "no sentinel on " + here.host);
  }
  if (board_ == nullptr) {
    board_ = StatusBoard::open(board);
  }
  seat_ = here.local_rank;
  lifeline_ = std::make_unique<Lifeline>();
  BoardSeat& seat = board_->seat(seat_);
  seat.lifeline.store(lifeline_->file());
  seat.rank.store(rank_);
  seat.pid.store(getpid());
  seat.temporary_token.store(core::temporary_token());
  seat.state.store(SeatState::kRunning);
}

void FaultWatch::leave() {
  if (board_ == nullptr) {
    return;
  }
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  SeatState running = SeatState::kRunning;
  board_->seat(seat_).state.compare_exchange_strong(running, SeatState::kLeft);
  lifeline_.reset();
  if (sentinel_.has_value() && !board_->fault().has_value()) {
    dismiss_sentinel(*sentinel_);
    sentinel_.reset();
  }
}

void FaultWatch::report_is_at(const std::string& path) {
  if (board_ != nullptr && !core::is_stream(path)) {
    board_->set_report(std::filesystem::absolute(path).string());
  }
}

void FaultWatch::await_earlier_losses() const {
  if (board_ == nullptr) {
    return;
  }
  const auto end = std::chrono::steady_clock::now() + kLossGrace;
  while (board_->earlier_loss_unseen(seat_) && !board_->fault().has_value() &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

Fault FaultWatch::declare(const Fault& own) {
  if (board_ == nullptr) {
    return own;
  }
  Fault first = board_->post(own);
  board_->seat(seat_).state.store(SeatState::kFailed);
  return first;
}

void FaultWatch::conclude() {
  if (board_ != nullptr) {
    board_->conclude();
  }
}

void FaultWatch::await_rank_0() const {
  if (board_ == nullptr) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return;
  }
  const std::optional<Fault> fault = board_->fault();
  if (fault.has_value() && fault->rank == 0 && fault->code == ErrorCode::kTimeout &&
      !fault->told_by_rank && !fault->in_device_wait()) {
    return;  // it hangs
  }
  const auto end = std::chrono::steady_clock::now() + kRankZeroGrace;
  while (!board_->announced() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kLookInterval / 5);
  }
}

void FaultWatch::announce(const std::function<void()>& tell) {
  if (board_ == nullptr) {
    tell();
  } else if (board_->may_announce()) {
    tell();
    board_->set_announced();  // from here on another rank may end the launch
  }
}

// Runs alongside the rank's work, whatever that waits for.
void FaultWatch::watch(const std::stop_token& stop) const {
  while (!sleep_unless(stop, kLookInterval)) {
    const std::optional<Fault> fault = board_->fault();
    if (!fault.has_value()) {
      continue;
    }
    comm::end_waits(fault->code, fault->text());
    if (!sleep_unless(stop, kRankGrace)) {
      board_->seat(seat_).state.store(SeatState::kFailed);
      if (board_->may_announce()) {  // else a code would be all that the user sees
        core::log::error(said_by(rank_, fault->text()));
        board_->set_announced();
      }
      _exit(core::exit_code(fault->code));
    }
    return;
  }
}

std::string said_by(int rank, const std::string& text) {
  return rank == 0 ? text : fmt::format("[rank {}] {}", rank, text);
}

FaultWatch& fault_watch() {
  static FaultWatch watch;
  return watch;
}

Fault own_fault(const comm::Rendezvous& ranks, ErrorCode code, const std::string& detail) {
  Fault fault{.rank = ranks.rank(),
              .host = ranks.places()[static_cast<std::size_t>(ranks.rank())].host};
  fault.detail = detail;
  fault.code = code;
  fault.told_by_rank = true;
  describe_place(comm::own_progress(), fault);
  return fault;
}

void declare_failure(const comm::Rendezvous& ranks, const Error& failure) {
  if (dynamic_cast<const NonFiniteLoss*>(&failure) != nullptr) {
    fault_watch().await_earlier_losses();
  }
  static_cast<void>(fault_watch().declare(own_fault(ranks, failure.code(), failure.what())));
}

}  // namespace dlbench::harness
