// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probes of a run: opened once, notified of every timed window, collected into the record. A
// probe that cannot measure here leaves its reason.
#pragma once

#include "engine/backend/backend.h"
#include "harness/trials/device_fault_watch.h"
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

/// Returns one probe's values in the form of the report.
[[nodiscard]] reports::ValueMap probe_record(const probes::ProbeValues& values);

/// Also gives energy as joules_per_sample of `trial`, unless ranks share the device, whose energy
/// is for the samples of all of them.
[[nodiscard]] reports::ValueMap probe_record(const probes::ProbeValues& values,
                                             const reports::TrialRecord& trial,
                                             bool shares_device = false);

/// Returns the record of a probe that measures nothing.
[[nodiscard]] reports::ValueMap unavailable_record(const std::string& reason);

/// Which probes a run opens.
class ProbeChoice {
 public:
  /// Selects all probes.
  ProbeChoice() = default;
  /// Parses --probes: "all", "none", or names of `dlbench list probes`, comma separated. Throws
  /// core::Error(kUsage) for an unknown name, suggesting the nearest, and for the timeline, which
  /// --trace requests.
  explicit ProbeChoice(std::string_view text);

  [[nodiscard]] bool contains(const std::string& probe) const;
  /// Whether the probe was requested by its name.
  [[nodiscard]] bool names(std::string_view probe) const;
  /// Returns why other probes are not contained.
  [[nodiscard]] std::string why_not() const { return "not asked for: --probes " + text_; }

 private:
  std::string text_ = "all";
  std::optional<std::vector<std::string>> names_;  ///< none: all
};

struct ProbeSetOptions {
  ProbeChoice choice{};  ///< probes that are not chosen stay closed, but for a device's faults
  std::string
      record_folder{};         ///< where probes keep what they saw, as <probe>.json; empty: nowhere
  bool shares_device = false;  ///< some rank computes on the device of another one
  int processes = 1;           ///< of this job on this rank's device
  bool traces = false;         ///< a TraceRecording reports the timeline
};

/// Returns the files that probes may write below a --record-probes folder; none without a folder.
[[nodiscard]] std::vector<std::string> recorded_files(const std::string& folder);

class ProbeSet {
 public:
  /// Opens every chosen probe but the timeline, and installs their trace sinks. `device` is where
  /// this run computes; probes for other kinds of devices stay closed. Whatever is chosen, the
  /// device's faults, clocks and neighbours are looked at when a window ends.
  explicit ProbeSet(const backend::DeviceInfo& device, const ProbeSetOptions& options = {});
  ProbeSet(const ProbeSet&) = delete;
  ProbeSet& operator=(const ProbeSet&) = delete;
  ~ProbeSet();

  /// `window` is a trial, or anything else that is watched; windows of the same name add up.
  void begin(std::string_view window) noexcept;
  void begin(const TrialId& id) noexcept { begin(id.to_string()); }
  /// Returns the condition of the device during the window.
  probes::DeviceConditions end() noexcept;
  /// Outside a window: returns what a device reported since the last one; empty: nothing.
  [[nodiscard]] probes::DeviceFault take_fault();
  /// Fills `probes` of the record and of its trials; for probes with repetitions of their own only
  /// the former.
  void collect(reports::RunRecord& record) const;
  /// Returns each probe's values for the windows of that name; probes with repetitions of their own
  /// have none.
  [[nodiscard]] reports::ValueMap collect(std::string_view window) const;
  /// Lets the sinks of opened probes listen, and `more` (nullptr: none), until the next call. Keeps
  /// the sinks of earlier calls: other threads may be inside regions, which end where they began.
  void install_sinks(const std::vector<core::trace::Sink*>& more = {}) noexcept;
  /// Returns a timeline that lives as long as the set. `max_events`: per thread.
  [[nodiscard]] probes::Timeline& add_timeline(std::size_t max_events);
  /// Returns the opened probes that need repetitions of their own; begin() and end() skip them.
  [[nodiscard]] std::vector<probes::Probe*> with_own_repetition() const;
  /// Returns all loaded probes of that kind, and why they are closed; empty for an opened one.
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
  std::optional<DeviceFaultWatch> watch_;  ///< none: the probe that monitors the device does it
  std::vector<Entry> entries_;
  std::map<std::string, std::string> absent_;  ///< probes without an entry, and why
  std::vector<core::trace::Sink*> sinks_;
  std::deque<probes::Timeline> timelines_;
  std::deque<probes::SinkFanout> fanouts_;  ///< the last one listens, if any does
};

/// Adds sinks while it lives, besides those of the probes that always listen.
class ScopedSinks {
 public:
  /// The sinks belong to `probes` or outlive it.
  ScopedSinks(ProbeSet& probes, const std::vector<core::trace::Sink*>& more) : probes_(probes) {
    probes_.install_sinks(more);
  }
  ScopedSinks(const ScopedSinks&) = delete;
  ScopedSinks& operator=(const ScopedSinks&) = delete;
  ~ScopedSinks() { probes_.install_sinks(); }

 private:
  ProbeSet& probes_;
};

/// A timeline that records while one of its Scopes lives.
class TraceRecording {
 public:
  class Scope {
   public:
    /// `extra_sink`: one more sink, or nullptr.
    explicit Scope(TraceRecording& recording, core::trace::Sink* extra_sink = nullptr);

   private:
    ScopedSinks sinks_;
  };

  /// `max_events`: per thread.
  explicit TraceRecording(ProbeSet& probes, std::size_t max_events = probes::Timeline::kMaxEvents);

  /// Fills the `timeline` of the record's probes; taints the run, once, if regions did not fit.
  void collect(reports::RunRecord& record) const;

  /// Writes the trace, a device's tracks below those of the host. Throws core::Error(kFile).
  void write(const std::string& path, probes::DeviceTracks device = {}) const;
  /// Calls write() for a run that fails: an error becomes a warning, so as not to hide the cause.
  void rescue(const std::string& path, probes::DeviceTracks device = {}) const noexcept;

 private:
  ProbeSet& probes_;
  probes::Timeline& timeline_;  ///< of `probes_`
};

}  // namespace dlbench::harness
