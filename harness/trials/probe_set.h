// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probes of a run: opened once, told of every timed window, collected into the record. A probe
// that cannot measure here leaves its reason.
#pragma once

#include "engine/backend/backend.h"
#include "harness/trials/trial_id.h"
#include "probes/probe.h"
#include "probes/sink_fanout.h"
#include "probes/timeline.h"
#include "reports/record.h"

#include <memory>
#include <string>
#include <vector>

namespace dlbench::harness {

/// One probe's values as the report has them; energy also as joules_per_sample of `trial`.
[[nodiscard]] reports::ValueMap probe_record(const probes::ProbeValues& values,
                                             const reports::TrialRecord& trial);

class ProbeSet {
 public:
  /// Opens every registered probe but the timeline, and installs the sinks of those that listen.
  /// `device`: where this run computes; probes of other kinds of devices stay closed.
  /// `record_folder`: where probes that can keep what they saw, as <probe>.json; empty: nowhere.
  explicit ProbeSet(const backend::DeviceInfo& device, const std::string& record_folder = "");
  ProbeSet(const ProbeSet&) = delete;
  ProbeSet& operator=(const ProbeSet&) = delete;
  ~ProbeSet();

  void begin(const TrialId& id) noexcept;
  /// Returns how the device fared in the window.
  probes::DeviceConditions end() noexcept;
  /// Fills `probes` of the record and of its trials; of probes with repetitions of their own only
  /// the former.
  void collect(reports::RunRecord& record) const;
  /// Sinks of the opened probes that listen all the time.
  [[nodiscard]] const std::vector<core::trace::Sink*>& sinks() const { return sinks_; }
  void install_sinks() noexcept;
  /// The opened probes that want repetitions of their own: begin() and end() leave them alone.
  [[nodiscard]] std::vector<probes::Probe*> apart() const;

 private:
  struct Entry {
    std::unique_ptr<probes::Probe> probe;
    std::string unavailable;
    [[nodiscard]] bool runs_with_trials() const;
  };

  std::vector<Entry> entries_;
  std::vector<core::trace::Sink*> sinks_;
  std::unique_ptr<probes::SinkFanout> fanout_;
};

/// Lets more sinks listen while it lives, beside the probes that listen anyway.
class ListeningBeside {
 public:
  ListeningBeside(ProbeSet& probes, const std::vector<core::trace::Sink*>& more);
  ListeningBeside(const ListeningBeside&) = delete;
  ListeningBeside& operator=(const ListeningBeside&) = delete;
  ~ListeningBeside();

 private:
  ProbeSet& probes_;
  std::unique_ptr<probes::SinkFanout> fanout_;
};

/// A timeline that records what happens while a Stretch of it lives.
class TraceRecording {
 public:
  class Stretch {
   public:
    /// `beside`: one more sink that listens, or nullptr.
    Stretch(TraceRecording& recording, ProbeSet& probes, core::trace::Sink* beside = nullptr);

   private:
    ListeningBeside listening_;
  };

  TraceRecording();

  /// With the tracks of a device below those of the host. Throws core::Error(kFile).
  void write(const std::string& path, probes::DeviceTracks device = {}) const;

 private:
  probes::Timeline timeline_;
};

}  // namespace dlbench::harness
