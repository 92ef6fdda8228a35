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

const std::vector<DType> kActivations{DType::kBF16, DType::kF16, DType::kF32};
const std::vector<DType> k16Bits{DType::kBF16, DType::kF16};

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

/// x goes on beside its batch norm, as past a residual unit: two gradients of it are summed.
Values norm_relu_beside(GraphBuilder& b, const Values& in) {
  return {graph::relu(b, norm(b, in), "relu"), graph::relu(b, in[0], "beside")};
}

/// Squeeze and excitation, less its two layers.
Values gate_of_average(GraphBuilder& b, const Values& in) {
  const ValueId gate = graph::sigmoid(b, graph::global_avg_pool(b, in[0], "pool"), "gate");
  return {graph::scale_channels(b, in[0], gate, "scale")};
}

/// Behind a relu, whose result lies as the backend has it: an input would lie in rows.
Values relu_flatten(GraphBuilder& b, const Values& in) {
  return {graph::flatten(b, graph::relu(b, in[0], "relu"), "reshape")};
}

ValueId cast(GraphBuilder& b, ValueId x, DType to, const std::string& name) {
  b.add_node(
      {.op = OpKind::kCast, .name = name, .attributes = graph::CastAttributes{to}, .inputs = {x}});
  return b.graph().nodes().back().outputs.at(0);
}

/// All parameters of a step, and their gradients back.
template <DType to>
Values casts(GraphBuilder& b, const Values& in) {
  Values copies;
  for (const ValueId parameter : in) {
    copies.push_back(cast(b, parameter, to, b.graph().value(parameter).name + "/cast"));
  }
  return copies;
}

/// An image on its way into the first convolution, for which backends may pad its channels.
template <DType to>
Values image_cast(GraphBuilder& b, const Values& in) {
  const ValueId x = cast(b, graph::normalize_image(b, in[0], "normalize", {}), to, "cast");
  b.add_node({.op = OpKind::kConv,
              .name = "conv",
              .attributes = graph::ConvAttributes{.pad_begin = {1, 1, 0}, .pad_end = {1, 1, 0}},
              .inputs = {x, cast(b, in[1], to, "weight/cast")}});
  return {b.graph().nodes().back().outputs.at(0)};
}

Values dice(GraphBuilder& b, const Values& in) {
  return {graph::dice_loss(b, in[0], in[1], "loss", 1.0F)};
}

Values add_four(GraphBuilder& b, const Values& in) {
  const ValueId left = graph::add(b, graph::add(b, in[0], in[1], "add1"), in[2], "add2");
  return {graph::add(b, left, in[3], "add3")};
}

/// A level of a decoder: the kernel that upsamples writes into the concatenation. The relu behind
/// it gives it a gradient of its own, which backends may read in parts; an input would be copied.
Values upsample_concat(GraphBuilder& b, const Values& in) {
  const ValueId up = graph::upsample2d(b, in[0], "up", 2);
  return {graph::relu(b, graph::concat(b, {up, in[1]}, "concat"), "relu")};
}

/// The parts go on beside the concatenation: their gradients are sums of two and of three, one of
/// which may be a range of the concatenation's.
Values concat_beside(GraphBuilder& b, const Values& in) {
  return {graph::relu(b, graph::concat(b, {in[0], in[1]}, "concat"), "relu"),
          graph::multiply(b, in[0], in[1], "multiply"),
          graph::sigmoid(b, in[1], "beside")};
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

/// Parameters of `elements` in all, in f32.
OpCase casts_case(conformance::BuildChain build, std::int64_t elements, DType to) {
  std::vector<Operand> parameters;
  for (const char* name : {"a", "b", "c", "d"}) {
    parameters.push_back(
        conformance::cases::parameter(name, Shape{elements / 4}, Fill::kUniform, Element::kF32));
  }
  return chain_case("casts", build, std::move(parameters), {to});
}

/// Images of three channels, of `floats` elements in all.
Operand images(std::int64_t floats, std::int64_t side) {
  return {.name = "image",
          .shape = Shape{floats / (4 * side * side), side, side, 3},
          .fill = Fill::kBytes,
          .element = Element::kU8};
}

OpCase image_case(conformance::BuildChain build, const Operand& image, DType to) {
  using conformance::cases::parameter;
  return chain_case("normalize_image+cast",
                    build,
                    {image, parameter("weight", {8, 3, 3, 3}, Fill::kUniform, Element::kF32)},
                    {to});
}

/// The gradients of a bucket, here the parameters themselves.
OpCase unscale_case(const Shape& shape) {
  using conformance::cases::parameter;
  using conformance::cases::scalar;
  return {.op = OpKind::kUnscaleGradients,
          .note = std::string(graph::name(OpKind::kUnscaleGradients)),
          .inputs = {scalar("loss_scale", Element::kF32, 1.0)},
          .updates = {parameter("gradient", shape), scalar("found_inf", Element::kF32, 0.0)}};
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
  using conformance::cases::parameter;
  using conformance::cases::scalar;
  const auto [n, c, side] = std::tuple(sizes.batch, sizes.channels, sizes.side);
  const Shape whole{n, c, side, side};
  const Shape half_channels{n, c / 2, side, side};
  const Shape small{n, c, side / 2, side / 2};
  const Shape parameters{whole.elements() / 2};  // as many bytes in f32 as `whole` in 16 bits
  const graph::Spatial two{2, 2, 1};
  // Of one channel, as what a segmentation predicts.
  const Operand prediction = input("p", {n * c, 1, side, side}, Fill::kProbability);
  const Operand truth = mask("mask", {n * c, side, side});
  const Operand image = images(whole.elements(), side);
  OpCase widen = op_case(OpKind::kCast, {input("x", whole)}, graph::CastAttributes{DType::kF32});
  widen.dtypes = k16Bits;
  OpCase normalize = op_case(OpKind::kNormalizeImage, {image}, graph::NormalizeAttributes{});
  normalize.dtypes = {DType::kF32};
  OpCase counts =
      op_case(OpKind::kSegmentationCounts, {prediction, truth}, graph::ThresholdAttributes{});
  counts.dtypes = {DType::kF32};
  return {
      op_case(OpKind::kAdd, {input("a", whole), input("b", whole)}),
      op_case(OpKind::kMultiply, {input("a", whole), input("b", whole)}),
      op_case(OpKind::kRelu, {input("x", whole, Fill::kAwayFromZero)}),
      op_case(OpKind::kSigmoid, {input("x", whole)}),
      op_case(OpKind::kAddBias, {input("x", whole), parameter("bias", {c})}),
      std::move(widen),
      casts_case(casts<DType::kBF16>, parameters.elements(), DType::kBF16),
      casts_case(casts<DType::kF16>, parameters.elements(), DType::kF16),
      std::move(normalize),
      image_case(image_cast<DType::kBF16>, image, DType::kBF16),
      image_case(image_cast<DType::kF16>, image, DType::kF16),
      norm_case("batch_norm", plain_norm, whole),
      norm_case("batch_norm+relu", norm_relu, whole),
      norm_case("batch_norm+relu+beside", norm_relu_beside, whole),
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
      chain_case(
          "concat+beside", concat_beside, {input("a", half_channels), input("b", half_channels)}),
      chain_case("relu+reshape", relu_flatten, {input("x", whole, Fill::kAwayFromZero)}),
      chain_case("global_avg_pool+scale_channels", gate_of_average, {input("x", whole)}),
      op_case(OpKind::kScaleChannels,
              {input("x", whole), input("gate", {n, c}, Fill::kProbability)}),
      op_case(OpKind::kDropout,
              {input("x", whole, Fill::kAwayFromZero),
               scalar("seed", Element::kI64, 1234567890123.0),
               scalar("step", Element::kI64, 7),
               scalar("first_sample", Element::kI64, 0)},
              graph::DropoutAttributes{.rate = 0.25F, .key = 3}),
      op_case(OpKind::kGlobalAvgPool, {input("x", whole)}),
      chain_case("dice", dice, {prediction, truth}, {DType::kF32}),
      std::move(counts),
      unscale_case(parameters),
      update_case(OpKind::kSgd, parameters, {"velocity"}),
      update_case(OpKind::kAdam, parameters, {"m", "v"}),
      update_case(OpKind::kNadam, parameters, {"m", "v"}),
      update_case(OpKind::kAdadelta, parameters, {"square", "delta"}),
  };
}

}  // namespace dlbench
