// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Repetitions after the timed ones, for what would change what it measures: the timeline and probes
// that record or count on the device. None of their times reaches a headline number.
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
  /// Of each repetition, about. One for a probe has 50 steps at least, as far as max_seconds
  /// allows, but three in any case, and settles before, no longer than `seconds`.
  double seconds = 0.5;
  double max_seconds = 3.0;
  /// Why the profiler of this process belongs to somebody else; empty: it is ours. Probes that need
  /// it are then left out, with this reason.
  std::string profiler_taken;
  std::string trace_file;  ///< of the timeline, that of rank 0; empty: none
  std::size_t max_events = probes::Timeline::kMaxEvents;  ///< there, of each thread
  /// What ops are called: a graph that is replayed does not tell.
  std::map<std::int64_t, probes::GpuOpLabel> ops;
  /// Called when a probe's values are in the record: the next one may end the process.
  std::function<void()> after_probe{};
};

/// Whether a probe with repetitions of its own has something to see in this trial: a device's
/// none where the steps are batches.
[[nodiscard]] bool sees_trial(const probes::ProbeSpec& probe, const TrialId& trial);

/// Names and phases of a graph's nodes.
[[nodiscard]] std::map<std::int64_t, probes::GpuOpLabel> op_labels(const graph::Graph& graph);

/// What a probe cost: the median time of the steps beside it over that of the timed repetitions,
/// minus 1; nothing where one of them is not known. Seconds, all on the same clock.
[[nodiscard]] std::optional<double> slowdown(const reports::TrialRecord& timed,
                                             std::span<const double> profiled_step_s);

/// Mean seconds of a step in the repetitions that count; nothing where there are none. Of sums over
/// steps a median would be no measure: a loader may hand batches over in bursts.
[[nodiscard]] std::optional<double> timed_step_s(const reports::TrialRecord& trial);

/// Of the device's memory bandwidth, as copies reached it, what a timed step uses: the bytes that
/// `counters` saw a step read and write, over timed_step_s(). Nothing where one of them is not
/// known.
[[nodiscard]] std::optional<double> memory_share(const reports::TrialRecord& timed,
                                                 const reports::ValueMap& counters,
                                                 const std::vector<reports::PeakRecord>& peaks);

/// One repetition of every arm for each probe that wants its own; the timeline records those of
/// probes that belong on it, one after the other, and one more where there is no such probe. Fills
/// `probes` of the record's trials (no device is watched where the steps are batches) with what was
/// recorded and with slowdown_share, slowdown(). Dropped records taint the trial, and so do lost
/// samples if they are enough to matter. A probe that is refused for good makes no repetition for
/// later trials, which get its reason. A probe that is refused when it begins is warned of, and,
/// if it measured nothing at all, made unavailable in `probes` of the record; so is one that some
/// rank has not, for its repetitions are made by all. The record has the timeline too, and
/// where it lost regions the taint, also when an error ends this. Collective. Returns how the
/// device spends a step of synthetic/device, if that was recorded well enough to say.
std::optional<UntracedShares> profile_arms(RankGroup& ranks,
                                           ProbeSet& probes,
                                           UntimedRunner& runner,
                                           const std::vector<std::unique_ptr<Arm>>& arms,
                                           const ProfilingRequest& request,
                                           reports::RunRecord& record);

}  // namespace dlbench::harness
