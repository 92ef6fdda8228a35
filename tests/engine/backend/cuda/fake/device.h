// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A device that the host pretends to have: what stands in for NVIDIA's libraries enqueues its work
// here (see README.md).
#pragma once

#include "tests/engine/backend/cuda/fake/observer.h"

#include <cuda_runtime_api.h>

#include <functional>
#include <string>

namespace dlbench::fake {

/// What a kernel does, on a thread of its stream. It may run more than once where it is recorded.
using Work = std::function<void()>;

/// What a profiler sees of a launch: the kernel's name, as a compiler mangles it, and the call.
struct Launch {
  std::string kernel = "kernel";
  const char* call = "cudaLaunchKernel";
  Api api = Api::kRuntime;
};

/// As cudaLaunchKernel: enqueues a kernel, or adds it as a node to what `stream` records. Refused
/// as CUDA refuses it: for a stream of another device than the calling thread's, after the device
/// failed, for what records nothing any more.
cudaError_t launch(cudaStream_t stream, Work work, const Launch& launch = {});

/// The device of the stream fails from now on, as after an illegal address: every later call says
/// `error`. For kernels, on the thread of their stream.
void fail_device(cudaError_t error);

/// Whether all of [data, data + bytes) is in one allocation of the device.
[[nodiscard]] bool is_device_memory(const void* data, std::size_t bytes);

}  // namespace dlbench::fake
