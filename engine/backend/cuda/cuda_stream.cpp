// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/cuda_stream.h"

#include "engine/backend/cuda/cuda_call.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <algorithm>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

class CudaEvent final : public Stream::Event {
 public:
  CudaEvent() { DLBENCH_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDefault)); }
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

class CudaReplay final : public Replay {
 public:
  CudaReplay(cudaGraph_t graph, cudaStream_t stream) : stream_(stream) {
    const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    DLBENCH_CUDA(made);
    // Else the first launch would pay for it, inside a timed step.
    DLBENCH_CUDA(cudaGraphUpload(executable_, stream_));
  }
  ~CudaReplay() override { cudaGraphExecDestroy(executable_); }

  void launch() override { DLBENCH_CUDA(cudaGraphLaunch(executable_, stream_)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
  cudaStream_t stream_;
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

std::unique_ptr<Stream::Event> CudaStream::create_event() { return std::make_unique<CudaEvent>(); }

void CudaStream::record(Event& event) {
  DLBENCH_CUDA(cudaEventRecord(dynamic_cast<CudaEvent&>(event).handle(), stream_));
}

void CudaStream::wait_for(Event& event) {
  DLBENCH_CUDA(cudaStreamWaitEvent(stream_, dynamic_cast<CudaEvent&>(event).handle(), 0));
}

void CudaStream::synchronize() { DLBENCH_CUDA(cudaStreamSynchronize(stream_)); }

void CudaStream::copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) {
  DLBENCH_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_));
}

void CudaStream::copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
  DLBENCH_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_));
}

void CudaStream::copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) {
  DLBENCH_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
}

void CudaStream::fill_zero(std::byte* device, std::size_t bytes) {
  DLBENCH_CUDA(cudaMemsetAsync(device, 0, bytes, stream_));
}

bool CudaStream::begin_capture() {
  DLBENCH_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
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
  DLBENCH_CUDA(cudaStreamEndCapture(stream_, &graph));
  return std::make_unique<CudaReplay>(graph, stream_);
}

cudaStream_t handle_of(Stream& stream) { return dynamic_cast<CudaStream&>(stream).handle(); }

}  // namespace dlbench::backend::cuda
