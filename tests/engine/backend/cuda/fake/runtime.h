// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands for streams, events and graphs of CUDA behind its opaque handles. Each stream has a
// thread that does its work in order, so that work of several streams overlaps and is late.
#pragma once

#include "tests/engine/backend/cuda/fake/device.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::fake {

/// A place in the order of a stream, reached once.
class Mark {
 public:
  void reach();
  void wait();
  [[nodiscard]] bool reached();
  /// Of a mark that was reached.
  [[nodiscard]] std::chrono::steady_clock::time_point time() const { return time_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  std::chrono::steady_clock::time_point time_;
};

/// What a stream has to do. A failed device does nothing but reach marks.
struct Item {
  Work work;
  bool on_failed_device = false;
};

/// The queue of one stream, and the thread that empties it. Shared by the handle and that thread,
/// which goes on where a stream is destroyed with work in it.
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  void push(Item item);
  /// Until all that was pushed before is done; what others push meanwhile is not waited for.
  void drain();
  [[nodiscard]] bool idle();
  /// The thread ends once it has nothing to do.
  void close();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::uint64_t pushed_ = 0;
  std::uint64_t done_ = 0;
  bool started_ = false;
  bool closed_ = false;
};

/// A recording of streams into a graph, from cudaStreamBeginCapture to cudaStreamEndCapture.
struct Capture {
  std::unique_ptr<CUgraph_st> graph;
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalid = false;
  /// The nodes that the next of each stream comes behind.
  std::map<cudaStream_t, std::vector<cudaGraphNode_t>> ends;
};

}  // namespace dlbench::fake

struct CUstream_st {
  int device = 0;
  std::uint32_t id = 7;  ///< for profilers; 7: the default stream
  int priority = 0;
  std::shared_ptr<dlbench::fake::Queue> queue = std::make_shared<dlbench::fake::Queue>();
  std::shared_ptr<dlbench::fake::Capture> capture;  ///< null: it records nothing
};

struct CUevent_st {
  int device = 0;
  unsigned flags = 0;
  std::shared_ptr<dlbench::fake::Mark> mark;  ///< of the last record; null: there was none
  /// Where that was inside a recording: which, and behind which nodes.
  std::shared_ptr<dlbench::fake::Capture> capture;
  std::vector<cudaGraphNode_t> after;
};

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  dlbench::fake::Work work;
  dlbench::fake::WorkLabel label;
  int priority = 0;             ///< of the stream that was recorded
  cudaEvent_t event = nullptr;  ///< of a node that records one
  std::vector<cudaGraphNode_t> after;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;  ///< each behind those that it comes after
};

struct CUgraphExec_st {
  int device = 0;
  std::uint32_t id = 0;                          ///< for profilers
  bool keeps_priorities = false;                 ///< of the nodes; else that of the stream
  std::vector<CUgraphNode_st> nodes;             ///< `after` names those of the graph
  std::map<cudaGraphNode_t, std::size_t> place;  ///< of a node of the graph in `nodes`
};

namespace dlbench::fake {

/// All that the API's functions read and write, but for queues and marks. Leaked: threads of
/// streams may live as long as the process.
struct Runtime {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::vector<std::unique_ptr<CUevent_st>> events;
  std::vector<std::shared_ptr<Capture>> captures;  ///< that have not ended
  std::uint32_t last_stream_id = 12;
  std::uint32_t last_graph_id = 0;
};
[[nodiscard]] Runtime& runtime();
[[nodiscard]] std::unique_lock<std::recursive_mutex> lock_runtime();

/// Keeps it for cudaGetLastError, and returns it.
cudaError_t answer(cudaError_t status);
/// What every function says of a failed device, else success.
[[nodiscard]] cudaError_t device_failure();
/// The thread's device.
[[nodiscard]] int current_device();
/// The stream itself; for null, the default stream of the thread's device; null if it is none.
[[nodiscard]] cudaStream_t known_stream(cudaStream_t stream);
[[nodiscard]] cudaStream_t default_stream(int device);
[[nodiscard]] cudaEvent_t known_event(cudaEvent_t event);

/// For calls that are unsafe while the thread records: what they say then, the recording being
/// invalid from then on.
[[nodiscard]] cudaError_t refuse_unsafe_call();
/// The same for those that wait for a whole device, of which no stream may record.
[[nodiscard]] cudaError_t refuse_while_device_records(int device);
/// Until all streams of the device are idle.
void drain_device(int device);

/// Enqueues or records.
cudaError_t enqueue(cudaStream_t stream, cudaGraphNodeType type, Work work, WorkLabel label);
/// The work as a queue runs it: late where that is asked for, and seen by who observes. With the
/// runtime locked.
[[nodiscard]] Work observed(Work work,
                            const WorkLabel& label,
                            const CUstream_st& stream,
                            int priority,
                            std::uint32_t graph = 0,
                            std::uint64_t graph_node = 0);

/// Memory that is not known is pageable memory of the host.
enum class MemoryKind : std::uint8_t { kPageable, kPinned, kDevice, kOutside };
/// kOutside: it begins in an allocation and leaves it.
[[nodiscard]] MemoryKind kind_of(const void* data, std::size_t bytes);

/// What the environment asks of the device (README.md).
struct Setting {
  int devices = 1;
  int major = 9;
  int minor = 0;
  std::size_t memory_bytes = std::size_t{8} << 30;
  std::int64_t filled_after = 0;  ///< cudaMalloc(), counted from 1; 0: never
  bool integrated = false;        ///< its memory is the host's
  bool mps = false;               ///< processes share it
  int attach_error = 0;
  int taken = -1;  ///< number of a device that another process has for itself
  bool prohibited = false;
  std::int64_t fails_at = 0;  ///< kernel, counted from 1; 0: never
  int late_us = 0;            ///< before each kernel
  bool graphs = true;         ///< what was recorded can be made executable
  std::string wrong_engines;  ///< numbers with + between, or "all"; empty: none
  std::string calls;          ///< file for how often each function was called; empty: none
};
[[nodiscard]] const Setting& setting();

}  // namespace dlbench::fake
