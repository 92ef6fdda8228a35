// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/cuda_stream.h"

#include "engine/backend/cuda/kernels/conversion.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/libraries/cuda_call.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

class CudaEvent final : public Stream::Event {
 public:
  explicit CudaEvent(unsigned flags) { DLBENCH_CUDA(cudaEventCreateWithFlags(&event_, flags)); }
  ~CudaEvent() override { cudaEventDestroy(event_); }

  void wait() override { DLBENCH_CUDA(cudaEventSynchronize(event_)); }

  bool done() override {
    const cudaError_t state = cudaEventQuery(event_);
    if (state == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    DLBENCH_CUDA(state);
    return true;
  }

  [[nodiscard]] double seconds_since(const Event& earlier) const override {
    float milliseconds = 0.0F;
    DLBENCH_CUDA(cudaEventElapsedTime(
        &milliseconds, dynamic_cast<const CudaEvent&>(earlier).event_, event_));
    return static_cast<double>(milliseconds) * 1e-3;
  }

  [[nodiscard]] cudaEvent_t handle() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

struct GraphDestroy {
  void operator()(cudaGraph_t graph) const noexcept { cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t executable) const noexcept { cudaGraphExecDestroy(executable); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, GraphDestroy>;
using Executable = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, GraphDestroy>;

// Keeps the graph next to its executable: its nodes identify those whose events are replaced.
class CudaReplay final : public Replay {
 public:
  CudaReplay(Graph graph, cudaStream_t stream, std::vector<cudaGraphNode_t> time_nodes)
      : graph_(std::move(graph)), stream_(stream), time_nodes_(std::move(time_nodes)) {
    cudaGraphExec_t executable = nullptr;
    // Otherwise all nodes, collectives included, would run at the priority of the launching stream.
    DLBENCH_CUDA(
        cudaGraphInstantiate(&executable, graph_.get(), cudaGraphInstantiateFlagUseNodePriority));
    executable_.reset(executable);
    // Otherwise the first launch would pay for it, inside a timed step.
    DLBENCH_CUDA(cudaGraphUpload(executable, stream_));
  }

  void launch(std::span<Stream::Event* const> times) override {
    DLBENCH_CHECK(times.size() == time_nodes_.size())
        << times.size() << " events for " << time_nodes_.size() << " places";
    for (std::size_t index = 0; index < times.size(); ++index) {
      DLBENCH_CUDA(cudaGraphExecEventRecordNodeSetEvent(
          executable_.get(), time_nodes_[index], dynamic_cast<CudaEvent&>(*times[index]).handle()));
    }
    DLBENCH_CUDA(cudaGraphLaunch(executable_.get(), stream_));
  }

 private:
  Graph graph_;
  Executable executable_;
  cudaStream_t stream_;
  std::vector<cudaGraphNode_t> time_nodes_;
};

}  // namespace

CudaStream::CudaStream(StreamPriority priority) {
  int least = 0;
  int greatest = 0;
  DLBENCH_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  DLBENCH_CUDA(cudaStreamCreateWithPriority(
      &stream_, cudaStreamNonBlocking, priority == StreamPriority::kHigh ? greatest : least));
}

CudaStream::~CudaStream() { cudaStreamDestroy(stream_); }

// A thread that waits for an event sleeps, since the loader's workers need the core.
std::unique_ptr<Stream::Event> CudaStream::create_event() {
  return std::make_unique<CudaEvent>(cudaEventBlockingSync);
}

std::unique_ptr<Stream::Event> CudaStream::create_order_event() {
  return std::make_unique<CudaEvent>(cudaEventDisableTiming);
}

void CudaStream::record(Event& event) {
  DLBENCH_CUDA(cudaEventRecord(dynamic_cast<CudaEvent&>(event).handle(), stream_));
}

// During capture, recording an event only makes a dependency and never gives a time. So a node that
// records the event is inserted after the stream's earlier work and before its later work.
void CudaStream::record_time(Event& event) {
  if (!capturing_) {
    record(event);
    return;
  }
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  DLBENCH_CUDA(cudaStreamGetCaptureInfo(stream_, &status, nullptr, &graph, &last, &edges, &count));
  DLBENCH_CHECK(status == cudaStreamCaptureStatusActive) << "the stream records nothing any more";
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeEventRecord;
  parameters.eventRecord.event = dynamic_cast<CudaEvent&>(event).handle();
  cudaGraphNode_t node = nullptr;
  DLBENCH_CUDA(cudaGraphAddNode(&node, graph, last, edges, count, &parameters));
  DLBENCH_CUDA(cudaStreamUpdateCaptureDependencies(
      stream_, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
  time_nodes_.push_back(node);
}

void CudaStream::wait_for(Event& event) {
  DLBENCH_CUDA(cudaStreamWaitEvent(stream_, dynamic_cast<CudaEvent&>(event).handle(), 0));
}

void CudaStream::synchronize() { DLBENCH_CUDA(cudaStreamSynchronize(stream_)); }

// A state without, say, optimizer values saves and restores zero bytes at null addresses.
void CudaStream::copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes > 0) {
    DLBENCH_CUDA(cudaMemcpyAsync(to, from, bytes, kind, stream_));
  }
}

void CudaStream::copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) {
  copy(device, host, bytes, cudaMemcpyHostToDevice);
}

void CudaStream::copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
  copy(host, device, bytes, cudaMemcpyDeviceToHost);
}

void CudaStream::copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

void CudaStream::fill_zero(std::byte* device, std::size_t bytes) {
  if (bytes > 0) {
    DLBENCH_CUDA(cudaMemsetAsync(device, 0, bytes, stream_));
  }
}

void CudaStream::convert(const Conversion& conversion) {
  launch_cast(cast_args(conversion), stream_);
}

bool CudaStream::begin_capture() {
  DLBENCH_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  capturing_ = true;
  time_nodes_.clear();
  return true;
}

std::int64_t CudaStream::captured_work() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  DLBENCH_CUDA(
      cudaStreamGetCaptureInfo(stream_, &status, nullptr, &graph, nullptr, nullptr, nullptr));
  DLBENCH_CHECK(status == cudaStreamCaptureStatusActive)
      << "asked of a stream that records nothing";
  std::size_t count = 0;
  DLBENCH_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  DLBENCH_CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
  return std::count_if(nodes.begin(), nodes.end(), [](cudaGraphNode_t node) {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    DLBENCH_CUDA(cudaGraphNodeGetType(node, &type));
    return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
           type == cudaGraphNodeTypeMemset;
  });
}

std::unique_ptr<Replay> CudaStream::end_capture() {
  cudaGraph_t graph = nullptr;
  capturing_ = false;
  DLBENCH_CUDA(cudaStreamEndCapture(stream_, &graph));
  return std::make_unique<CudaReplay>(Graph(graph), stream_, std::move(time_nodes_));
}

void CudaStream::abandon_capture() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream_, &status) == cudaSuccess &&
      status != cudaStreamCaptureStatusNone) {
    cudaGraph_t graph = nullptr;
    static_cast<void>(cudaStreamEndCapture(stream_, &graph));
    if (graph != nullptr) {
      cudaGraphDestroy(graph);
    }
  }
  capturing_ = false;
  time_nodes_.clear();
  static_cast<void>(cudaGetLastError());  // clears the error of the call that failed
}

cudaStream_t handle_of(Stream& stream) { return dynamic_cast<CudaStream&>(stream).handle(); }

}  // namespace dlbench::backend::cuda
