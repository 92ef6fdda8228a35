// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Evaluates a recorded GPU timeline: how long the device worked and on what, why it idled, how fast
// it copied. Independent of any profiler: the records may come from a GPU or from a file.
#pragma once

#include "probes/gpu/gpu_trace.h"
#include "reports/value.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// The total of one op in one kernel, or in one kind of copy, memset, wait or overhead.
struct ActivityRow {
  std::string name;   ///< of the kernel or of the kind: "host_to_device", "event"
  std::string op;     ///< the op that caused it; empty: unknown
  std::string phase;  ///< of the op
  std::int64_t calls = 0;
  std::int64_t bytes = 0;  ///< of copies and memsets
  double total_s = 0.0;
};

/// Seconds in which the device did nothing. Each moment counts once, for the first true cause.
struct IdleSeconds {
  double queued = 0.0;  ///< the next work had been launched: dependencies, the device's scheduling
  double waiting_for_data = 0.0;  ///< the host waited for a batch
  double synchronization = 0.0;   ///< the host waited for the device or for other work
  double launch = 0.0;            ///< the next work came too late from the host
};

struct GpuActivitySummary {
  double window_s = 0.0;
  double busy_s = 0.0;                 ///< at least one kernel, copy or memset ran
  double compute_s = 0.0;              ///< at least one kernel other than a collective's ran
  double copy_s = 0.0;                 ///< at least one copy ran
  double copy_beside_compute_s = 0.0;  ///< a copy and such a kernel ran
  double collective_s = 0.0;  ///< at least one kernel of a collective ran, or waited for its peers
  double collective_beside_compute_s = 0.0;  ///< both: hidden communication
  IdleSeconds idle;                          ///< sums to window_s - busy_s
  double kernel_s = 0.0;                     ///< sum over kernels, also of overlapping ones
  double kernel_without_op_s = 0.0;
  std::map<std::string, double> phase_s;  ///< kernel time by phase
  std::vector<ActivityRow> kernels;       ///< each list longest first
  std::vector<ActivityRow> copies;
  std::vector<ActivityRow> memsets;
  std::vector<ActivityRow> synchronizations;
  std::vector<ActivityRow> overheads;
  std::int64_t device_records = 0;    ///< kernels, copies and memsets
  std::int64_t graph_activities = 0;  ///< device records that belong to a node of a CUDA graph
  probes::GraphNodes graph_nodes;
  std::int64_t steps = 0;
  std::int64_t dropped = 0;
};

/// Estimated shares of a step that is not recorded, from recorded ones, which took longer.
struct UntracedShares {
  double busy = 0.0;
  double launch_idle = 0.0;  ///< idle for want of launches: launch and synchronization
  bool replayed = false;     ///< most work came from a CUDA graph
};

/// Sums the activities by their part inside the trace's window: seconds, and bytes in proportion.
[[nodiscard]] GpuActivitySummary summarize_activity(const probes::GpuTrace& trace);

/// Returns busy = min(1, busy_s / steps / timed_step_s), where `timed_step_s` is the mean time of
/// an unrecorded step (or of a recorded one if that is shorter: recording makes nothing faster).
/// The device's work takes the same time either way; delays from recording or other programs in the
/// recorded steps alone are excluded. The remaining idle time is split as recorded: launch_idle =
/// (1 - busy) * (launch + synchronization) / idle. Nothing where that would be a guess: no step
/// time is known, no device work was recorded, or more than 3 % of the records are lost.
[[nodiscard]] std::optional<UntracedShares> untraced_shares(const GpuActivitySummary& summary,
                                                            std::optional<double> timed_step_s);

/// Returns the values for `probes.cupti` of a trial.
[[nodiscard]] reports::ValueMap activity_record(const GpuActivitySummary& summary);

/// Returns the values for `probes.cupti.untraced`: nulls where the shares are unknown.
[[nodiscard]] reports::ValueMap untraced_record(const std::optional<UntracedShares>& shares);

}  // namespace dlbench::harness
