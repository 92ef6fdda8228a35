// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface to a device: memory, streams, and lowering of a graph to kernels. Implementations
// are in ref/, cpu/ and (as a plug-in) cuda/; nothing outside those folders includes a vendor
// header.
#pragma once

#include "engine/backend/lowering.h"
#include "engine/core/dtype.h"
#include "engine/core/host_allocator.h"
#include "engine/core/host_tensor.h"
#include "engine/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::backend {

/// Memory of a device, freed by the destructor.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer() = default;
  /// The device address of the first byte, 256-byte aligned.
  [[nodiscard]] virtual std::byte* data() = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

class Replay;

/// A conversion of an array from f32 to f16 or bf16, or back. Rounds to nearest, ties to even;
/// values beyond the range of f16 become infinite.
struct Conversion {
  const std::byte* from = nullptr;
  core::DType from_dtype = core::DType::kF32;
  std::byte* to = nullptr;
  core::DType to_dtype = core::DType::kF32;
  std::size_t count = 0;  ///< elements
};

/// A queue of work. Work on one stream runs in order; the stream of the host runs it immediately.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// A point in a stream for which others can wait and whose time can be read.
  class Event {
   public:
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    virtual ~Event() = default;
    /// Blocks the calling thread until the work before the event is done.
    virtual void wait() = 0;
    [[nodiscard]] virtual bool done() = 0;
    /// Seconds from an earlier event to this one on the device's clock; both must be done.
    [[nodiscard]] virtual double seconds_since(const Event& earlier) const = 0;
  };

  [[nodiscard]] virtual std::unique_ptr<Event> create_event() = 0;
  /// Creates an event for which only other streams wait, not the host: it has no time and may be
  /// cheaper.
  [[nodiscard]] virtual std::unique_ptr<Event> create_order_event() { return create_event(); }
  virtual void record(Event& event) = 0;
  /// As record(), for an event of which only the time is needed. During capture it marks a place at
  /// which Replay::launch() records one of its `times`.
  virtual void record_time(Event& event) { record(event); }
  /// Makes later work of this stream start only after `event`.
  virtual void wait_for(Event& event) = 0;
  virtual void synchronize() = 0;
  /// Enqueues a copy; host memory must stay valid until it is done.
  virtual void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) = 0;
  virtual void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) = 0;
  virtual void copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual void fill_zero(std::byte* device, std::size_t bytes) = 0;
  /// Enqueues a conversion between arrays on the device, which must not overlap.
  virtual void convert(const Conversion& conversion) = 0;

  /// begin_capture() and end_capture() capture the work enqueued in between, without running it;
  /// false / nullptr if the device does not support that.
  virtual bool begin_capture() { return false; }
  /// The number of kernels, copies and memsets captured since begin_capture().
  [[nodiscard]] virtual std::int64_t captured_work() { return 0; }
  virtual std::unique_ptr<Replay> end_capture() { return nullptr; }
  /// Ends a capture that failed: discards what was captured and makes the stream run work again.
  virtual void abandon_capture() {}
};

/// Captured work that can be launched repeatedly as a whole (a CUDA graph).
class Replay {
 public:
  Replay() = default;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  virtual ~Replay() = default;
  /// Launches the work. `times`: the events to record where record_time() was called during
  /// capture, one per call, in that order.
  virtual void launch(std::span<Stream::Event* const> times) = 0;
};

/// The description of a device, for reports and for the checks before a run.
struct DeviceInfo {
  std::string name;               ///< "AMD EPYC 9R14", "NVIDIA H200"
  std::string kind;               ///< "cpu" or "cuda"
  std::int64_t memory_bytes = 0;  ///< 0: the host's memory
  int threads = 0;                ///< compute threads of a CPU backend
  std::string isa;                ///< instruction set that the kernels use
  std::string address;            ///< PCI: "0000:41:00.0"; empty: none or unknown
};

/// The layout of a state value in device memory, if it is not its logical row-major shape. Depends
/// only on backend and value, never on a plan: plans of all modes share one state.
struct StateLayout {
  std::size_t bytes = 0;
  std::string name = "logical";
};

/// One device and its kernels. Thread compatible: one thread at a time.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// "ref", "cpu", "cuda".
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual DeviceInfo device() const = 0;
  /// Names and versions of the libraries that provide kernels: {"onednn", "2.6.3"}.
  [[nodiscard]] virtual std::map<std::string, std::string> libraries() const { return {}; }
  /// Whether contractions can run in this dtype; if not, `why` (unless null) is set to a sentence
  /// with the reason.
  [[nodiscard]] virtual bool supports(core::DType dtype, std::string* why) const = 0;

  /// Allocates device memory. If there is too little, throws core::Error: kMemory for host memory;
  /// kRun for a device's, whose free_memory() was checked before.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate(std::size_t bytes) = 0;
  /// Bytes that allocate() could still provide; nullopt if it takes host memory, which an
  /// integrated GPU does too.
  [[nodiscard]] virtual std::optional<std::int64_t> free_memory() const { return std::nullopt; }
  [[nodiscard]] virtual std::unique_ptr<Stream> create_stream() = 0;
  /// The allocator of host memory that is fast to copy to this device (pinned for a GPU).
  [[nodiscard]] virtual core::HostAllocator& host_allocator() = 0;
  /// Whether kernels read inputs in place from host memory, without a copy.
  [[nodiscard]] virtual bool reads_host_memory() const = 0;
  /// Must be called on a thread other than the one that created the backend before that thread uses
  /// its streams or events. Cheap: may be called each time.
  virtual void attach_thread() {}

  /// Starts or stops the recording of an attached vendor profiler (cudaProfilerStart and Stop),
  /// once the device has finished its work. Returns false if this backend has no such profiler.
  /// Throws core::Error if one of the calls fails.
  virtual bool set_profiler_capture(bool /*on*/) { return false; }

  [[nodiscard]] virtual StateLayout state_layout(const graph::Value& value) const;
  /// Convert between logical row-major order and the state layout; both sides are in host memory.
  virtual void pack_state(const graph::Value& value,
                          const core::HostTensor& logical,
                          std::byte* physical) const;
  virtual void unpack_state(const graph::Value& value,
                            const std::byte* physical,
                            core::HostTensor& logical) const;

  /// Lowers a graph: chooses a kernel and a layout for every node, fuses nodes, inserts reorders.
  /// Throws core::Error(kUnavailable) for what this device does not support.
  [[nodiscard]] virtual std::unique_ptr<LoweredGraph> lower(const graph::Graph& graph,
                                                            const LoweringOptions& options) = 0;
};

/// How to create a backend. `threads` <= 0: as many as the cores that this process may use.
struct BackendOptions {
  int threads = 0;
  int device_index = -1;    ///< of several GPUs; -1: by gpu_address, else local_rank modulo GPUs
  int local_rank = 0;       ///< among the ranks of this host
  std::string gpu_address;  ///< PCI address of the GPU assigned to this rank; empty: none
};

/// The backends of this build, best first: cuda (once it was requested by name), cpu, ref.
[[nodiscard]] std::vector<std::string> backend_names();

/// Why the backend cannot be created here, in one sentence; empty if it can.
[[nodiscard]] std::string backend_unavailable_reason(std::string_view name);

/// Creates a backend. Throws core::Error(kUnavailable) with the reason if that is impossible here,
/// kUsage if the name is unknown.
[[nodiscard]] std::unique_ptr<Backend> create_backend(std::string_view name,
                                                      const BackendOptions& options);

}  // namespace dlbench::backend
