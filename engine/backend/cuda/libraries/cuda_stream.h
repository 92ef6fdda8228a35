// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA streams, events and graphs that implement the interfaces of engine/backend/backend.h.
#pragma once

#include "engine/backend/backend.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace dlbench::backend::cuda {

enum class StreamPriority { kNormal, kHigh };

/// Non-blocking with respect to the default stream. Capture only affects the calling thread, so
/// that loader and monitor threads may call CUDA meanwhile.
class CudaStream final : public Stream {
 public:
  explicit CudaStream(StreamPriority priority = StreamPriority::kNormal);
  ~CudaStream() override;

  [[nodiscard]] cudaStream_t handle() const { return stream_; }

  [[nodiscard]] std::unique_ptr<Event> create_event() override;
  [[nodiscard]] std::unique_ptr<Event> create_order_event() override;
  void record(Event& event) override;
  void record_time(Event& event) override;
  void wait_for(Event& event) override;
  void synchronize() override;
  void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) override;
  void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) override;
  void copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void fill_zero(std::byte* device, std::size_t bytes) override;
  void convert(const Conversion& conversion) override;
  bool begin_capture() override;
  [[nodiscard]] std::int64_t captured_work() override;
  std::unique_ptr<Replay> end_capture() override;
  void abandon_capture() override;

 private:
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);

  cudaStream_t stream_ = nullptr;
  bool capturing_ = false;
  std::vector<cudaGraphNode_t> time_nodes_;  ///< of the capture, one per record_time()
};

/// The CUDA stream of a Stream of this backend.
[[nodiscard]] cudaStream_t handle_of(Stream& stream);

}  // namespace dlbench::backend::cuda
