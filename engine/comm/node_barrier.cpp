// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The last rank to arrive advances a generation number on which the others sleep. Futexes work
// between processes, which std::atomic's own wait() does not guarantee.
#include "engine/comm/node_barrier.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <ctime>
#include <string>
#include <utility>

namespace dlbench::comm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kPollInterval =
    0.1;  // s; how long a rank sleeps before it checks the missing ones

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "atomics between processes must not need a lock of one of them");

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, double timeout_s) {
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(timeout_s);
  timeout.tv_nsec = static_cast<long>((timeout_s - static_cast<double>(timeout.tv_sec)) * 1e9);
  // Woken, timed out or interrupted: the caller checks again in any case.
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

bool process_exists(std::int64_t pid) {
  return kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH;
}

std::string text(const CollectiveId& call) {
  return fmt::format("{} (collective {})", call.name, call.number);
}

}  // namespace

// The state of one rank, on its own cache lines.
struct alignas(64) NodeBarrier::Seat {
  std::atomic<std::uint32_t> arrivals;
  std::atomic<std::uint32_t> left;
  std::atomic<std::int64_t> pid;
  std::atomic<std::int64_t> beat_ns;
  // Indexed by the parity of the arrival: a fast rank may leave its next note while a slow one
  // still reads the current one.
  alignas(64) std::array<ArrivalNote, 2> notes;
};

struct NodeBarrier::Shared {
  alignas(64) std::atomic<std::uint32_t> present;
  alignas(64) std::atomic<std::uint32_t> generation;
  std::atomic<std::uint32_t> sleepers;
};

std::size_t NodeBarrier::bytes(int ranks) {
  return sizeof(Shared) + static_cast<std::size_t>(ranks) * sizeof(Seat);
}

NodeBarrier::Seat& NodeBarrier::seat(int index) const {
  return reinterpret_cast<Seat*>(shared_ + 1)[index];
}

NodeBarrier::NodeBarrier(std::byte* memory, Options options)
    : options_(std::move(options)), shared_(reinterpret_cast<Shared*>(memory)) {
  DLBENCH_CHECK(options_.rank >= 0 && options_.rank < size()) << options_.rank << " of " << size();
  seat(options_.rank).pid.store(getpid());
  beat();
}

NodeBarrier::~NodeBarrier() {
  seat(options_.rank).left.store(1);
  futex_wake_all(shared_->generation);
}

void NodeBarrier::beat() {
  seat(options_.rank).beat_ns.store(core::steady_ns(), std::memory_order_relaxed);
}

void NodeBarrier::give_up() {
  gave_up_ = true;
  futex_wake_all(shared_->generation);
}

void NodeBarrier::leave(const ArrivalNote& note) {
  seat(options_.rank).notes[arrivals_ % 2] = note;
}

ArrivalNote NodeBarrier::note(int index, const CollectiveId& call) const {
  const std::size_t parity = (arrivals_ + 1) % 2;  // that of the previous arrival
  const ArrivalNote theirs = seat(index).notes[parity];
  if (theirs.operation != seat(options_.rank).notes[parity].operation) {
    throw core::Error(core::ErrorCode::kRun,
                      fmt::format("{}: rank {} is in another collective, or has another number or "
                                  "type of elements in it; all ranks must call the same ones in "
                                  "the same order",
                                  text(call),
                                  options_.world_ranks[static_cast<std::size_t>(index)]));
  }
  return theirs;
}

bool NodeBarrier::wait(const CollectiveId& call) {
  const std::uint32_t generation = shared_->generation.load(std::memory_order_acquire);
  ++arrivals_;
  seat(options_.rank).arrivals.store(arrivals_, std::memory_order_release);
  if (shared_->present.fetch_add(1, std::memory_order_acq_rel) + 1 ==
      static_cast<std::uint32_t>(size())) {
    release(generation);
    return true;
  }
  for (int spin = 0; spin < options_.spins; ++spin) {
    if (shared_->generation.load(std::memory_order_acquire) != generation) {
      return false;
    }
    pause_briefly();
  }
  sleep(generation, call);
  return false;
}

void NodeBarrier::release(std::uint32_t generation) {
  shared_->present.store(0, std::memory_order_relaxed);
  shared_->generation.store(generation + 1, std::memory_order_seq_cst);
  // A rank that adds itself to `sleepers` after this load sees the new generation and stays awake.
  if (shared_->sleepers.load(std::memory_order_seq_cst) > 0) {
    futex_wake_all(shared_->generation);
  }
}

void NodeBarrier::sleep(std::uint32_t generation, const CollectiveId& call) {
  const auto start = Clock::now();
  std::optional<double> gone_s;
  while (shared_->generation.load(std::memory_order_acquire) == generation) {
    shared_->sleepers.fetch_add(1, std::memory_order_seq_cst);
    if (shared_->generation.load(std::memory_order_seq_cst) == generation) {
      futex_wait(shared_->generation, generation, kPollInterval);
    }
    shared_->sleepers.fetch_sub(1, std::memory_order_relaxed);
    if (shared_->generation.load(std::memory_order_acquire) == generation) {
      beat();
      check_missing(call, std::chrono::duration<double>(Clock::now() - start).count(), gone_s);
    }
  }
}

void NodeBarrier::check_missing(const CollectiveId& call,
                                double waited_s,
                                std::optional<double>& gone_s) const {
  // A rank that leaves because of a fault reports it right after: that report should end the
  // launch.
  constexpr double kTimeToExplainS = 1.0;
  check_launch();
  std::string missing;
  for (int index = 0; index < size(); ++index) {
    const Seat& other = seat(index);
    // Arrivals wrap around; no rank is ever more than one ahead of another.
    if (other.arrivals.load(std::memory_order_acquire) - arrivals_ < 2) {
      continue;
    }
    const int rank = options_.world_ranks[static_cast<std::size_t>(index)];
    const std::int64_t pid = other.pid.load();
    if (other.left.load() != 0 || (pid != 0 && !process_exists(pid))) {
      gone_s = gone_s.value_or(waited_s);
      if (waited_s - *gone_s < kTimeToExplainS) {
        return;
      }
      throw core::Error(core::ErrorCode::kRun,
                        fmt::format("{}: rank {} (process {}) is gone", text(call), rank, pid));
    }
    missing += fmt::format("{}rank {} (process {}, last sign of life {:.1f} s ago)",
                           missing.empty() ? "" : ", ",
                           rank,
                           pid,
                           static_cast<double>(core::steady_ns() - other.beat_ns.load()) * 1e-9);
  }
  if (gave_up_) {
    throw core::Error(core::ErrorCode::kRun, text(call) + ": given up");
  }
  if (waited_s > options_.timeout_s && !missing.empty()) {
    throw core::Error(
        core::ErrorCode::kTimeout,
        fmt::format("{}: waited {:.1f} s in vain for {}", text(call), waited_s, missing));
  }
}

}  // namespace dlbench::comm
