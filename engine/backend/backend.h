// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a device must offer: memory, streams, and lowering of a graph to kernels. Implementations
// live in ref/, cpu/ and (as a plug-in) cuda/; nothing outside those folders sees a vendor header.
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

/// Memory of a device. Freed with the object.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer() = default;
  /// Device address of the first byte, aligned to 256.
  [[nodiscard]] virtual std::byte* data() = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

class Replay;

/// Floats of one dtype to be written as another: f32 as f16 or bf16, or back. Rounded to the
/// nearest, ties to even; what f16 cannot hold becomes infinite.
struct Conversion {
  const std::byte* from = nullptr;
  core::DType from_dtype = core::DType::kF32;
  std::byte* to = nullptr;
  core::DType to_dtype = core::DType::kF32;
  std::size_t count = 0;  ///< elements
};

/// A queue of work. Work on one stream runs in order; the CPU's stream runs it at once.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// A point in this stream that others can wait for, and whose time can be read.
  class Event {
   public:
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    virtual ~Event() = default;
    /// Blocks the calling thread until the work before the event is done.
    virtual void wait() = 0;
    [[nodiscard]] virtual bool done() = 0;
    /// Seconds from an earlier event to this one, on the device's clock; both must be done.
    [[nodiscard]] virtual double seconds_since(const Event& earlier) const = 0;
  };

  [[nodiscard]] virtual std::unique_ptr<Event> create_event() = 0;
  /// One that other streams wait for and no host: it has no time, and may cost less.
  [[nodiscard]] virtual std::unique_ptr<Event> create_order_event() { return create_event(); }
  virtual void record(Event& event) = 0;
  /// As record(), for an event of which only the time is of interest; while work is being recorded,
  /// a place for the times of Replay::launch().
  virtual void record_time(Event& event) { record(event); }
  /// Later work of this stream starts only after `event`.
  virtual void wait_for(Event& event) = 0;
  virtual void synchronize() = 0;
  /// Enqueues a copy; host memory must stay until it is done.
  virtual void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) = 0;
  virtual void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) = 0;
  virtual void copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual void fill_zero(std::byte* device, std::size_t bytes) = 0;
  /// Enqueues a conversion between arrays on the device that do not overlap.
  virtual void convert(const Conversion& conversion) = 0;

  /// Recording of the work enqueued in between. False / nullptr where the device cannot.
  virtual bool begin_capture() { return false; }
  /// Kernels, copies and memsets recorded since begin_capture().
  [[nodiscard]] virtual std::int64_t captured_work() { return 0; }
  virtual std::unique_ptr<Replay> end_capture() { return nullptr; }
  /// Ends a recording that failed: what was recorded is gone, and the stream runs work again.
  virtual void abandon_capture() {}
};

/// A recorded sequence of work that can be launched again at once (a CUDA graph).
class Replay {
 public:
  Replay() = default;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  virtual ~Replay() = default;
  /// `times`: the events that this launch records where record_time() was called, in that order, as
  /// many as there were calls.
  virtual void launch(std::span<Stream::Event* const> times) = 0;
};

/// What a device is, for reports and for the checks before a run.
struct DeviceInfo {
  std::string name;               ///< "AMD EPYC 9R14", "NVIDIA H200"
  std::string kind;               ///< "cpu" or "cuda"
  std::int64_t memory_bytes = 0;  ///< 0: ask the host
  int threads = 0;                ///< compute threads of a CPU backend
  std::string isa;                ///< instruction set the kernels use
  std::string address;            ///< PCI: "0000:41:00.0"; empty: none or unknown
};

/// How a state value lies in device memory, when not as its logical row-major shape.
/// A function of backend and value only, never of a plan: plans of all modes share one state.
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
  /// Name and version of the libraries behind the kernels: {"onednn", "2.6.3"}.
  [[nodiscard]] virtual std::map<std::string, std::string> libraries() const { return {}; }
  /// Whether contractions can run in this dtype; if not, `why` says so in a sentence.
  [[nodiscard]] virtual bool supports(core::DType dtype, std::string* why) const = 0;

  /// Throws core::Error: kMemory for the host's memory, kRun for a device's, for which
  /// free_memory() was asked before.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate(std::size_t bytes) = 0;
  /// Bytes that allocate() could still give; nothing where that is the host's memory, as on an
  /// integrated GPU, too.
  [[nodiscard]] virtual std::optional<std::int64_t> free_memory() const { return std::nullopt; }
  [[nodiscard]] virtual std::unique_ptr<Stream> create_stream() = 0;
  /// Host memory that copies fast to this device (pinned on a GPU).
  [[nodiscard]] virtual core::HostAllocator& host_allocator() = 0;
  /// True where inputs are read in place from host memory and no copy is made.
  [[nodiscard]] virtual bool reads_host_memory() const = 0;
  /// On a thread other than that which made the backend, before it uses streams or events of it.
  /// Cheap: may be called each time.
  virtual void attach_thread() {}

  /// Begins or ends what a vendor's profiler that is attached records (cudaProfilerStart and Stop),
  /// after the device has finished its work. False: no profiler knows such marks here. Throws
  /// core::Error where one of the calls fails.
  virtual bool set_profiler_capture(bool /*on*/) { return false; }

  [[nodiscard]] virtual StateLayout state_layout(const graph::Value& value) const;
  /// Between logical row-major order and the state layout; host memory on both sides.
  virtual void pack_state(const graph::Value& value,
                          const core::HostTensor& logical,
                          std::byte* physical) const;
  virtual void unpack_state(const graph::Value& value,
                            const std::byte* physical,
                            core::HostTensor& logical) const;

  /// Picks a kernel and a layout for every node, fuses, inserts reorders.
  /// Throws core::Error(kUnavailable) for what this device cannot do.
  [[nodiscard]] virtual std::unique_ptr<LoweredGraph> lower(const graph::Graph& graph,
                                                            const LoweringOptions& options) = 0;
};

/// How to make a backend. `threads` <= 0: the cores this process may use.
struct BackendOptions {
  int threads = 0;
  int device_index = -1;    ///< of several GPUs; -1: by gpu_address, else local_rank, counted round
  int local_rank = 0;       ///< among the ranks of this host
  std::string gpu_address;  ///< PCI, of the GPU that this rank was placed at; empty: none
};

/// The backends of this build, best first: cuda (once it was asked for by name), cpu, ref.
[[nodiscard]] std::vector<std::string> backend_names();

/// Empty if the backend can be made here, else why not, in one sentence.
[[nodiscard]] std::string backend_unavailable_reason(std::string_view name);

/// Throws core::Error(kUnavailable) with the reason when it cannot be had, kUsage if unknown.
[[nodiscard]] std::unique_ptr<Backend> create_backend(std::string_view name,
                                                      const BackendOptions& options);

}  // namespace dlbench::backend
