// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/bandwidth_cases.h"

#include "engine/conformance/cases/case_lists.h"
#include "engine/graph/layers.h"

#include <string>
#include <tuple>
#include <utility>

namespace dlbench {
namespace {

using conformance::Element;
using conformance::Fill;
using conformance::OpCase;
using conformance::Operand;
using core::DType;
using core::Shape;
using graph::GraphBuilder;
using graph::OpKind;
using graph::Storage;
using graph::ValueId;
using Values = std::vector<ValueId>;

const std::vector<DType> kActivations{DType::kBF16, DType::kF32};

/// Of x, gamma, beta, running mean and variance, which come first in `in`.
ValueId norm(GraphBuilder& b, const Values& in) {
  b.add_node({.op = OpKind::kBatchNorm,
              .name = "bn",
              .attributes = graph::BatchNormAttributes{},
              .inputs = {in[0], in[1], in[2]},
              .updates = {in[3], in[4]}});
  return b.graph().nodes().back().outputs.at(0);
}

Values plain_norm(GraphBuilder& b, const Values& in) { return {norm(b, in)}; }

Values norm_relu(GraphBuilder& b, const Values& in) {
  return {graph::relu(b, norm(b, in), "relu")};
}

Values norm_add(GraphBuilder& b, const Values& in) {
  return {graph::add(b, norm(b, in), in[5], "sum")};
}

Values norm_add_relu(GraphBuilder& b, const Values& in) {
  return {graph::relu(b, graph::add(b, norm(b, in), in[5], "sum"), "relu")};
}

Values dice(GraphBuilder& b, const Values& in) {
  return {graph::dice_loss(b, in[0], in[1], "loss", 1.0F)};
}

Values add_four(GraphBuilder& b, const Values& in) {
  const ValueId left = graph::add(b, graph::add(b, in[0], in[1], "add1"), in[2], "add2");
  return {graph::add(b, left, in[3], "add3")};
}

/// A level of a decoder: the kernel that upsamples writes into the concatenation.
Values upsample_concat(GraphBuilder& b, const Values& in) {
  return {graph::concat(b, {graph::upsample2d(b, in[0], "up", 2), in[1]}, "concat")};
}

OpCase op_case(OpKind op, std::vector<Operand> inputs, graph::Attributes attributes = {}) {
  return {.op = op,
          .note = std::string(graph::name(op)),
          .attributes = std::move(attributes),
          .inputs = std::move(inputs),
          .dtypes = kActivations};
}

OpCase chain_case(std::string note,
                  conformance::BuildChain build,
                  std::vector<Operand> inputs,
                  std::vector<DType> dtypes = kActivations) {
  return {.note = std::move(note),
          .inputs = std::move(inputs),
          .dtypes = std::move(dtypes),
          .build = build};
}

/// Batch norm over x and what follows it, `more` behind its own operands.
OpCase norm_case(std::string note,
                 conformance::BuildChain build,
                 const Shape& x,
                 const std::vector<Operand>& more = {}) {
  const Shape channels{x[1]};
  const auto running = [&](std::string name, Fill fill) {
    return Operand{.name = std::move(name),
                   .shape = channels,
                   .fill = fill,
                   .storage = Storage::kBuffer,
                   .element = Element::kF32};
  };
  using conformance::cases::parameter;
  std::vector<Operand> inputs{conformance::cases::input("x", x),
                              parameter("gamma", channels, Fill::kPositive, Element::kF32),
                              parameter("beta", channels, Fill::kUniform, Element::kF32),
                              running("running_mean", Fill::kUniform),
                              running("running_var", Fill::kPositive)};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return chain_case(std::move(note), build, std::move(inputs));
}

/// One parameter with its gradient and states, all of `shape` in f32.
OpCase update_case(OpKind op, const Shape& shape, const std::vector<std::string>& states) {
  using conformance::cases::parameter;
  using conformance::cases::scalar;
  OpCase result{.op = op,
                .note = std::string(graph::name(op)),
                .attributes = graph::OptimizerAttributes{.epsilon = 1e-6},
                .inputs = {scalar("learning_rate", Element::kF32, 0.125),
                           {.name = "coefficients",
                            .shape = Shape{8},
                            .fill = Fill::kProbability,
                            .storage = Storage::kScalar,
                            .element = Element::kF64},
                           {.name = "grad/weight",
                            .shape = shape,
                            .storage = Storage::kGradient,
                            .parameter = "weight"}},
                .updates = {parameter("weight", shape)}};
  for (const std::string& state : states) {
    result.updates.push_back({.name = state + "/weight",
                              .shape = shape,
                              .fill = Fill::kPositive,
                              .storage = Storage::kOptimizerState,
                              .parameter = "weight"});
  }
  return result;
}

}  // namespace

std::vector<OpCase> bandwidth_cases(const BandwidthSizes& sizes) {
  using conformance::cases::input;
  using conformance::cases::mask;
  using conformance::cases::scalar;
  const auto [n, c, side] = std::tuple(sizes.batch, sizes.channels, sizes.side);
  const Shape whole{n, c, side, side};
  const Shape half_channels{n, c / 2, side, side};
  const Shape small{n, c, side / 2, side / 2};
  const Shape parameters{whole.elements() / 2};  // as many bytes in f32 as `whole` in bf16
  const graph::Spatial two{2, 2, 1};
  return {
      op_case(OpKind::kAdd, {input("a", whole), input("b", whole)}),
      op_case(OpKind::kRelu, {input("x", whole, Fill::kAwayFromZero)}),
      norm_case("batch_norm", plain_norm, whole),
      norm_case("batch_norm+relu", norm_relu, whole),
      norm_case("batch_norm+add", norm_add, whole, {input("z", whole)}),
      norm_case("batch_norm+add+relu", norm_add_relu, whole, {input("z", whole)}),
      op_case(OpKind::kMaxPool,
              {input("x", whole, Fill::kDistinct)},
              graph::PoolAttributes{.kernel = two, .stride = two}),
      op_case(
          OpKind::kUpsampleNearest, {input("x", small)}, graph::UpsampleAttributes{.factor = two}),
      op_case(OpKind::kConcat, {input("a", half_channels), input("b", half_channels)}),
      chain_case("add+add+add",
                 add_four,
                 {input("a", whole), input("b", whole), input("c", whole), input("d", whole)}),
      chain_case("upsample_nearest+concat",
                 upsample_concat,
                 {input("x", {n, c / 2, side / 2, side / 2}), input("skip", half_channels)}),
      op_case(OpKind::kScaleChannels,
              {input("x", whole), input("gate", {n, c}, Fill::kProbability)}),
      op_case(OpKind::kDropout,
              {input("x", whole, Fill::kAwayFromZero),
               scalar("seed", Element::kI64, 1234567890123.0),
               scalar("step", Element::kI64, 7),
               scalar("first_sample", Element::kI64, 0)},
              graph::DropoutAttributes{.rate = 0.25F, .key = 3}),
      op_case(OpKind::kGlobalAvgPool, {input("x", whole)}),
      chain_case("dice",
                 dice,
                 {input("p", {n * c, 1, side, side}, Fill::kProbability),
                  mask("mask", {n * c, side, side})},
                 {DType::kF32}),
      update_case(OpKind::kSgd, parameters, {"velocity"}),
      update_case(OpKind::kAdam, parameters, {"m", "v"}),
      update_case(OpKind::kNadam, parameters, {"m", "v"}),
      update_case(OpKind::kAdadelta, parameters, {"square", "delta"}),
  };
}

}  // namespace dlbench
