// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a GPU did in a repetition, record by record, in a format that does not depend on the source
// (CUPTI on a GPU, a file in tests). All times are nanoseconds of the steady clock, like those of
// host events.
#pragma once

#include "probes/gpu/profiler_clock.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

enum class GpuActivityKind : std::uint8_t {
  kKernel,
  kCopy,
  kMemset,
  kSynchronization,  ///< the host waited for the device; `name` says for what of it
  kOverhead,         ///< of the driver or of recording itself
  kApiCall,          ///< a host call that launches work
};

/// "kernel", "copy", "memset", "synchronization", "overhead", "api_call".
[[nodiscard]] std::string_view activity_name(GpuActivityKind kind);

/// Whether the device itself is busy.
[[nodiscard]] bool occupies_device(GpuActivityKind kind);

struct GpuActivity {
  GpuActivityKind kind = GpuActivityKind::kKernel;
  std::string name;  ///< of the kernel (demangled), "host_to_device", "stream", "cudaLaunchKernel"
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t stream = -1;      ///< of device work; -1: none
  std::int64_t bytes = 0;        ///< of copies and memsets
  std::int64_t correlation = 0;  ///< equal to that of the launching host call; 0: unknown
  std::int64_t graph_node = 0;   ///< node of the CUDA graph that it belongs to; 0: none
};

/// An op of the plan, as named by trace regions, or a phase outside its ops.
struct GpuOpLabel {
  std::string name;   ///< empty: of no op
  std::string phase;  ///< forward, loss, backward, ...; empty: unknown
};

/// A region of the thread that launches the work.
struct HostRegion {
  std::string name;  ///< "step", "data_wait", "forward"
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// What is known about the nodes of a replayed graph.
struct GraphNodes {
  std::int64_t recorded = 0;  ///< distinct nodes among the records of the device
  std::int64_t captured = 0;  ///< kernels, copies and memsets reported during capture
  bool in_order = true;       ///< most nodes of a stream run in the order of their numbers

  /// Says why no node is tied to an op; empty: they are tied, or no node was recorded.
  [[nodiscard]] std::string untied_reason() const;
};

struct GpuTrace {
  std::string origin;  ///< "recorded", or what generated it
  std::string trial;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t steps = 0;
  std::int64_t dropped = 0;  ///< records that did not fit into the buffers or are unreadable
  std::vector<GpuActivity> activities;
  std::vector<HostRegion> regions;
  std::map<std::int64_t, std::int64_t> correlation_op;  ///< correlation of a host call -> op
  std::map<std::int64_t, std::int64_t> graph_node_op;   ///< node of a captured graph -> op
  /// Op -> its label. Ids below -1: work of a phase outside its ops, such as copies of inputs.
  std::map<std::int64_t, GpuOpLabel> ops;
  GraphNodes graph_nodes;

  /// Returns the op of an activity: by its graph node if it has one (the call that launches a graph
  /// belongs to none of its ops), else by its correlation; -1: unknown.
  [[nodiscard]] std::int64_t op_of(const GpuActivity& activity) const;

  /// Whether it lies in the window at least partly; without a duration: whether it began there.
  [[nodiscard]] bool in_window(const GpuActivity& activity) const;

  /// Returns the number of kernels, copies and memsets that lie at least partly in the window.
  [[nodiscard]] std::int64_t device_records() const;
};

/// Whether it is a kernel of a collective: only NCCL has kernels named "nccl...".
[[nodiscard]] bool is_collective(const GpuActivity& activity);

/// Whether it is the host call that launched a graph. There is one per launch.
[[nodiscard]] bool launches_graph(const GpuActivity& activity);

/// Ties the nodes of a replayed graph to ops. `captured_ops` are the ops of its kernels, copies and
/// memsets in the order of capture. Assumes that the profiler's node numbers grow in that order, so
/// that the n-th smallest is the n-th captured. Fills `graph_nodes`; ties nothing and returns false
/// if the counts differ or many nodes of one stream run in another order.
bool tie_graph_nodes(GpuTrace& trace, const std::vector<std::int64_t>& captured_ops);

/// The time that the step thread spent inside an op.
struct OpSpan {
  std::int64_t op = -1;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Ties host calls that launched kernels, but have no external correlation, to the op in which they
/// began. A library may launch on its own thread, whose purpose the profiler does not know (NCCL
/// does if a communicator does not block); the op waits for it. Copies are unchanged, because the
/// loader's may begin during any op.
void tie_calls_within_ops(GpuTrace& trace, std::vector<OpSpan> spans);

/// Converts the times of all activities from the profiler's clock to the host's. 0 means no time.
void move_to_host(GpuTrace& trace, const ProfilerClock& clock);

/// Drops activities on another clock: those that end before they begin, or lie more than a second
/// outside the recording, `begin_ns` to `end_ns` on the host. A profiler that could not take a time
/// gives 0. Clipped to the window they would look like idle time. Device activities count as
/// dropped records; returns their number. Activities that had begun but not ended when recording
/// ended do not count: they came after the steps, which were waited for.
std::int64_t drop_foreign_times(GpuTrace& trace, std::int64_t begin_ns, std::int64_t end_ns);

/// Throws core::Error(kFile) if it cannot be read, core::Error(kData) if not such a recording.
[[nodiscard]] GpuTrace read_gpu_trace(const std::filesystem::path& path);

/// Throws core::Error(kFile).
void write_gpu_trace(const std::filesystem::path& path, const GpuTrace& trace);

}  // namespace dlbench::probes
