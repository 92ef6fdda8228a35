// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The own kernels' launches, as device_launcher.cuh makes them.
#include "engine/backend/cuda/failure_codes.h"
#include "engine/core/error.h"
#include "tests/engine/backend/cuda/fake/device.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <utility>

namespace dlbench::backend::cuda {

void enqueue_kernel(StreamHandle stream, std::function<void()> loops) {
  // A function's name: the launcher's, whose template argument is the kernel's body.
  const std::string name = std::string("_Z") + loops.target_type().name();
  const cudaError_t status = fake::launch(stream, std::move(loops), {.kernel = name});
  if (status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    throw core::Error(code_of_cuda(status),
                      std::string("a CUDA kernel could not be launched: ") +
                          cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
  }
}

}  // namespace dlbench::backend::cuda
