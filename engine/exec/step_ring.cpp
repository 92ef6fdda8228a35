// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/step_ring.h"

#include "engine/core/check.h"

#include <numeric>
#include <utility>

namespace dlbench::exec {

std::optional<double> FinishedStep::total_s() const {
  if (!idle_s.has_value()) {
    return std::nullopt;
  }
  return *idle_s + inputs_s + std::accumulate(phases.begin(), phases.end(), 0.0);
}

StepRing::StepRing(backend::Backend& backend,
                   backend::Stream& stream,
                   std::vector<graph::Phase> parts,
                   std::size_t watched)
    : stream_(stream),
      parts_(std::move(parts)),
      watched_bytes_(watched * sizeof(float)),
      watched_(watched == 0 ? core::HostBlock()
                            : core::HostBlock(backend.host_allocator(), kSlots * watched_bytes_)) {
  for (Slot& slot : slots_) {
    slot.begin = stream.create_event();
    slot.end = stream.create_event();
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      slot.parts.push_back(stream.create_event());
      slot.part_begins.push_back(slot.parts.back().get());
    }
  }
}

void StepRing::begin() {
  if (in_flight() == kInFlight) {
    slot(told_).end->wait();
    ++told_;
  }
  stream_.record_time(*slot(ended_).begin);
}

std::span<backend::Stream::Event* const> StepRing::part_begins() const {
  return slot(ended_).part_begins;
}

void StepRing::end(std::span<const std::span<const std::byte>> watched) {
  std::span<std::byte> room = this->watched(ended_);
  for (const std::span<const std::byte> value : watched) {
    DLBENCH_CHECK(value.size() <= room.size());
    stream_.copy_to_host(room.data(), value.data(), value.size());
    room = room.subspan(value.size());
  }
  stream_.record_time(*slot(ended_).end);
  ++ended_;
}

std::optional<FinishedStep> StepRing::poll() {
  if (in_flight() == 0 || !slot(told_).end->done()) {
    return std::nullopt;
  }
  return take_oldest();
}

std::optional<FinishedStep> StepRing::await() {
  if (in_flight() == 0) {
    return std::nullopt;
  }
  slot(told_).end->wait();
  return take_oldest();
}

FinishedStep StepRing::take_oldest() {
  const std::int64_t step = told_;
  const Slot& slot = this->slot(step);
  FinishedStep result;
  const backend::Stream::Event* before = slot.begin.get();
  double* sum = &result.inputs_s;
  const auto book = [&](const backend::Stream::Event& event) {
    *sum += event.seconds_since(*before);
    before = &event;
  };
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    book(*slot.parts[part]);
    sum = &result.phases[static_cast<std::size_t>(parts_[part])];
  }
  book(*slot.end);
  if (step > 0) {
    result.idle_s = slot.begin->seconds_since(*this->slot(step - 1).end);
  }
  const std::span<const std::byte> watched = this->watched(step);
  result.watched = {reinterpret_cast<const float*>(watched.data()), watched.size() / sizeof(float)};
  ++told_;
  return result;
}

}  // namespace dlbench::exec
