// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Watches a whole training, including validation, with probes and, if a file is given, a timeline.
#pragma once

#include "engine/backend/backend.h"
#include "harness/trials/probe_set.h"
#include "probes/probe.h"
#include "reports/record.h"

#include <optional>
#include <string>
#include <string_view>

namespace dlbench::harness {

class TrainingWatch {
 public:
  /// `trace` is the file of --trace (empty: none), recorded by this rank if it `speaks`.
  /// `processes`: number of this job's processes on the device.
  TrainingWatch(const backend::DeviceInfo& device,
                int processes,
                ProbeChoice choice,
                const std::string& trace,
                bool speaks);

  void begin_trace();
  /// Opens a window unless one is open. Windows, one per epoch, add up.
  void begin();
  /// Closes the window. Returns the condition of the device since begin().
  probes::DeviceConditions end();
  /// Closes the window of a training that fails. Returns what the device reported.
  [[nodiscard]] std::string end_with_fault();
  /// Fills `probes` of the record, and taints it where the timeline lost regions.
  void collect(reports::RunRecord& record) const;
  /// Records, once, that steps are replayed from now on: a trace shows them without phases and ops.
  void note_replay(reports::RunRecord& record);

  /// Ends the trace. Throws core::Error(kFile).
  void write_trace();
  /// Calls write_trace() for a failing training: an error is a warning, not to hide the cause.
  void rescue_trace();

 private:
  std::string trace_file_;
  ProbeSet probes_;
  std::optional<TraceRecording> recording_;
  std::optional<TraceRecording::Scope> recording_scope_;
  bool watching_ = false;
  bool replay_noted_ = false;
};

}  // namespace dlbench::harness
