// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

using graph::BatchNormAttributes;

Operand running(std::string name, std::int64_t channels, Fill fill) {
  return {.name = std::move(name),
          .shape = core::Shape{channels},
          .fill = fill,
          .storage = graph::Storage::kBuffer,
          .element = Element::kStatistics};
}

OpCase train_case(std::string note,
                  const core::Shape& x,
                  Fill fill = Fill::kUniform,
                  const BatchNormAttributes& attributes = {}) {
  const core::Shape channels{x[1]};
  return {.op = graph::OpKind::kBatchNorm,
          .note = std::move(note),
          .attributes = attributes,
          .inputs = {input("x", x, fill),
                     parameter("gamma", channels, Fill::kPositive, Element::kStatistics),
                     parameter("beta", channels, Fill::kUniform, Element::kStatistics)},
          .updates = {running("running_mean", x[1], Fill::kUniform),
                      running("running_var", x[1], Fill::kPositive)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kReduction};
}

OpCase inference_case(std::string note, const core::Shape& x) {
  const core::Shape channels{x[1]};
  return {.op = graph::OpKind::kBatchNormInference,
          .note = std::move(note),
          .attributes = BatchNormAttributes{.epsilon = 1e-3F},
          .inputs = {input("x", x),
                     parameter("gamma", channels, Fill::kPositive, Element::kStatistics),
                     parameter("beta", channels, Fill::kUniform, Element::kStatistics),
                     running("running_mean", x[1], Fill::kUniform),
                     running("running_var", x[1], Fill::kPositive)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kTranscendental};
}

}  // namespace

std::vector<OpCase> batch_norm() {
  const BatchNormAttributes keras{.momentum = 0.99F, .epsilon = 1e-3F};
  std::vector<OpCase> list{
      train_case("blocked channels", {4, 16, 8, 8}, Fill::kUniform, keras),
      train_case("prime sizes", {3, 7, 5, 11}),
      train_case("one channel", {2, 1, 6, 6}),
      train_case("more channels than two blocks", {2, 37, 3, 3}),
      train_case("mean far from zero: squares must not be subtracted",
                 {4, 16, 6, 6},
                 Fill::kOffset,
                 keras),
      train_case("one pixel", {5, 16, 1, 1}),
      train_case("an outlier first: no origin of sums", {4, 16, 16, 16}, Fill::kOutlierFirst),
      train_case("momentum 0", {2, 4, 4, 4}, Fill::kUniform, {.momentum = 0.0F}),
      train_case("variance below epsilon", {4, 5, 6, 6}, Fill::kTiny),
      train_case("volume", {2, 5, 3, 4, 5}),
      train_case(
          "a picture of one colour: no variance at all", {4, 5, 8, 8}, Fill::kConstant, keras),
      inference_case("blocked channels", {2, 16, 6, 6}),
      inference_case("prime sizes", {3, 7, 5, 11}),
      inference_case("volume", {1, 3, 4, 4, 4}),
  };
  // Rounding 10 + u to 16 bits leaves only a few distinct values, which would test nothing.
  list[4].dtypes = {core::DType::kF32};
  // The sums lose less accuracy than rounding to 16 bits does, which would hide it.
  list[6].dtypes = {core::DType::kF32};
  list[8].smooth = false;
  // 256 times 0.75 and the mean are exact, so x minus its mean must be exactly zero.
  list[10].inputs[0].value = 0.75;
  list[10].mostly_zero = {"grad/gamma"};
  list[10].smooth = false;
  return list;
}

}  // namespace dlbench::conformance::cases
