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

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// One probe's values as the report has them.
[[nodiscard]] reports::ValueMap probe_record(const probes::ProbeValues& values);

/// The same, energy also as joules_per_sample of `trial`; not where ranks share the device, whose
/// energy is of all their samples.
[[nodiscard]] reports::ValueMap probe_record(const probes::ProbeValues& values,
                                             const reports::TrialRecord& trial,
                                             bool shares_device = false);

/// A probe that measures nothing, as the report has it.
[[nodiscard]] reports::ValueMap unavailable_record(const std::string& reason);

/// Which probes a run opens.
class ProbeChoice {
 public:
  /// All of them.
  ProbeChoice() = default;
  /// --probes: "all", "none", or names of `dlbench list probes`, comma separated. Throws
  /// core::Error(kUsage) for an unknown name, with the nearest, and for the timeline, which --trace
  /// asks for.
  explicit ProbeChoice(std::string_view text);

  [[nodiscard]] bool contains(const std::string& probe) const;
  /// Whether it was asked for by its own name.
  [[nodiscard]] bool names(std::string_view probe) const;
  /// Why it contains no others.
  [[nodiscard]] std::string why_not() const { return "not asked for: --probes " + text_; }

 private:
  std::string text_ = "all";
  std::optional<std::vector<std::string>> names_;  ///< none: all
};

struct ProbeSetOptions {
  ProbeChoice choice{};  ///< the others stay closed
  std::string
      record_folder{};         ///< where probes keep what they saw, as <probe>.json; empty: nowhere
  bool shares_device = false;  ///< some rank computes on the device of another one
  int processes = 1;           ///< of this job on this rank's device
  bool traces = false;         ///< a TraceRecording tells of the timeline
};

/// The files that probes may keep below a folder of --record-probes; none without one.
[[nodiscard]] std::vector<std::string> recorded_files(const std::string& folder);

class ProbeSet {
 public:
  /// Opens every chosen probe but the timeline, and installs the sinks of those that listen.
  /// `device`: where this run computes; probes of other kinds of devices stay closed.
  explicit ProbeSet(const backend::DeviceInfo& device, const ProbeSetOptions& options = {});
  ProbeSet(const ProbeSet&) = delete;
  ProbeSet& operator=(const ProbeSet&) = delete;
  ~ProbeSet();

  /// `window`: a trial, or whatever else is watched; windows of one name add up.
  void begin(std::string_view window) noexcept;
  void begin(const TrialId& id) noexcept { begin(id.to_string()); }
  /// Returns how the device fared in the window.
  probes::DeviceConditions end() noexcept;
  /// Outside of a window: what a device reported since the last one; empty: nothing.
  [[nodiscard]] probes::DeviceFault take_fault();
  /// Fills `probes` of the record and of its trials; of probes with repetitions of their own only
  /// the former.
  void collect(reports::RunRecord& record) const;
  /// What each probe saw in the windows of that name; those with repetitions of their own have
  /// none.
  [[nodiscard]] reports::ValueMap collect(std::string_view window) const;
  /// Lets them listen, and `more` beside them (nullptr: none), until the next call. What listened
  /// before is kept: other threads may be inside of regions, which end where they began.
  void install_sinks(const std::vector<core::trace::Sink*>& more = {}) noexcept;
  /// Kept for as long as the set, as what listens is. `max_events`: of each thread.
  [[nodiscard]] probes::Timeline& add_timeline(std::size_t max_events);
  /// The opened probes that want repetitions of their own: begin() and end() leave them alone.
  [[nodiscard]] std::vector<probes::Probe*> with_own_repetition() const;
  /// All of that kind that are loaded, and why they are closed; an opened one's reason is empty.
  [[nodiscard]] std::map<std::string, std::string> own_repetition_reasons() const;

 private:
  struct Entry {
    std::unique_ptr<probes::Probe> probe;
    std::string unavailable;
    [[nodiscard]] bool runs_with_trials() const;
    [[nodiscard]] reports::ValueMap state() const;
  };

  void add_absent(const std::string& device_kind, const ProbeSetOptions& options);

  bool shares_device_;
  std::vector<Entry> entries_;
  std::map<std::string, std::string> absent_;  ///< has no entry: why
  std::vector<core::trace::Sink*> sinks_;
  std::deque<probes::Timeline> timelines_;
  std::deque<probes::SinkFanout> fanouts_;  ///< the last one listens, if any does
};

/// Lets more sinks listen while it lives, beside the probes that listen anyway.
class ScopedSinks {
 public:
  /// The sinks outlive `probes`, or are of it.
  ScopedSinks(ProbeSet& probes, const std::vector<core::trace::Sink*>& more) : probes_(probes) {
    probes_.install_sinks(more);
  }
  ScopedSinks(const ScopedSinks&) = delete;
  ScopedSinks& operator=(const ScopedSinks&) = delete;
  ~ScopedSinks() { probes_.install_sinks(); }

 private:
  ProbeSet& probes_;
};

/// A timeline that records what happens while a Scope of it lives.
class TraceRecording {
 public:
  class Scope {
   public:
    /// `extra_sink`: one more that listens, or nullptr.
    explicit Scope(TraceRecording& recording, core::trace::Sink* extra_sink = nullptr);

   private:
    ScopedSinks sinks_;
  };

  /// `max_events`: of each thread.
  explicit TraceRecording(ProbeSet& probes, std::size_t max_events = probes::Timeline::kMaxEvents);

  /// Fills the `timeline` of the record's probes; regions that did not fit taint the run, once.
  void collect(reports::RunRecord& record) const;

  /// With the tracks of a device below those of the host. Throws core::Error(kFile).
  void write(const std::string& path, probes::DeviceTracks device = {}) const;
  /// write() of a run that fails: an error is a warning, so that it does not hide why.
  void rescue(const std::string& path, probes::DeviceTracks device = {}) const noexcept;

 private:
  ProbeSet& probes_;
  probes::Timeline& timeline_;  ///< of `probes_`
};

}  // namespace dlbench::harness
