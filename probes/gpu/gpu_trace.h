// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a GPU did in a repetition, record by record, in words of our own: who recorded it (CUPTI on
// a GPU, a file in tests) does not matter to who reads it. All times are nanoseconds of the steady
// clock, like those of host events.
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
  kSynchronization,  ///< the host, or a stream, waited; `name` says for what
  kOverhead,         ///< of the driver or of recording itself
  kApiCall,          ///< a host call that launches work, on the host
};

/// "kernel", "copy", "memset", "synchronization", "overhead", "api_call".
[[nodiscard]] std::string_view activity_name(GpuActivityKind kind);

/// Whether the device itself is at work.
[[nodiscard]] bool occupies_device(GpuActivityKind kind);

struct GpuActivity {
  GpuActivityKind kind = GpuActivityKind::kKernel;
  std::string name;  ///< of the kernel (demangled), "host_to_device", "stream", "cudaLaunchKernel"
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t stream = -1;      ///< of work on the device; -1: none
  std::int64_t bytes = 0;        ///< of copies and memsets
  std::int64_t correlation = 0;  ///< the same as of the host call that launched it; 0: unknown
  std::int64_t graph_node = 0;   ///< of the CUDA graph that it is part of; 0: none
};

/// An op of the plan, as regions of the trace name it, or a phase outside of its ops.
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

/// What is known of the nodes of a replayed graph.
struct GraphNodes {
  std::int64_t recorded = 0;  ///< different nodes among the records of the device
  std::int64_t captured = 0;  ///< kernels, copies and memsets told of at the capture
  bool in_order = true;       ///< most of a stream run in the order of their numbers

  /// Why no node is tied to an op; empty: they are tied, or no node was recorded.
  [[nodiscard]] std::string untied_reason() const;
};

struct GpuTrace {
  std::string origin;  ///< "recorded", or what made it up
  std::string trial;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t steps = 0;
  std::int64_t dropped = 0;  ///< records that did not fit into the buffers or cannot be read
  std::vector<GpuActivity> activities;
  std::vector<HostRegion> regions;
  std::map<std::int64_t, std::int64_t> correlation_op;  ///< correlation of a host call -> op
  std::map<std::int64_t, std::int64_t> graph_node_op;   ///< node of a captured graph -> op
  /// Op -> what it is. Below -1: what a phase does outside of its ops, as copies of inputs.
  std::map<std::int64_t, GpuOpLabel> ops;
  GraphNodes graph_nodes;

  /// The op that an activity belongs to: by its graph node if it has one, for the call that
  /// launched a graph is of none of its ops, else by its correlation; -1: unknown.
  [[nodiscard]] std::int64_t op_of(const GpuActivity& activity) const;

  /// Records of kernels, copies and memsets that lie in the window, at least in part.
  [[nodiscard]] std::int64_t device_records() const;
};

/// Whether it is a kernel of a collective: NCCL calls its kernels "nccl...", and nobody else does.
[[nodiscard]] bool is_collective(const GpuActivity& activity);

/// Whether it is the host's call that launched a graph. There is one for each launch.
[[nodiscard]] bool launches_graph(const GpuActivity& activity);

/// Ties the nodes of a replayed graph to ops: `captured_ops` are the ops of its kernels, copies and
/// memsets in the order of capture. The numbers that a profiler gives nodes are taken to grow in
/// that order, so that the n-th smallest is the n-th captured. Fills `graph_nodes`; ties nothing,
/// and returns false, if their counts differ or many of one stream run in another order.
bool tie_graph_nodes(GpuTrace& trace, const std::vector<std::int64_t>& captured_ops);

/// When the thread that runs the steps was inside of an op.
struct OpSpan {
  std::int64_t op = -1;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Ties host calls that no external correlation ties, and that launched kernels, to the op in which
/// they began. A library may launch on a thread of its own (NCCL does where a communicator does not
/// block), of which the profiler does not know what it works for; the op waits for it. Copies stay
/// as they are: the loader's begin beside any op.
void tie_calls_within_ops(GpuTrace& trace, std::vector<OpSpan> spans);

/// Moves the times of all activities from the profiler's clock to the host's. A time of 0 is none.
void move_to_host(GpuTrace& trace, const ProfilerClock& clock);

/// Drops activities of another clock: that end before they begin, or lie more than a second outside
/// of the time in which was recorded, `begin_ns` to `end_ns` of the host. A profiler that could not
/// take a time gives 0. Cut to the window they would look like time that nothing ran. Those of the
/// device count as dropped records; returns how many. Not so what had begun and not ended when
/// recording did: it came after the steps, which were waited for.
std::int64_t drop_foreign_times(GpuTrace& trace, std::int64_t begin_ns, std::int64_t end_ns);

/// Throws core::Error(kFile) if it cannot be read, core::Error(kData) if it is no such recording.
[[nodiscard]] GpuTrace read_gpu_trace(const std::filesystem::path& path);

/// Throws core::Error(kFile).
void write_gpu_trace(const std::filesystem::path& path, const GpuTrace& trace);

}  // namespace dlbench::probes
