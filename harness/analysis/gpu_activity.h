// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a recorded GPU timeline says: how long the device worked and on what, why it idled, how fast
// it copied. Knows no profiler: the records may come from a GPU or from a file.
#pragma once

#include "probes/gpu/gpu_trace.h"
#include "reports/value.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// What one op had of one kernel, or of one kind of copy, memset, wait or overhead.
struct ActivityRow {
  std::string name;   ///< of the kernel, or of the kind: "host_to_device", "event"
  std::string op;     ///< empty: none is known to have asked for it
  std::string phase;  ///< of the op
  std::int64_t calls = 0;
  std::int64_t bytes = 0;  ///< of copies and memsets
  double total_s = 0.0;
};

/// Where the device did nothing, in seconds. Each moment counts once, for the first that holds.
struct IdleSeconds {
  double queued = 0.0;  ///< the next work had been launched: dependencies, the device's scheduling
  double waiting_for_data = 0.0;  ///< the host waited for a batch
  double synchronization = 0.0;   ///< the host waited for the device or for other work
  double launch = 0.0;            ///< the next work came too late from the host
};

struct GpuActivitySummary {
  double window_s = 0.0;
  double busy_s = 0.0;                 ///< at least one kernel, copy or memset ran
  double compute_s = 0.0;              ///< at least one kernel ran that is of no collective
  double copy_s = 0.0;                 ///< at least one copy ran
  double copy_beside_compute_s = 0.0;  ///< both
  double collective_s = 0.0;  ///< at least one kernel of a collective ran, or waited for its peers
  double collective_beside_compute_s = 0.0;  ///< both: what is hidden
  IdleSeconds idle;                          ///< sums to window_s - busy_s
  double kernel_s = 0.0;                     ///< sum over kernels, overlapping ones counted each
  double kernel_without_op_s = 0.0;
  std::map<std::string, double> phase_s;  ///< kernel time by phase
  std::vector<ActivityRow> kernels;       ///< each list longest first
  std::vector<ActivityRow> copies;
  std::vector<ActivityRow> memsets;
  std::vector<ActivityRow> synchronizations;
  std::vector<ActivityRow> overheads;
  std::int64_t device_records = 0;    ///< kernels, copies and memsets
  std::int64_t graph_activities = 0;  ///< those of them that belong to a node of a CUDA graph
  probes::GraphNodes graph_nodes;
  std::int64_t steps = 0;
  std::int64_t dropped = 0;
};

/// Shares of a step that nothing records, from one that was recorded and took longer for it.
struct UntracedShares {
  double busy = 0.0;
  double launch_idle = 0.0;  ///< idle for want of launches: launch and synchronization
  bool replayed = false;     ///< most work came from a CUDA graph
};

/// Activities count with their part inside of the trace's window: seconds, and bytes in proportion.
[[nodiscard]] GpuActivitySummary summarize_activity(const probes::GpuTrace& trace);

/// With `timed_step_s`, the mean time of a step that nothing recorded (of a recorded one if that is
/// shorter: recording makes nothing faster), busy = min(1, busy_s / steps / timed_step_s): the
/// device's work takes as long as ever, and what held up the recorded steps alone, recording or
/// another program, is none of theirs. The idle time that is left has its reasons in proportion to
/// what was recorded of them: launch_idle = (1 - busy) * (launch + synchronization) / idle. Nothing
/// where that would be a guess: no time of a step is known, no work of the device was recorded, or
/// more than 3 % of its records are lost.
[[nodiscard]] std::optional<UntracedShares> untraced_shares(const GpuActivitySummary& summary,
                                                            std::optional<double> timed_step_s);

/// For `probes.cupti` of a trial.
[[nodiscard]] reports::ValueMap activity_record(const GpuActivitySummary& summary);

/// For `probes.cupti.untraced`: nulls where the shares cannot be told.
[[nodiscard]] reports::ValueMap untraced_record(const std::optional<UntracedShares>& shares);

}  // namespace dlbench::harness
