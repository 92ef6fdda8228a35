// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Repetitions after the timed ones, for measurements that would change the result: the timeline,
// and probes that record or count on the device. Their times reach no headline number.
#pragma once

#include "harness/analysis/gpu_activity.h"
#include "harness/trials/arm.h"
#include "harness/trials/probe_set.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/untimed_runner.h"
#include "probes/gpu/gpu_trace.h"
#include "probes/timeline.h"
#include "reports/record.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::harness {

struct ProfilingRequest {
  /// Approximate seconds of a repetition. One for a probe has at least 50 steps as far as
  /// max_seconds allows, but always three, after settling for at most `seconds`.
  double seconds = 0.5;
  double max_seconds = 3.0;
  /// Why another tool owns the profiler of this process; empty: it is ours. Probes that need it are
  /// then left out with this reason.
  std::string profiler_taken;
  std::string trace_file;  ///< of the timeline, that of rank 0; empty: no timeline
  std::size_t max_events = probes::Timeline::kMaxEvents;  ///< of the timeline, per thread
  /// The names of ops, which a replayed graph does not report.
  std::map<std::int64_t, probes::GpuOpLabel> ops;
  /// Called when a probe's values are in the record, because the next probe may end the process.
  std::function<void()> after_probe{};
};

/// Whether a probe with repetitions of its own has something to measure in this trial: a device
/// probe has nothing if the steps only load batches.
[[nodiscard]] bool sees_trial(const probes::ProbeSpec& probe, const TrialId& trial);

/// Returns the cost of a probe: median time of the steps with it / that of the timed repetitions -
/// 1; nothing if one is unknown. In seconds on the same clock.
[[nodiscard]] std::optional<double> slowdown(const reports::TrialRecord& timed,
                                             std::span<const double> profiled_step_s);

/// Returns the mean seconds of a step in the repetitions that count; nothing without any. A median
/// would not do, because a loader may hand out batches in bursts.
[[nodiscard]] std::optional<double> timed_step_s(const reports::TrialRecord& trial);

/// Returns the share of the device's memory bandwidth (as reached by copies) that a timed step
/// uses: the bytes that `counters` saw a step read and write, over timed_step_s(). Nothing if one
/// of these is unknown.
[[nodiscard]] std::optional<double> memory_share(const reports::TrialRecord& timed,
                                                 const reports::ValueMap& counters,
                                                 const std::vector<reports::PeakRecord>& peaks);

/// Runs one repetition of every arm for each probe that needs its own. The timeline records those
/// of probes that belong on it, one after the other, or one more repetition if there is none. Fills
/// `probes` of the record's trials (no device is watched where steps only load batches) with the
/// recorded values and slowdown_share, slowdown(). Dropped records taint the trial, and so do lost
/// samples if there are enough to matter. A probe that is refused for good makes no repetition for
/// later trials, which get its reason. A probe refused at its begin causes a warning and, if it
/// measured nothing at all, becomes unavailable in `probes` of the record; so does one that is
/// missing on some rank, because all ranks make its repetitions. The record gets the timeline too,
/// with a taint if regions were lost, even if an error ends this. Collective. Returns how the
/// device spends a step of synthetic/device, if recorded well enough.
std::optional<UntracedShares> profile_arms(RankGroup& ranks,
                                           ProbeSet& probes,
                                           UntimedRunner& runner,
                                           const std::vector<std::unique_ptr<Arm>>& arms,
                                           const ProfilingRequest& request,
                                           reports::RunRecord& record);

}  // namespace dlbench::harness
