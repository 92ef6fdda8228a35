// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probes of a run: opened once, told of every timed window, collected into the record. A probe
// that cannot measure here leaves its reason.
#pragma once

#include "harness/trials/trial_id.h"
#include "probes/probe.h"
#include "probes/sink_fanout.h"
#include "probes/timeline.h"
#include "reports/record.h"

#include <memory>
#include <string>
#include <vector>

namespace dlbench::harness {

class ProbeSet {
 public:
  /// Opens every registered probe but the timeline, and installs the sinks of those that listen.
  ProbeSet();
  ProbeSet(const ProbeSet&) = delete;
  ProbeSet& operator=(const ProbeSet&) = delete;
  ~ProbeSet();

  void begin(const TrialId& id) noexcept;
  void end() noexcept;
  /// Fills `probes` of the record and of its trials.
  void collect(reports::RunRecord& record) const;
  /// Sinks of the opened probes.
  [[nodiscard]] const std::vector<core::trace::Sink*>& sinks() const { return sinks_; }
  void install_sinks() noexcept;

 private:
  struct Entry {
    std::unique_ptr<probes::Probe> probe;
    std::string unavailable;
  };

  std::vector<Entry> entries_;
  std::vector<core::trace::Sink*> sinks_;
  std::unique_ptr<probes::SinkFanout> fanout_;
};

/// Records a timeline while it lives, beside the probes that listen anyway.
class TraceRecording {
 public:
  explicit TraceRecording(ProbeSet& probes);
  TraceRecording(const TraceRecording&) = delete;
  TraceRecording& operator=(const TraceRecording&) = delete;
  ~TraceRecording();

  /// Throws core::Error(kFile).
  void write(const std::string& path) const;

 private:
  ProbeSet& probes_;
  probes::Timeline timeline_;
  std::unique_ptr<probes::SinkFanout> fanout_;
};

}  // namespace dlbench::harness
