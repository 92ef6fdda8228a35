// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps in flight on a device, and what is known of each once it is done: how long its parts
// took on the device's clock, and a few numbers that it computed, all without synchronising the
// device.
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/host_allocator.h"
#include "engine/graph/graph.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace dlbench::exec {

/// Seconds by phase, indexed by graph::Phase; all_reduce is the time spent waiting.
using PhaseSeconds = std::array<double, 5>;

/// Times of a step that is done, in seconds on the device's clock. Its parts do not overlap.
struct FinishedStep {
  /// From the end of the previous step to the begin of this one; nullopt for an executor's first.
  std::optional<double> idle_s;
  double inputs_s = 0.0;  ///< waiting for inputs that are still being copied, and placing them
  PhaseSeconds phases{};
  /// The outputs of ExecutorOptions::watch, concatenated. Valid until the next step begins.
  std::span<const float> watched;

  /// From the end of the previous step to the end of this one; nullopt for an executor's first.
  [[nodiscard]] std::optional<double> total_s() const;
};

/// Tracks at most kInFlight steps; allocates nothing after construction. Thread compatible.
class StepRing {
 public:
  static constexpr std::size_t kInFlight = 2;

  /// For steps on `stream` that consist of consecutive `parts`. `watched`: number of f32 values to
  /// keep of each step. Keeps a reference to the stream.
  StepRing(backend::Backend& backend,
           backend::Stream& stream,
           std::vector<graph::Phase> parts,
           std::size_t watched);

  /// Begins a step, before its inputs are copied. If kInFlight steps are in flight, waits for the
  /// oldest of them and drops its times and watched values.
  void begin();
  /// Events to record at the begin of each part of the step begun last.
  [[nodiscard]] std::span<backend::Stream::Event* const> part_begins() const;
  /// Ends the step after its last work was enqueued. `watched`: the f32 values on the device to
  /// copy, as many as given to the constructor.
  void end(std::span<const std::span<const std::byte>> watched);

  [[nodiscard]] std::size_t in_flight() const { return static_cast<std::size_t>(ended_ - told_); }
  /// Returns the oldest step in flight if it is done, otherwise nullopt.
  [[nodiscard]] std::optional<FinishedStep> poll();
  /// Waits for the oldest step in flight and returns it; nullopt if there is none.
  [[nodiscard]] std::optional<FinishedStep> await();

 private:
  struct Slot {
    std::unique_ptr<backend::Stream::Event> begin;
    std::vector<std::unique_ptr<backend::Stream::Event>> parts;
    std::vector<backend::Stream::Event*> part_begins;  ///< pointers to `parts`
    std::unique_ptr<backend::Stream::Event> end;
  };
  /// Returns the times of the oldest step, which must be done, and removes it.
  [[nodiscard]] FinishedStep take_oldest();

  [[nodiscard]] const Slot& slot(std::int64_t step) const { return slots_[place(step)]; }
  [[nodiscard]] Slot& slot(std::int64_t step) { return slots_[place(step)]; }
  [[nodiscard]] static std::size_t place(std::int64_t step) {
    return static_cast<std::size_t>(step) % kSlots;
  }
  [[nodiscard]] std::span<std::byte> watched(std::int64_t step) {
    return {watched_.data() + place(step) * watched_bytes_, watched_bytes_};
  }

  /// One more than steps in flight: the end of the step before the oldest is still needed.
  static constexpr std::size_t kSlots = kInFlight + 1;

  backend::Stream& stream_;
  std::vector<graph::Phase> parts_;
  std::array<Slot, kSlots> slots_;
  std::size_t watched_bytes_;  ///< per step
  core::HostBlock watched_;    ///< watched values of all slots
  std::int64_t ended_ = 0;     ///< steps whose work is enqueued; the number of the next step
  std::int64_t told_ = 0;      ///< of those, steps that were returned or dropped
};

}  // namespace dlbench::exec
