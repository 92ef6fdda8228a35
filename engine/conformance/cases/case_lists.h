// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The lists of cases, one function per file of this folder, and shorthands for operands.
#pragma once

#include "engine/conformance/op_case.h"

#include <string>
#include <utility>
#include <vector>

namespace dlbench::conformance::cases {

[[nodiscard]] std::vector<OpCase> batch_norm();
[[nodiscard]] std::vector<OpCase> chains();
[[nodiscard]] std::vector<OpCase> conv();
[[nodiscard]] std::vector<OpCase> conv_transpose();
[[nodiscard]] std::vector<OpCase> dropout();
[[nodiscard]] std::vector<OpCase> linear();
[[nodiscard]] std::vector<OpCase> loss_scaling();
[[nodiscard]] std::vector<OpCase> losses();
[[nodiscard]] std::vector<OpCase> metrics();
[[nodiscard]] std::vector<OpCase> normalize();
[[nodiscard]] std::vector<OpCase> optimizers();
[[nodiscard]] std::vector<OpCase> pointwise();
[[nodiscard]] std::vector<OpCase> pooling();
[[nodiscard]] std::vector<OpCase> shape_ops();
[[nodiscard]] std::vector<OpCase> upsample();

/// The dtypes of activations.
[[nodiscard]] inline std::vector<core::DType> activation_dtypes() {
  return {core::DType::kF32, core::DType::kBF16, core::DType::kF16};
}

[[nodiscard]] inline Operand input(std::string name,
                                   const core::Shape& shape,
                                   Fill fill = Fill::kUniform) {
  return {.name = std::move(name), .shape = shape, .fill = fill};
}

[[nodiscard]] inline Operand parameter(std::string name,
                                       const core::Shape& shape,
                                       Fill fill = Fill::kUniform,
                                       Element element = Element::kCase) {
  return {.name = std::move(name),
          .shape = shape,
          .fill = fill,
          .storage = graph::Storage::kParameter,
          .element = element};
}

[[nodiscard]] inline Operand scalar(std::string name, Element element, double value) {
  return {.name = std::move(name),
          .shape = core::Shape{},
          .fill = Fill::kConstant,
          .storage = graph::Storage::kScalar,
          .element = element,
          .value = value};
}

[[nodiscard]] inline Operand mask(std::string name, const core::Shape& shape) {
  return {.name = std::move(name), .shape = shape, .fill = Fill::kMask, .element = Element::kU8};
}

[[nodiscard]] inline Operand labels(std::string name, std::int64_t batch, std::int64_t classes) {
  return {.name = std::move(name),
          .shape = core::Shape{batch},
          .fill = Fill::kLabels,
          .element = Element::kI32,
          .value = static_cast<double>(classes)};
}

}  // namespace dlbench::conformance::cases
