// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs bodies (geometry.h, reduce.h) on the device: the only place that launches kernels.
#pragma once

#include "engine/backend/cuda/failure_codes.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/once_per_device.h"
#include "engine/backend/cuda/kernels/reduce.h"
#include "engine/core/error.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <string>

namespace dlbench::backend::cuda {

[[nodiscard]] __device__ __forceinline__ Position position_here() {
  return {blockIdx.x, threadIdx.x, gridDim.x, blockDim.x};
}

template <typename Body>
__global__ void __launch_bounds__(kThreads, blocks_of<Body>())
    map_kernel(const __grid_constant__ Body body) {
  body(position_here());
}

template <typename Body>
__global__ void __launch_bounds__(kThreads, blocks_of<Body>())
    map_shared_kernel(const __grid_constant__ Body body) {
  __shared__ typename Body::Shared shared;
  if (threadIdx.x == 0) {
    body.prepare(shared);
  }
  __syncthreads();
  body(position_here(), shared);
}

template <typename Body>
__global__ void __launch_bounds__(kThreads, blocks_of<Body>())
    exchange_kernel(const __grid_constant__ Body body) {
  __shared__ typename Body::Shared shared;
  body.load(position_here(), shared);
  __syncthreads();
  body.store(position_here(), shared);
}

template <typename Body>
__global__ void __launch_bounds__(kThreads, blocks_of<Body>())
    reduce_kernel(const __grid_constant__ Body body) {
  __shared__ PartialTable<typename Body::Partial> table;
  const Position position = position_here();
  table.write(position.thread, body.gather(position));
  __syncthreads();
  for (std::uint32_t rows = position.threads / body.lanes; rows > 1; rows = rows_after(rows)) {
    tree_step(body, table, position.thread, rows);
    __syncthreads();
  }
  body.finish(position, table.read(position.thread % body.lanes));
}

/// Enqueues kernels on one stream of the current device.
class DeviceLauncher {
 public:
  explicit DeviceLauncher(StreamHandle stream) : stream_(stream) {}

  /// The number of blocks of map_shared's kernel that the device holds at once: if each must
  /// prepare something, more blocks would only prepare it more often. Results do not depend on it.
  template <typename Body>
  [[nodiscard]] std::uint32_t resident_blocks() const {
    static OncePerDevice answers;
    int device = 0;
    check(cudaGetDevice(&device));
    return answers.get(device, [device] {
      int of_each = 0;
      int multiprocessors = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &of_each, map_shared_kernel<Body>, kThreads, 0));
      check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
      return static_cast<std::uint32_t>(std::max(1, of_each * multiprocessors));
    });
  }

  template <typename Body>
  void map(const Body& body, std::uint32_t blocks, std::uint32_t threads) const {
    map_kernel<<<blocks, threads, 0, stream_>>>(body);
    check(cudaGetLastError());
  }
  template <typename Body>
  void map_shared(const Body& body, std::uint32_t blocks, std::uint32_t threads) const {
    map_shared_kernel<<<blocks, threads, 0, stream_>>>(body);
    check(cudaGetLastError());
  }
  template <typename Body>
  void exchange(const Body& body, std::uint32_t blocks, std::uint32_t threads) const {
    exchange_kernel<<<blocks, threads, 0, stream_>>>(body);
    check(cudaGetLastError());
  }
  template <typename Body>
  void reduce(const Body& body, std::uint32_t blocks, std::uint32_t threads) const {
    reduce_kernel<<<blocks, threads, 0, stream_>>>(body);
    check(cudaGetLastError());
  }

 private:
  static void check(cudaError_t status) {
    if (status != cudaSuccess) {
      throw core::Error(code_of_cuda(status),
                        std::string("a CUDA kernel could not be launched: ") +
                            cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
    }
  }

  StreamHandle stream_;
};

}  // namespace dlbench::backend::cuda
