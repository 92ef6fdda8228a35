// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a rank says of itself while it runs, so that others can tell a rank that works from one that
// hangs; and how its waits for other ranks are ended once one of them has failed. The engine only
// stores numbers here; who looks at them, and from which process, is not its business.
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

/// A short text that one thread writes and other processes may read at any time. A reader may see
/// a mixture of two texts, never anything else; longer texts are cut.
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

/// The signs of life of one rank: plain relaxed stores, each field by one thread at a time. Lies in
/// memory that other processes map; all bytes zero is the initial state.
struct alignas(64) RankProgress {
  // By the thread that trains.
  std::atomic<std::uint64_t> beats{0};  ///< grows with every step, message and phase
  std::atomic<std::int64_t> steps{0};   ///< of this process so far
  std::atomic<std::int64_t> longest_step_ns{0};
  std::atomic<std::uint32_t> stepping{0};        ///< in a loop of steps of known length
  std::atomic<std::uint32_t> first_step{0};      ///< in one whose length nobody knows
  std::atomic<std::uint32_t> awaits_message{0};  ///< waits for other ranks' control messages
  std::atomic<std::uint32_t> awaits_device{0};   ///< waits for a device with collectives of its own
  std::atomic<std::int64_t> unseen_loss{0};      ///< see losses_seen()
  SharedText<64> phase;
  SharedText<32> message;  ///< the last control message: "barrier of ranks"
  // By the thread that communicates.
  alignas(64) std::atomic<std::uint64_t> collective_beats{0};
  std::atomic<std::int64_t> collectives{0};  ///< entered so far: one more than the last's number
  std::atomic<std::uint32_t> in_collective{0};
  SharedText<24> collective;  ///< the last one's name: "all_reduce"
};

/// That of this process; somewhere private until publish_progress().
[[nodiscard]] RankProgress& own_progress() noexcept;
/// From now on this process writes to `shared`, which outlives it. Before other threads use it.
void publish_progress(RankProgress& shared) noexcept;

/// A sign of life of the thread that trains.
inline void beat(RankProgress& own) noexcept {
  own.beats.store(own.beats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}
/// What this rank does now, for those who look.
void enter_phase(std::string_view phase) noexcept;
/// A step of `wall_s` seconds is done.
void step_done(double wall_s) noexcept;

/// Of the `started` steps that this rank has begun in a loop that all ranks make alike, it has
/// looked at the losses of the first `seen`: before a step begins and behind each look.
void losses_seen(std::int64_t seen, std::int64_t started) noexcept;

/// While it lives this rank is in collective `number`: it waits for others or moves data.
class InCollective {
 public:
  InCollective(std::string_view name, std::int64_t number) noexcept;
  InCollective(const InCollective&) = delete;
  InCollective& operator=(const InCollective&) = delete;
  ~InCollective();

 private:
  RankProgress& own_;
};

/// While it lives this rank waits for control messages of others.
class AwaitingMessage {
 public:
  explicit AwaitingMessage(std::string_view what) noexcept;
  AwaitingMessage(const AwaitingMessage&) = delete;
  AwaitingMessage& operator=(const AwaitingMessage&) = delete;
  ~AwaitingMessage();

 private:
  RankProgress& own_;
};

/// While it lives this rank waits for its device, on which collectives run by themselves: for what
/// is enqueued there, or for room to enqueue more.
class AwaitingDevice {
 public:
  AwaitingDevice() noexcept;
  AwaitingDevice(const AwaitingDevice&) = delete;
  AwaitingDevice& operator=(const AwaitingDevice&) = delete;
  ~AwaitingDevice();

 private:
  RankProgress& own_;
};

/// While it lives this rank is in the first step of a loop: it may take as long as it likes, but
/// its device may not.
class FirstStep {
 public:
  FirstStep() noexcept;
  FirstStep(const FirstStep&) = delete;
  FirstStep& operator=(const FirstStep&) = delete;
  ~FirstStep();
};

/// While it lives, a rank that stops counting beats() for a few times its longest step hangs; at
/// other times it may take as long as it likes.
class Stepping {
 public:
  Stepping() noexcept;
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;
  ~Stepping();
};

/// From any thread, once the launch has failed: calls that wait for other ranks, now or later, and
/// check_launch() throw core::Error(code, why). The first call counts.
void end_waits(core::ErrorCode code, const std::string& why);
/// Throws after end_waits(); else one load and one branch.
void check_launch();

}  // namespace dlbench::comm
