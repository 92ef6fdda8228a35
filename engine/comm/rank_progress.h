// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a rank publishes about itself while it runs, so that others can tell a working rank from one
// that hangs; and how its waits for other ranks are ended once one of them has failed. The engine
// only stores numbers here, regardless of who reads them and from which process.
#pragma once

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace dlbench::comm {

/// A short text that one thread writes and other processes may read at any time. A reader may see a
/// mixture of two texts, but nothing worse; longer texts are cut.
template <std::size_t Bytes>
class SharedText {
  static_assert(Bytes % sizeof(std::uint64_t) == 0);

 public:
  void store(std::string_view text) noexcept {
    std::array<char, Bytes> bytes{};
    std::memcpy(bytes.data(), text.data(), std::min(text.size(), Bytes - 1));
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
      words_[i].store(word, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] std::string load() const {
    std::array<char, Bytes> bytes{};
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t word = words_[i].load(std::memory_order_relaxed);
      std::memcpy(bytes.data() + i * sizeof word, &word, sizeof word);
    }
    bytes.back() = '\0';
    return bytes.data();
  }

 private:
  std::array<std::atomic<std::uint64_t>, Bytes / sizeof(std::uint64_t)> words_{};
};

/// The signs of life of one rank: relaxed stores, each field written by one thread at a time. Lives
/// in memory that other processes map; all bytes zero is the initial state.
struct alignas(64) RankProgress {
  // Written by the thread that trains.
  std::atomic<std::uint64_t> beats{0};  ///< grows with every step, message and phase
  std::atomic<std::int64_t> steps{0};   ///< of this process so far
  std::atomic<std::int64_t> longest_step_ns{0};
  std::atomic<std::uint32_t> stepping{0};        ///< in a loop of steps of known length
  std::atomic<std::uint32_t> first_step{0};      ///< in a step of unknown length
  std::atomic<std::uint32_t> awaits_message{0};  ///< waits for other ranks' control messages
  std::atomic<std::uint32_t> awaits_device{0};   ///< waits for a device that runs collectives
  std::atomic<std::int64_t> unseen_loss{0};      ///< see losses_seen()
  SharedText<64> phase;
  SharedText<32> message;  ///< the last control message: "barrier of ranks"
  // Written by the thread that communicates.
  alignas(64) std::atomic<std::uint64_t> collective_beats{0};
  std::atomic<std::int64_t> collectives{0};  ///< entered so far: one more than the last's number
  std::atomic<std::uint32_t> in_collective{0};
  SharedText<24> collective;  ///< name of the last one: "all_reduce"
};

/// The progress of this process; in private memory until publish_progress().
[[nodiscard]] RankProgress& own_progress() noexcept;
/// Makes this process write to `shared`, which must outlive it. Call before other threads use it.
void publish_progress(RankProgress& shared) noexcept;

/// Gives a sign of life of the thread that trains.
inline void beat(RankProgress& own) noexcept {
  own.beats.store(own.beats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}
/// Publishes what this rank is doing now.
void enter_phase(std::string_view phase) noexcept;
/// Publishes that a step of `wall_s` seconds is done.
void step_done(double wall_s) noexcept;

/// Publishes that this rank has begun `started` steps of a loop that all ranks run alike, and has
/// checked the losses of the first `seen`. Called before each step and after each check.
void losses_seen(std::int64_t seen, std::int64_t started) noexcept;

/// Marks a scope in which this rank is in collective `number`: it waits for others or moves data.
class InCollective {
 public:
  InCollective(std::string_view name, std::int64_t number) noexcept;
  InCollective(const InCollective&) = delete;
  InCollective& operator=(const InCollective&) = delete;
  ~InCollective();

 private:
  RankProgress& own_;
};

/// Marks a scope in which this rank waits for control messages of others.
class AwaitingMessage {
 public:
  explicit AwaitingMessage(std::string_view what) noexcept;
  AwaitingMessage(const AwaitingMessage&) = delete;
  AwaitingMessage& operator=(const AwaitingMessage&) = delete;
  ~AwaitingMessage();

 private:
  RankProgress& own_;
};

/// Marks a scope in which this rank waits for its device, which runs collectives by itself: for
/// enqueued work, or for room to enqueue more.
class AwaitingDevice {
 public:
  AwaitingDevice() noexcept;
  AwaitingDevice(const AwaitingDevice&) = delete;
  AwaitingDevice& operator=(const AwaitingDevice&) = delete;
  ~AwaitingDevice();

 private:
  RankProgress& own_;
};

/// Marks the first step of a loop: this rank may take any time for it, but its device may not.
class FirstStep {
 public:
  FirstStep() noexcept;
  FirstStep(const FirstStep&) = delete;
  FirstStep& operator=(const FirstStep&) = delete;
  ~FirstStep();
};

/// Marks a scope in which a rank whose `beats` stand still for a few times its longest step counts
/// as hanging; outside of it a rank may take any time.
class Stepping {
 public:
  Stepping() noexcept;
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;
  ~Stepping();
};

/// Called from any thread once the launch has failed: current and later calls that wait for other
/// ranks, and check_launch(), throw core::Error(code, why). Only the first call has an effect.
void end_waits(core::ErrorCode code, const std::string& why);
/// Throws after end_waits(); otherwise costs one load and one branch.
void check_launch();

}  // namespace dlbench::comm
