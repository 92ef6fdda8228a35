// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps that were handed to a device and are not done yet, and what is learnt of each once it is:
// how long its parts took on the device's clock, and a few numbers that it computed. Nobody has to
// synchronise the device for it.
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

/// Of a step that is done; seconds on the device's clock. Its parts do not overlap.
struct FinishedStep {
  /// From the end of the step before to the begin of this one; nothing for an executor's first.
  std::optional<double> idle_s;
  double inputs_s = 0.0;  ///< waiting for inputs that are still being copied, and placing them
  PhaseSeconds phases{};
  /// ExecutorOptions::watch, one output after the other. Holds until the next step begins.
  std::span<const float> watched;

  /// From the end of the step before to its own; nothing for an executor's first.
  [[nodiscard]] std::optional<double> total_s() const;
};

/// At most kInFlight steps; allocates nothing after construction. Thread compatible.
class StepRing {
 public:
  static constexpr std::size_t kInFlight = 2;

  /// Of steps on `stream` made of `parts`, which follow one another. `watched`: how many f32 are
  /// kept of each. Keeps a reference to the stream.
  StepRing(backend::Backend& backend,
           backend::Stream& stream,
           std::vector<graph::Phase> parts,
           std::size_t watched);

  /// Begins a step, before its inputs are copied. If kInFlight steps are on their way, waits for
  /// the oldest of them and drops its times and its watched values.
  void begin();
  /// Events for the begin of each part of the step that has begun.
  [[nodiscard]] std::span<backend::Stream::Event* const> part_begins() const;
  /// The step's last work is enqueued; `watched`: f32 on the device to copy, as many as said.
  void end(std::span<const std::span<const std::byte>> watched);

  [[nodiscard]] std::size_t in_flight() const { return static_cast<std::size_t>(ended_ - told_); }
  /// The oldest step on its way if it is done, else nothing.
  [[nodiscard]] std::optional<FinishedStep> poll();
  /// The oldest step on its way, once it is done; nothing where none is.
  [[nodiscard]] std::optional<FinishedStep> await();

 private:
  struct Slot {
    std::unique_ptr<backend::Stream::Event> begin;
    std::vector<std::unique_ptr<backend::Stream::Event>> parts;
    std::vector<backend::Stream::Event*> part_begins;  ///< those
    std::unique_ptr<backend::Stream::Event> end;
  };
  /// Of the oldest step, which is done.
  [[nodiscard]] FinishedStep take_oldest();

  [[nodiscard]] const Slot& slot(std::int64_t step) const { return slots_[place(step)]; }
  [[nodiscard]] Slot& slot(std::int64_t step) { return slots_[place(step)]; }
  [[nodiscard]] static std::size_t place(std::int64_t step) {
    return static_cast<std::size_t>(step) % kSlots;
  }
  [[nodiscard]] std::span<std::byte> watched(std::int64_t step) {
    return {watched_.data() + place(step) * watched_bytes_, watched_bytes_};
  }

  /// One more than on their way: the step before the oldest of those says when it ended.
  static constexpr std::size_t kSlots = kInFlight + 1;

  backend::Stream& stream_;
  std::vector<graph::Phase> parts_;
  std::array<Slot, kSlots> slots_;
  std::size_t watched_bytes_;  ///< of a step
  core::HostBlock watched_;    ///< of each slot
  std::int64_t ended_ = 0;     ///< steps whose work is enqueued; the next one's number
  std::int64_t told_ = 0;      ///< of those, steps that were told or that nobody asked for
};

}  // namespace dlbench::exec
