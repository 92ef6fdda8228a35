// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/loader_arms.h"

#include "engine/core/clock.h"
#include "engine/core/trace.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace dlbench::harness {
namespace {

// Reads one byte of every cache line, as any consumer of the batch would at least.
void touch(const data::Batch& batch) {
  constexpr std::size_t kCacheLine = 64;
  unsigned sum = 0;
  for (const data::BatchTensor& tensor : batch.tensors()) {
    const std::byte* bytes = tensor.data();
    const std::size_t size = tensor.spec().row_bytes() * static_cast<std::size_t>(batch.samples);
    for (std::size_t offset = 0; offset < size; offset += kCacheLine) {
      sum += std::to_integer<unsigned>(bytes[offset]);
    }
  }
  volatile unsigned sink = sum;
  static_cast<void>(sink);
}

}  // namespace

LoaderArm::LoaderArm(TrialId id, Session& session) : Arm(std::move(id)), session_(session) {}

void LoaderArm::finish() { session_.loader().stop(); }

std::optional<std::int64_t> LoaderArm::queue_fill() const {
  return session_.loads() ? std::optional(session_.loader().stats().queue_ready) : std::nullopt;
}

std::int64_t LoaderArm::burst() const {
  return data::loader_burst(session_.loader().dataset().spec(), session_.loader().options());
}

std::optional<data::LoaderStats> LoaderArm::loader_stats() const {
  return session_.loads() ? std::optional(session_.loader().stats()) : std::nullopt;
}

std::int64_t LoaderArm::untimed_steps() const { return session_.loader().options().prefetch + 1; }

std::int64_t LoaderArm::surplus() const {
  return std::max<std::int64_t>(0, queue_fill().value_or(0) - prepared_fill_);
}

void LoaderArm::use_up(std::int64_t batches) {
  step_untimed(batches);
  reset_counts();
}

void LoaderArm::start_loader() {
  if (session_.loads()) {
    session_.loader().start();
  }
  step_untimed(untimed_steps());
  prepared_fill_ = queue_fill().value_or(0);
  reset_counts();
}

void LoaderArm::reset_counts() { session_.loader().reset_stats(); }

LoaderArm::Taken LoaderArm::take() {
  if (!session_.loads()) {
    return {};
  }
  const core::trace::Region region(core::trace::Category::kPhase, "data_wait");
  const auto start = std::chrono::steady_clock::now();
  data::BatchLease lease = session_.loader().next();
  return {.lease = std::move(lease), .wait_s = core::seconds_since(start)};
}

std::int64_t IoArm::min_steps() const {
  constexpr std::int64_t kQueues = 20;
  return kQueues * session().loader().options().prefetch;
}

std::optional<StepSample> IoArm::step() {
  const Taken taken = take();
  totals_.data_wait += taken.wait_s;
  totals_.steps += 1;
  if (!taken.lease) {
    return StepSample{};
  }
  touch(*taken.lease);
  return StepSample{.samples = taken.lease->samples};
}

void IoArm::reset_counts() {
  LoaderArm::reset_counts();
  totals_ = {};
}

}  // namespace dlbench::harness
