// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Repetitions after the timed ones, for what would change what it measures: the timeline and probes
// that record or count on the device. None of their times reaches a headline number.
#pragma once

#include "harness/trials/arm.h"
#include "harness/trials/probe_set.h"
#include "harness/trials/trial_runner.h"
#include "probes/gpu_trace.h"
#include "reports/record.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

struct ProfilingRequest {
  double seconds = 0.5;    ///< of each repetition, about
  std::string trace_file;  ///< of the timeline; empty: none
  /// What ops are called: a graph that is replayed does not tell.
  std::map<std::int64_t, probes::GpuOpLabel> ops;
};

/// Names and phases of a graph's nodes.
[[nodiscard]] std::map<std::int64_t, probes::GpuOpLabel> op_labels(const graph::Graph& graph);

/// One repetition of every arm for each probe that wants its own; the timeline records those of
/// probes that belong on it, one after the other, and one more where there is no such probe. Fills
/// `probes` of the record's trials (io has no device to watch) with what was recorded and with
/// slowdown_share, the time per step over the median of the timed repetitions, minus 1. Dropped
/// records and lost samples taint the trial. A probe that is refused when it begins is warned of,
/// and, if it measured nothing at all, made unavailable in `probes` of the record. Returns the idle
/// share of the device in synthetic/device, if it was recorded.
std::optional<double> profile_arms(ProbeSet& probes,
                                   TrialRunner& runner,
                                   const std::vector<std::unique_ptr<Arm>>& arms,
                                   const ProfilingRequest& request,
                                   reports::RunRecord& record);

}  // namespace dlbench::harness
