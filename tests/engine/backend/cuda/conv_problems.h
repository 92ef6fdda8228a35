// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tests of cuDNN's plans ask for: the convolutions of a graph, in every precision, of
// devices that are not there.
#pragma once

#include "engine/backend/cuda/libraries/conv_plan.h"
#include "engine/core/dtype.h"
#include "engine/graph/graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::backend::cuda {

struct Precision {
  std::string name;
  core::DType dtype;
  bool allow_tf32;
};

/// fp32, tf32, bf16, fp16.
[[nodiscard]] const std::vector<Precision>& precisions();

/// Those of every convolution and transposed convolution and of their gradients, each once, sorted
/// by their text.
/// As the backend lowers them where nothing but the outputs is kept.
[[nodiscard]] std::vector<ConvProblem> problems_of(const graph::Graph& graph);

/// "h200", "a100": devices/<name>_device_properties.json. Fails the test if it is not there.
[[nodiscard]] CudnnDescriptor described_device(std::string_view name);

}  // namespace dlbench::backend::cuda
