// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a probe is: something that watches a trial from outside (counters, energy, a timeline) and
// reports named values. A probe never ends a run: what it cannot measure is reported as unavailable
// with a reason. The harness decides which probes run and copies their values into the report.
#pragma once

#include "engine/core/trace.h"
#include "probes/gpu/gpu_samples.h"
#include "probes/gpu/gpu_trace.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::probes {

/// One value that a probe can report. The unit is part of the name ("energy_joules"); a count has
/// none.
struct ValueSpec {
  std::string name;
  std::string unit;
  std::string description;
};

/// An option, as text, that the harness or a test may pass when opening a probe. Not for users.
struct OptionSpec {
  std::string name;
  std::string description;
};

/// What `dlbench list` and the docs say about a probe.
struct ProbeSpec {
  std::string name;
  std::string description;
  std::vector<OptionSpec> options;
  std::vector<ValueSpec> values;
  std::string device;  ///< kind of device it watches ("cuda"); empty: none
  /// Its cost would affect a timed repetition, so it gets windows in repetitions of its own.
  bool own_repetition = false;
  /// What it sees there belongs on the timeline, so the timeline also records that repetition.
  bool on_timeline = false;
  /// It needs the profiler (CUPTI's), of which a process has one.
  bool needs_profiler = false;
  /// It counts all device work between begin_steps() and end_trial(). At the end no step is in
  /// flight, so none may be at the beginning if the number of steps is to be right.
  bool counts_all_work = false;
};

/// One measured value; without a number, `reason` says why.
struct ProbeValue {
  std::string name;
  std::optional<double> value;
  std::string reason;
  std::string source{};  ///< which of several methods gave it; empty: there is only one
};

/// What a probe measured, or why it could not.
struct ProbeValues {
  bool available = false;
  std::string reason;  ///< why not available; empty if it is
  std::vector<ProbeValue> values;
};

/// What a device reported, each in one sentence; empty: nothing.
struct DeviceFault {
  std::string fault;  ///< why results cannot be trusted, though nothing may have failed
  /// A possible cause of a failure: the first report, including one of an application's error,
  /// which may be ours.
  std::string possible_cause;
};

/// The condition of a device in one window, and since the previous one. Default: no objections, or
/// not checked.
struct DeviceConditions {
  std::optional<double> sm_clock_mhz;         ///< lowest seen
  std::vector<std::string> throttle_reasons;  ///< why clocks were not higher, at any moment
  bool throttled = false;               ///< one of them is heat or a protection of the hardware
  std::optional<double> foreign_share;  ///< share of time that the busiest foreign process computed
  std::string neighbours;  ///< which foreign processes computed on it; empty: none of note
  DeviceFault reported;    ///< in this window
};

/// Options by name; open_probe() refuses names that are not in the probe's spec.
using ProbeOptions = std::vector<std::pair<std::string, std::string>>;

/// One kind of measurement. Sequence: open() once, before the first window; then any number of
/// begin_trial()/end_trial() windows; collect() between windows. All calls come from one thread,
/// except those of sink().
class Probe {
 public:
  Probe() = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  virtual ~Probe() = default;

  [[nodiscard]] virtual const ProbeSpec& spec() const = 0;

  /// Prepares the probe. Returns an empty text, or the reason why this probe cannot measure here;
  /// then all other calls do nothing and collect() repeats the reason. Throws only Error(kUsage),
  /// for an option value that it does not understand.
  [[nodiscard]] virtual std::string open(const ProbeOptions& options) = 0;

  /// Returns the library that measures, with its version ("CUPTI 13.0.1"); empty: none or unknown.
  [[nodiscard]] virtual std::string library() const { return {}; }

  /// Starts or ends a window of `trial` ("synthetic/device"). Interleaved repetitions give a trial
  /// many windows; values add up over windows of the same name.
  virtual void begin_trial(std::string_view trial) noexcept = 0;
  /// In a window of a repetition of its own: marks the begin of the steps that count. Steps since
  /// begin_trial() absorb the start of recording; the last of them may still be in flight unless
  /// ProbeSpec::counts_all_work.
  virtual void begin_steps() noexcept {}
  virtual void end_trial() noexcept = 0;

  /// Sets the names of the plan's ops by id, and of phases by the ids of work outside its ops,
  /// before the first window: a replayed step begins no regions that would name them.
  virtual void name_ops(const std::map<std::int64_t, GpuOpLabel>& /*ops*/) {}

  /// Returns the condition of the device in the window that ended last, if the probe watches one.
  [[nodiscard]] virtual DeviceConditions last_conditions() const { return {}; }

  /// Outside a window: returns what the device reported since the last window ended, or since
  /// open(). Otherwise the next window's conditions include it.
  [[nodiscard]] virtual DeviceFault take_fault() { return {}; }

  /// Outside a window: returns the current clocks and why they are not higher, and the neighbours
  /// since the last window or call, with a few driver calls. Without faults, which take_fault()
  /// returns.
  [[nodiscard]] virtual DeviceConditions conditions_now() { return {}; }

  /// Whether the window that ended last was refused for a reason that holds for all others too (a
  /// permission, another owner of the profiler), so that repetitions for them would be useless.
  [[nodiscard]] virtual bool refused_for_good() const { return false; }

  /// Returns all device records of the window that ended last, or nullptr. Valid until the next
  /// window begins. A window that could not be recorded has no trace, and collect() says why.
  [[nodiscard]] virtual const GpuTrace* device_trace() const { return nullptr; }

  /// Returns device counters sampled over the window that ended last, or nullptr; as above.
  [[nodiscard]] virtual const GpuSamples* device_samples() const { return nullptr; }

  /// Returns the values of `trial` so far. A trial without windows has values without numbers.
  [[nodiscard]] virtual ProbeValues collect(std::string_view trial) const = 0;

  /// Returns the probe's sink for trace regions, or nullptr. Valid as long as the probe.
  [[nodiscard]] virtual core::trace::Sink* sink() { return nullptr; }
};

}  // namespace dlbench::probes
