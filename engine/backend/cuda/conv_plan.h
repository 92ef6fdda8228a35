// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The execution plans that cuDNN offers for a convolution: asked of a description of the device, so
// that the same code answers with and without a GPU.
#pragma once

#include "engine/backend/cuda/conv_problem.h"
#include "engine/backend/cuda/cudnn_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::backend::cuda {

/// What cuDNN knows of a device.
[[nodiscard]] CudnnDescriptor device_properties(cudnnHandle_t handle);
/// From the JSON that gpu_test wrote on such a device (tests/gpu/device_properties_test.cpp).
[[nodiscard]] CudnnDescriptor device_properties(std::string_view json);

/// Which plans are acceptable.
struct ConvPolicy {
  bool allow_tf32 = false;  ///< for f32: operands may be rounded to 10 bits of mantissa
  bool deterministic = false;
  bool direct = false;               ///< no Winograd and no FFT, which round otherwise
  std::int64_t workspace_limit = 0;  ///< bytes; 0: none
};

/// Unique ids of the three tensors in the variant pack.
enum ConvTensor : std::int64_t { kConvX = 'x', kConvW = 'w', kConvY = 'y' };

struct ConvPlan {
  CudnnDescriptor plan;
  std::string name;   ///< "eng38{2=1,13=0}": engine and its knobs; equal names, equal plans
  std::string notes;  ///< "tensor_core, nondeterministic": as cuDNN describes the engine
  std::size_t workspace_bytes = 0;
  bool tensor_core = false;
};

/// Acceptable plans, best first by cuDNN's own order, at most `most`. Engines that compile at run
/// time are left out: they cost up to a second each and dense convolutions have better ones.
/// Throws core::Error(kUnavailable), naming the problem, if there is none.
[[nodiscard]] std::vector<ConvPlan> find_conv_plans(const ConvProblem& problem,
                                                    const ConvPolicy& policy,
                                                    const CudnnDescriptor& device,
                                                    std::size_t most);

}  // namespace dlbench::backend::cuda
