// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a probe is: something that watches a trial from outside (counters, energy, a timeline) and
// reports named values. A probe never ends a run: what it cannot measure it reports as unavailable,
// with the reason. The harness decides which probes run and copies their values into the report.
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

/// One value a probe can report. The unit is part of the name ("energy_joules"); a bare count has
/// none.
struct ValueSpec {
  std::string name;
  std::string unit;
  std::string description;
};

/// What the harness, or a test, may tell a probe when it opens it, as text. Not for users.
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
  std::string device;  ///< the kind of device it watches ("cuda"); empty: it needs none
  /// Its cost would show in a timed repetition: it gets windows in repetitions of its own.
  bool own_repetition = false;
  /// What it sees there belongs on the timeline, so the timeline records that repetition too.
  bool on_timeline = false;
  /// A process has one profiler (CUPTI's), and this probe wants it.
  bool needs_profiler = false;
  /// It counts all that the device does between begin_steps() and end_trial(). In the end no step
  /// is on its way; for as many steps as are counted none may be at the beginning.
  bool counts_all_work = false;
};

/// One measured value; without a number, `reason` says why.
struct ProbeValue {
  std::string name;
  std::optional<double> value;
  std::string reason;
  std::string source{};  ///< which of several ways it came by; empty: there is one
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
  /// What may be why something failed: the first report, also one of an application's error, which
  /// may be ours, and, where there is no other, one of memory that was repaired.
  std::string possible_cause;
};

/// How a device fared in one window, and since the one before. Default: nothing to object to, or
/// nobody looked.
struct DeviceConditions {
  std::optional<double> sm_clock_mhz;         ///< lowest seen
  std::vector<std::string> throttle_reasons;  ///< why clocks were not higher, at any moment
  bool throttled = false;               ///< one of them is heat or a protection of the hardware
  std::optional<double> foreign_share;  ///< of time that the busiest process of others computed
  std::string neighbours;  ///< which processes of others computed on it; empty: none worth saying
  DeviceFault reported;    ///< in this window
};

/// Options by name; names that the probe's spec lacks are refused by open_probe().
using ProbeOptions = std::vector<std::pair<std::string, std::string>>;

/// One kind of measurement. Life: open() once, before the first window; then any number of
/// begin_trial()/end_trial() windows; collect() between windows. All calls come from one thread,
/// except those of sink().
class Probe {
 public:
  Probe() = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  virtual ~Probe() = default;

  [[nodiscard]] virtual const ProbeSpec& spec() const = 0;

  /// Gets ready. Returns an empty text, or the reason why this probe cannot measure here; after
  /// that all other calls do nothing and collect() repeats the reason. Throws Error(kUsage) for an
  /// option value it does not understand, and nothing else.
  [[nodiscard]] virtual std::string open(const ProbeOptions& options) = 0;

  /// The library that measures, with its version ("CUPTI 13.0.1"); empty: none, or nobody knows.
  [[nodiscard]] virtual std::string library() const { return {}; }

  /// A window of `trial` ("synthetic/device") starts or ends. Interleaved repetitions give a trial
  /// many windows; values add up over the windows of one name.
  virtual void begin_trial(std::string_view trial) noexcept = 0;
  /// In a window of a repetition of its own: the steps that count begin. Those since begin_trial()
  /// were for what begins with recording; the last of them may still be on their way, unless
  /// ProbeSpec::counts_all_work.
  virtual void begin_steps() noexcept {}
  virtual void end_trial() noexcept = 0;

  /// The ops of the plan by their ids, before the first window: a step that is replayed begins no
  /// region that would name one.
  virtual void name_ops(const std::map<std::int64_t, GpuOpLabel>& /*ops*/) {}

  /// Of the device in the window that ended last, from probes that watch one.
  [[nodiscard]] virtual DeviceConditions last_conditions() const { return {}; }

  /// Outside of a window: what the device reported since the last one ended, or since open(). The
  /// next window's conditions would have it too, if it was not asked for.
  [[nodiscard]] virtual DeviceFault take_fault() { return {}; }

  /// Outside of a window: its clocks at this moment and why they are no higher, and its neighbours
  /// since the last window or call, in a few calls of the driver. Without faults, which
  /// take_fault() tells.
  [[nodiscard]] virtual DeviceConditions conditions_now() { return {}; }

  /// Whether the window that ended last was refused for a reason that holds for all others as well
  /// (a permission, another owner of the profiler): repetitions for them would be for nothing.
  [[nodiscard]] virtual bool refused_for_good() const { return false; }

  /// Every record of the device in the window that ended last, or nullptr. Valid until the next
  /// window begins. A window that could not be recorded has no trace, and collect() says why.
  [[nodiscard]] virtual const GpuTrace* device_trace() const { return nullptr; }

  /// Counters of the device sampled over the window that ended last, or nullptr; as above.
  [[nodiscard]] virtual const GpuSamples* device_samples() const { return nullptr; }

  /// The values of `trial` so far. A trial without windows gives values without numbers.
  [[nodiscard]] virtual ProbeValues collect(std::string_view trial) const = 0;

  /// The probe's ear for trace regions, or nullptr. Valid as long as the probe.
  [[nodiscard]] virtual core::trace::Sink* sink() { return nullptr; }
};

}  // namespace dlbench::probes
