// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a recorded GPU timeline says: how long the device worked and on what, why it idled, how fast
// it copied. Knows no profiler: the records may come from a GPU or from a file.
#pragma once

#include "probes/gpu_trace.h"
#include "reports/value.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlbench::harness {

/// One kernel in one op.
struct KernelRow {
  std::string kernel;
  std::string op;     ///< empty: no op is known to have launched it
  std::string phase;  ///< of the op
  std::int64_t calls = 0;
  double total_s = 0.0;
  double share = 0.0;  ///< of the time of all kernels
};

/// Calls, bytes and seconds of one kind of copy, memset, wait or overhead.
struct ActivityTotal {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  double total_s = 0.0;
};

/// Where the device did nothing, in seconds. Each moment counts once, for the first that holds.
struct IdleSeconds {
  double waiting_for_data = 0.0;  ///< the host waited for a batch
  double queued = 0.0;  ///< the next work had been launched: dependencies, the device's scheduling
  double synchronization = 0.0;  ///< the host waited for the device or for other work
  double launch = 0.0;           ///< the next work came too late from the host
};

struct GpuActivitySummary {
  double window_s = 0.0;
  double busy_s = 0.0;                 ///< at least one kernel, copy or memset ran
  double compute_s = 0.0;              ///< at least one kernel ran
  double copy_s = 0.0;                 ///< at least one copy ran
  double copy_beside_compute_s = 0.0;  ///< both
  IdleSeconds idle;                    ///< sums to window_s - busy_s
  double kernel_s = 0.0;               ///< sum over kernels, overlapping ones counted each
  double kernel_without_op_s = 0.0;
  std::vector<KernelRow> kernels;         ///< longest first
  std::map<std::string, double> phase_s;  ///< kernel time by phase
  std::map<std::string, ActivityTotal> copies;
  std::map<std::string, ActivityTotal> memsets;
  std::map<std::string, ActivityTotal> synchronizations;
  std::map<std::string, ActivityTotal> overheads;
  std::int64_t graph_activities = 0;  ///< records that belong to a node of a CUDA graph
  std::int64_t steps = 0;
  std::int64_t dropped = 0;
};

/// Activities outside of the trace's window count with the part inside.
[[nodiscard]] GpuActivitySummary summarize_activity(const probes::GpuTrace& trace);

/// For `probes.cupti` of a trial.
[[nodiscard]] reports::ValueMap activity_record(const GpuActivitySummary& summary);

}  // namespace dlbench::harness
