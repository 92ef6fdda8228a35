// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/rank_progress.h"

#include <mutex>

namespace dlbench::comm {
namespace {

std::atomic<RankProgress*>& current() noexcept {
  static RankProgress unpublished;
  static std::atomic<RankProgress*> pointer = &unpublished;
  return pointer;
}

/// Why the launch ended. `ended` is set last, once.
struct LaunchEnd {
  std::atomic<bool> ended{false};
  std::mutex mutex;
  core::ErrorCode code = core::ErrorCode::kRun;
  std::string why;
};

LaunchEnd& launch_end() {
  static LaunchEnd end;
  return end;
}

}  // namespace

RankProgress& own_progress() noexcept { return *current().load(std::memory_order_relaxed); }

void publish_progress(RankProgress& shared) noexcept { current().store(&shared); }

void enter_phase(std::string_view phase) noexcept {
  RankProgress& own = own_progress();
  own.phase.store(phase);
  beat(own);
}

void step_done(double wall_s) noexcept {
  RankProgress& own = own_progress();
  own.steps.store(own.steps.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const auto wall_ns = static_cast<std::int64_t>(wall_s * 1e9);
  if (wall_ns > own.longest_step_ns.load(std::memory_order_relaxed)) {
    own.longest_step_ns.store(wall_ns, std::memory_order_relaxed);
  }
  beat(own);
}

// Stores 0 if no loss is unseen, otherwise the number of the first unseen one, counted from 1.
void losses_seen(std::int64_t seen, std::int64_t started) noexcept {
  own_progress().unseen_loss.store(seen < started ? seen + 1 : 0, std::memory_order_relaxed);
}

InCollective::InCollective(std::string_view name, std::int64_t number) noexcept
    : own_(own_progress()) {
  own_.collective.store(name);
  own_.collectives.store(number + 1, std::memory_order_relaxed);
  own_.in_collective.store(1, std::memory_order_relaxed);
}

InCollective::~InCollective() {
  own_.in_collective.store(0, std::memory_order_relaxed);
  own_.collective_beats.store(own_.collective_beats.load(std::memory_order_relaxed) + 1,
                              std::memory_order_relaxed);
}

AwaitingMessage::AwaitingMessage(std::string_view what) noexcept : own_(own_progress()) {
  own_.message.store(what);
  own_.awaits_message.store(1, std::memory_order_relaxed);
}

AwaitingMessage::~AwaitingMessage() {
  own_.awaits_message.store(0, std::memory_order_relaxed);
  beat(own_);
}

AwaitingDevice::AwaitingDevice() noexcept : own_(own_progress()) {
  own_.awaits_device.store(1, std::memory_order_relaxed);
}

AwaitingDevice::~AwaitingDevice() { own_.awaits_device.store(0, std::memory_order_relaxed); }

FirstStep::FirstStep() noexcept { own_progress().first_step.store(1, std::memory_order_relaxed); }

FirstStep::~FirstStep() {
  own_progress().first_step.store(0, std::memory_order_relaxed);
  beat(own_progress());
}

Stepping::Stepping() noexcept { own_progress().stepping.store(1, std::memory_order_relaxed); }

Stepping::~Stepping() {
  own_progress().stepping.store(0, std::memory_order_relaxed);
  beat(own_progress());
}

void end_waits(core::ErrorCode code, const std::string& why) {
  LaunchEnd& end = launch_end();
  const std::scoped_lock lock(end.mutex);
  if (!end.ended.load(std::memory_order_relaxed)) {
    end.code = code;
    end.why = why;
    end.ended.store(true, std::memory_order_release);
  }
}

void check_launch() {
  const LaunchEnd& end = launch_end();
  if (end.ended.load(std::memory_order_acquire)) [[unlikely]] {
    throw core::Error(end.code, end.why);
  }
}

}  // namespace dlbench::comm
