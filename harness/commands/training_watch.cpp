// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/training_watch.h"

#include "engine/core/log.h"

#include <utility>

namespace dlbench::harness {
namespace {

constexpr std::string_view kWindow = "training";

}  // namespace

TrainingWatch::TrainingWatch(const backend::DeviceInfo& device,
                             int processes,
                             ProbeChoice choice,
                             const std::string& trace,
                             bool speaks)
    : trace_file_(speaks ? trace : ""),
      probes_(device,
              {.choice = std::move(choice), .processes = processes, .traces = !trace.empty()}) {
  if (!trace_file_.empty()) {
    recording_.emplace(probes_);
  }
}

void TrainingWatch::begin_trace() {
  if (recording_.has_value()) {
    recording_scope_.emplace(*recording_);
  }
}

void TrainingWatch::begin() {
  if (!std::exchange(watching_, true)) {
    probes_.begin(kWindow);
  }
}

probes::DeviceConditions TrainingWatch::end() {
  return std::exchange(watching_, false) ? probes_.end() : probes::DeviceConditions{};
}

std::string TrainingWatch::end_with_fault() {
  std::string cause = end().reported.possible_cause;
  return cause.empty() ? probes_.take_fault().possible_cause : cause;
}

void TrainingWatch::collect(reports::RunRecord& record) const {
  record.probes = probes_.collect(kWindow);
  if (recording_.has_value()) {
    recording_->collect(record);
  }
}

void TrainingWatch::note_replay(reports::RunRecord& record) {
  if (!recording_.has_value() || std::exchange(replay_noted_, true)) {
    return;
  }
  const std::string why =
      "steps were replayed from a CUDA graph, each in one launch; --cuda-graph off runs them node "
      "by node";
  core::log::info("--trace has no phases and ops of most steps: " + why);
  record.run.skipped.push_back({"phases and ops in the trace", why});
}

void TrainingWatch::write_trace() {
  recording_scope_.reset();
  if (recording_.has_value()) {
    recording_->write(trace_file_);
  }
}

void TrainingWatch::rescue_trace() {
  recording_scope_.reset();
  if (recording_.has_value()) {
    recording_->rescue(trace_file_);
  }
}

}  // namespace dlbench::harness
