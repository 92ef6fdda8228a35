// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a cuDNN operation graph computes, read from what cuDNN was told and executed by what its
// documentation says of that (docs.nvidia.com/deeplearning/cudnn, "cudnn_graph Library").
#pragma once

#include "tests/engine/backend/cuda/fake/convolution.h"
#include "tests/engine/backend/cuda/fake/cudnn_records.h"
#include "tests/engine/backend/cuda/fake/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <variant>
#include <vector>

namespace dlbench::fake {

struct CudnnTensor {
  TensorView view;  ///< (N, C, spatial...)
  std::int64_t alignment = 1;
  bool is_virtual = false;
  bool is_written = false;
};

/// alpha times a convolution in one direction, plus beta times what was there.
struct ConvolutionStep {
  cudnnBackendDescriptorType_t direction = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
  ConvolutionShape shape;
  std::int64_t x = 0;  ///< ids of tensors
  std::int64_t w = 0;
  std::int64_t y = 0;
  float alpha = 1;
  float beta = 0;
  bool tf32 = false;

  [[nodiscard]] std::int64_t result() const;
};

/// y = alpha1 x + alpha2 b, with b repeated along axes of one element.
struct AdditionStep {
  std::int64_t x = 0;
  std::int64_t b = 0;
  std::int64_t y = 0;
  float alpha1 = 1;
  float alpha2 = 1;
};

struct CudnnProgram {
  std::map<std::int64_t, CudnnTensor> tensors;  ///< by unique id
  std::vector<std::variant<ConvolutionStep, AdditionStep>> steps;

  /// `addresses`: of all tensors that are not virtual. Reads and writes nothing else.
  void run(const std::map<std::int64_t, void*>& addresses) const;
  /// From now on every convolution reads, or writes, its filter from the other end.
  void turn_filters();
};

/// Of a finalised operation graph. `tf32`: the engine may round operands in f32. Throws
/// CudnnRefusal, CUDNN_STATUS_NOT_SUPPORTED for whatever it does not interpret.
[[nodiscard]] CudnnProgram cudnn_program(const CudnnRecord& graph, bool tf32);

}  // namespace dlbench::fake
