// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// For every op operands that fit its shape rule, and operands that do not. The checks are in
// op_shapes_test.cpp.
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/graph/graph.h"

#include <string>
#include <vector>

namespace dlbench::graph::testing {

struct Tensor {
  core::DType dtype = core::DType::kF32;
  core::Shape shape;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct ShapeCase {
  OpKind op;
  std::vector<Tensor> inputs;
  Attributes attributes{};
  std::vector<Tensor> updates{};
  std::vector<Tensor> outputs{};  ///< of a good case
  std::string error{};            ///< of a bad one
};

[[nodiscard]] std::vector<ShapeCase> good_shape_cases();
[[nodiscard]] std::vector<ShapeCase> bad_shape_cases();

}  // namespace dlbench::graph::testing
