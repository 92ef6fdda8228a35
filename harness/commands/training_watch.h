// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What watches a whole training, validation included: probes, and a timeline if there is a file for
// it.
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
  /// `trace`: the file of --trace, empty: none; this rank records if it `speaks`.
  /// `processes`: of this job on the device.
  TrainingWatch(const backend::DeviceInfo& device,
                int processes,
                ProbeChoice choice,
                const std::string& trace,
                bool speaks);

  void begin_trace();
  /// Opens a window unless one is open. Windows add up; each is an epoch.
  void begin();
  /// Returns how the device fared since begin().
  probes::DeviceConditions end();
  /// What the device reported until now, at the end of a training that fails.
  [[nodiscard]] std::string end_with_fault();
  /// Fills `probes` of the record, and taints it where the timeline lost regions.
  void collect(reports::RunRecord& record) const;
  /// Steps are replayed from now on: a trace has them without phases and ops. Says so, once.
  void note_replay(reports::RunRecord& record);

  /// Ends the trace. Throws core::Error(kFile).
  void write_trace();
  /// write_trace() of a training that fails: an error is a warning, so that it does not hide why.
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
