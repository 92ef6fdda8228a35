// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

using graph::OpKind;

struct NamedShape {
  const char* note;
  core::Shape shape;
};

std::vector<NamedShape> shapes() {
  return {{"blocked channels", {2, 32, 8, 8}},
          {"prime sizes", {3, 7, 5, 11}},
          {"one element", {1, 1, 1, 1}},
          {"matrix", {5, 37}},
          {"volume", {2, 3, 4, 5, 6}}};
}

OpCase unary_case(OpKind op, const NamedShape& shape, Fill fill, Accuracy accuracy) {
  return {.op = op,
          .note = shape.note,
          .inputs = {input("x", shape.shape, fill)},
          .dtypes = activation_dtypes(),
          .accuracy = accuracy};
}

OpCase binary_case(OpKind op, const NamedShape& shape) {
  return {.op = op,
          .note = shape.note,
          .inputs = {input("a", shape.shape), input("b", shape.shape)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kRounding};
}

OpCase gate_case(const NamedShape& shape) {
  return {.op = OpKind::kScaleChannels,
          .note = shape.note,
          .inputs = {input("x", shape.shape),
                     input("gate", {shape.shape[0], shape.shape[1]}, Fill::kProbability)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kReduction};
}

OpCase bias_case(const NamedShape& shape) {
  return {.op = OpKind::kAddBias,
          .note = shape.note,
          .inputs = {input("x", shape.shape), parameter("bias", {shape.shape[1]})},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kReduction};
}

}  // namespace

std::vector<OpCase> pointwise() {
  std::vector<OpCase> list;
  for (const NamedShape& shape : shapes()) {
    list.push_back(unary_case(OpKind::kRelu, shape, Fill::kAwayFromZero, Accuracy::kExact));
    list.push_back(unary_case(OpKind::kSigmoid, shape, Fill::kUniform, Accuracy::kTranscendental));
    list.push_back(binary_case(OpKind::kAdd, shape));
    list.push_back(binary_case(OpKind::kMultiply, shape));
    if (shape.shape.rank() > 2) {
      list.push_back(bias_case(shape));
      list.push_back(gate_case(shape));
    }
  }
  OpCase far = unary_case(OpKind::kSigmoid,
                          {"far from zero", {2, 16, 4, 4}},
                          Fill::kSaturating,
                          Accuracy::kTranscendental);
  far.mostly_zero = {"grad_x"};
  far.smooth = false;
  list.push_back(std::move(far));
  // A single element could be negative, and ReLU would then give only zero.
  for (OpCase& item : list) {
    if (item.op == OpKind::kRelu && item.inputs[0].shape.elements() == 1) {
      item.inputs[0].fill = Fill::kPositive;
    }
  }
  return list;
}

}  // namespace dlbench::conformance::cases
