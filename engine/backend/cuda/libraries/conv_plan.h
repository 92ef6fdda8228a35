// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The execution plans that cuDNN offers for a convolution, for a device or for the description of a
// device, so that nearly the same code works with and without a GPU.
#pragma once

#include "engine/backend/cuda/conv_problem.h"
#include "engine/backend/cuda/libraries/cudnn_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::backend::cuda {

/// Makes cuDNN's description of a device from the JSON that gpu_test wrote on such a device
/// (tests/gpu/device_properties_test.cpp).
[[nodiscard]] CudnnDescriptor device_properties(std::string_view json);

/// What plans are made for: a device, whose handle executes them, or the description of a device,
/// on which nothing can be executed. Either is kept as a reference.
class PlanTarget {
 public:
  explicit PlanTarget(cudnnHandle_t handle) : handle_(handle) {}
  explicit PlanTarget(const CudnnDescriptor& description) : description_(&description) {}

  /// Set the target in the three kinds of descriptors that need it.
  void tell_graph(CudnnDescriptor& graph) const;
  void tell_heuristics(CudnnDescriptor& heuristics) const;
  void tell_plan(CudnnDescriptor& plan) const;

 private:
  cudnnHandle_t handle_ = nullptr;
  const CudnnDescriptor* description_ = nullptr;
};

/// Which plans are acceptable.
struct ConvPolicy {
  bool allow_tf32 = false;  ///< for f32: operands may be reduced to 10 bits of mantissa
  bool deterministic = false;
  bool direct = false;               ///< no Winograd and no FFT, which round differently
  std::int64_t workspace_limit = 0;  ///< bytes; 0: none
};

/// Unique ids of the tensors in the variant pack; the bias only for a plan that fuses an epilogue
/// with bias.
enum ConvTensor : std::int64_t { kConvX = 'x', kConvW = 'w', kConvY = 'y', kConvBias = 'b' };

struct ConvPlan {
  CudnnDescriptor plan;
  std::string name;  ///< "eng38{2=1,13=0}+bias": engine, its knobs, the epilogue that it fuses;
                     ///< equal names, equal plans
  std::int64_t engine = 0;  ///< cuDNN's engine number
  std::string notes;        ///< "tensor_core, nondeterministic": as cuDNN describes the engine
  std::size_t workspace_bytes = 0;
  bool tensor_core = false;
  bool transformed = false;     ///< Winograd or FFT, which round differently
  bool repeatable = true;       ///< false: cuDNN calls the engine nondeterministic
  bool fuses_epilogue = false;  ///< false: an epilogue is left to the caller
};

/// Returns acceptable plans, best first by cuDNN's own order: if the epilogue is fusible, at most
/// `most` that fuse it; after them those that do not, `most` of heuristics A and as many more of B
/// (none of B if `most` = 1). Engines that compile at run time are left out: they cost up to a
/// second each, and there are better ones for dense convolutions. Throws core::Error(kUnavailable)
/// if there is none, naming the problem and cuDNN's last failure other than "not supported".
[[nodiscard]] std::vector<ConvPlan> find_conv_plans(const ConvProblem& problem,
                                                    const ConvPolicy& policy,
                                                    const PlanTarget& target,
                                                    std::size_t most);

}  // namespace dlbench::backend::cuda
