// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/layers.h"

#include "engine/core/check.h"

#include <algorithm>
#include <cmath>

namespace dlbench::graph {
namespace {

Initializer weight_initializer(WeightInit init, std::int64_t fan_in, std::int64_t fan_out) {
  switch (init) {
    case WeightInit::kGlorotUniform:
      return {.kind = Initializer::Kind::kGlorotUniform, .fan_in = fan_in, .fan_out = fan_out};
    case WeightInit::kHeNormal:
      return {.kind = Initializer::Kind::kHeNormal, .fan_in = fan_in, .fan_out = fan_out};
    case WeightInit::kTorchDefault:
      return {.kind = Initializer::Kind::kUniform,
              .value = 1.0 / std::sqrt(static_cast<double>(fan_in))};
  }
  return {};
}

Initializer bias_initializer(WeightInit init, std::int64_t fan_in) {
  return init == WeightInit::kTorchDefault ? weight_initializer(init, fan_in, 1) : Initializer{};
}

ValueId unary(GraphBuilder& builder, OpKind op, ValueId x, const std::string& name) {
  return builder.add({.op = op, .name = name, .inputs = {x}});
}

// Keras' "same" padding: output = ceil(input / stride), an odd element of padding goes to the end.
void pad_same(ConvAttributes& conv, const core::Shape& x, std::int64_t kernel) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t extent = x[axis + 2];
    const std::int64_t output = (extent + conv.stride[axis] - 1) / conv.stride[axis];
    const std::int64_t span = (kernel - 1) * conv.dilation[axis] + 1;
    const std::int64_t pad =
        std::max<std::int64_t>(0, (output - 1) * conv.stride[axis] + span - extent);
    conv.pad_begin[axis] = pad / 2;
    conv.pad_end[axis] = pad - pad / 2;
  }
}

}  // namespace

ValueId conv2d(GraphBuilder& builder,
               ValueId x,
               const std::string& name,
               const Conv2dParams& params) {
  const core::Shape shape = builder.graph().value(x).shape;
  DLBENCH_CHECK(shape.rank() == 4) << name << " needs (N, C, H, W), got " << shape.to_string();
  const core::DType dtype = builder.graph().value(x).dtype;
  const std::int64_t taps = params.kernel * params.kernel;
  const std::int64_t fan_in = shape[1] * taps;
  const ValueId weight =
      builder.add_state(Storage::kParameter,
                        name + ".weight",
                        dtype,
                        core::Shape{params.channels_out, shape[1], params.kernel, params.kernel},
                        weight_initializer(params.init, fan_in, params.channels_out * taps));
  std::vector<ValueId> inputs{x, weight};
  if (params.bias) {
    inputs.push_back(builder.add_state(Storage::kParameter,
                                       name + ".bias",
                                       dtype,
                                       core::Shape{params.channels_out},
                                       bias_initializer(params.init, fan_in)));
  }
  ConvAttributes conv;
  conv.stride = {params.stride, params.stride, 1};
  conv.dilation = {params.dilation, params.dilation, 1};
  if (params.padding == Padding::kSameKeras) {
    pad_same(conv, shape, params.kernel);
  }
  return builder.add({.op = OpKind::kConv, .name = name, .attributes = conv, .inputs = inputs});
}

ValueId conv_transpose2d(GraphBuilder& builder,
                         ValueId x,
                         const std::string& name,
                         const ConvTranspose2dParams& params) {
  const core::Shape shape = builder.graph().value(x).shape;
  DLBENCH_CHECK(shape.rank() == 4) << name << " needs (N, C, H, W), got " << shape.to_string();
  const core::DType dtype = builder.graph().value(x).dtype;
  const std::int64_t taps = params.kernel * params.kernel;
  const std::int64_t fan_in = params.channels_out * taps;
  const ValueId weight =
      builder.add_state(Storage::kParameter,
                        name + ".weight",
                        dtype,
                        core::Shape{shape[1], params.channels_out, params.kernel, params.kernel},
                        weight_initializer(params.init, fan_in, shape[1] * taps));
  ConvTransposeAttributes attributes;
  attributes.conv.stride = {params.stride, params.stride, 1};
  attributes.conv.pad_begin = {params.padding, params.padding, 0};
  attributes.conv.pad_end = attributes.conv.pad_begin;
  attributes.output_padding = {params.output_padding, params.output_padding, 0};
  const ValueId y = builder.add({.op = OpKind::kConvTranspose,
                                 .name = name,
                                 .attributes = attributes,
                                 .inputs = {x, weight}});
  if (!params.bias) {
    return y;
  }
  const ValueId bias = builder.add_state(Storage::kParameter,
                                         name + ".bias",
                                         dtype,
                                         core::Shape{params.channels_out},
                                         bias_initializer(params.init, fan_in));
  return builder.add({.op = OpKind::kAddBias, .name = name + "/bias", .inputs = {y, bias}});
}

ValueId batch_norm(GraphBuilder& builder,
                   ValueId x,
                   const std::string& name,
                   const BatchNormAttributes& attributes) {
  const core::Shape channels{builder.graph().value(x).shape[1]};
  const core::DType dtype = builder.graph().value(x).dtype;
  const Initializer one{.kind = Initializer::Kind::kConstant, .value = 1.0};
  const ValueId gamma =
      builder.add_state(Storage::kParameter, name + ".weight", dtype, channels, one);
  const ValueId beta = builder.add_state(Storage::kParameter, name + ".bias", dtype, channels, {});
  const ValueId mean =
      builder.add_state(Storage::kBuffer, name + ".running_mean", dtype, channels, {});
  const ValueId variance =
      builder.add_state(Storage::kBuffer, name + ".running_var", dtype, channels, one);
  if (builder.graph().mode() == Mode::kEvaluate) {
    return builder.add({.op = OpKind::kBatchNormInference,
                        .name = name,
                        .attributes = attributes,
                        .inputs = {x, gamma, beta, mean, variance}});
  }
  return builder.add({.op = OpKind::kBatchNorm,
                      .name = name,
                      .attributes = attributes,
                      .inputs = {x, gamma, beta},
                      .updates = {mean, variance}});
}

ValueId linear(GraphBuilder& builder,
               ValueId x,
               const std::string& name,
               const LinearParams& params) {
  const core::Shape shape = builder.graph().value(x).shape;
  DLBENCH_CHECK(shape.rank() == 2) << name << " needs (N, I), got " << shape.to_string();
  const core::DType dtype = builder.graph().value(x).dtype;
  const ValueId weight =
      builder.add_state(Storage::kParameter,
                        name + ".weight",
                        dtype,
                        core::Shape{params.features_out, shape[1]},
                        weight_initializer(params.init, shape[1], params.features_out));
  std::vector<ValueId> inputs{x, weight};
  if (params.bias) {
    inputs.push_back(builder.add_state(Storage::kParameter,
                                       name + ".bias",
                                       dtype,
                                       core::Shape{params.features_out},
                                       bias_initializer(params.init, shape[1])));
  }
  return builder.add({.op = OpKind::kLinear, .name = name, .inputs = inputs});
}

ValueId relu(GraphBuilder& builder, ValueId x, const std::string& name) {
  return unary(builder, OpKind::kRelu, x, name);
}

ValueId sigmoid(GraphBuilder& builder, ValueId x, const std::string& name) {
  return unary(builder, OpKind::kSigmoid, x, name);
}

ValueId add(GraphBuilder& builder, ValueId a, ValueId b, const std::string& name) {
  return builder.add({.op = OpKind::kAdd, .name = name, .inputs = {a, b}});
}

ValueId multiply(GraphBuilder& builder, ValueId a, ValueId b, const std::string& name) {
  return builder.add({.op = OpKind::kMultiply, .name = name, .inputs = {a, b}});
}

ValueId scale_channels(GraphBuilder& builder, ValueId x, ValueId gate, const std::string& name) {
  return builder.add({.op = OpKind::kScaleChannels, .name = name, .inputs = {x, gate}});
}

ValueId global_avg_pool(GraphBuilder& builder, ValueId x, const std::string& name) {
  return unary(builder, OpKind::kGlobalAvgPool, x, name);
}

ValueId max_pool2d(GraphBuilder& builder, ValueId x, const std::string& name, std::int64_t window) {
  const PoolAttributes pool{.kernel = {window, window, 1}, .stride = {window, window, 1}};
  return builder.add({.op = OpKind::kMaxPool, .name = name, .attributes = pool, .inputs = {x}});
}

ValueId upsample2d(GraphBuilder& builder, ValueId x, const std::string& name, std::int64_t factor) {
  const UpsampleAttributes upsample{.factor = {factor, factor, 1}};
  return builder.add(
      {.op = OpKind::kUpsampleNearest, .name = name, .attributes = upsample, .inputs = {x}});
}

ValueId concat(GraphBuilder& builder, const std::vector<ValueId>& parts, const std::string& name) {
  return builder.add({.op = OpKind::kConcat, .name = name, .inputs = parts});
}

ValueId slice(GraphBuilder& builder,
              ValueId x,
              const std::string& name,
              const SliceAttributes& range) {
  return builder.add({.op = OpKind::kSlice, .name = name, .attributes = range, .inputs = {x}});
}

ValueId flatten(GraphBuilder& builder, ValueId x, const std::string& name) {
  const core::Shape shape = builder.graph().value(x).shape;
  DLBENCH_CHECK(shape.rank() >= 1 && shape[0] > 0) << name << ": " << shape.to_string();
  const ReshapeAttributes flat{core::Shape{shape[0], shape.elements() / shape[0]}};
  return builder.add({.op = OpKind::kReshape, .name = name, .attributes = flat, .inputs = {x}});
}

ValueId dropout(GraphBuilder& builder, ValueId x, const std::string& name, float rate) {
  if (builder.graph().mode() == Mode::kEvaluate) {
    return x;
  }
  std::int32_t key = 0;
  for (const Node& node : builder.graph().nodes()) {
    key += node.op == OpKind::kDropout ? 1 : 0;
  }
  return builder.add({.op = OpKind::kDropout,
                      .name = name,
                      .attributes = DropoutAttributes{.rate = rate, .key = key},
                      .inputs = {x,
                                 builder.scalar("seed", core::DType::kI64, 1),
                                 builder.scalar("step", core::DType::kI64, 0),
                                 builder.scalar("first_sample", core::DType::kI64, 0)}});
}

ValueId normalize_image(GraphBuilder& builder,
                        ValueId x,
                        const std::string& name,
                        const NormalizeAttributes& attributes) {
  return builder.add(
      {.op = OpKind::kNormalizeImage, .name = name, .attributes = attributes, .inputs = {x}});
}

ValueId log_softmax(GraphBuilder& builder, ValueId x, const std::string& name) {
  return unary(builder, OpKind::kLogSoftmax, x, name);
}

ValueId dice_loss(
    GraphBuilder& builder, ValueId p, ValueId mask, const std::string& name, float smooth) {
  const DiceAttributes dice{.smooth = smooth};
  const ValueId sums = builder.add({.op = OpKind::kDiceSums,
                                    .name = name + "/sums",
                                    .attributes = dice,
                                    .inputs = {p, mask},
                                    .phase = Phase::kLoss});
  return builder.add({.op = OpKind::kDiceLoss,
                      .name = name,
                      .attributes = dice,
                      .inputs = {sums},
                      .phase = Phase::kLoss});
}

ValueId nll_loss(GraphBuilder& builder, ValueId logp, ValueId label, const std::string& name) {
  return builder.add(
      {.op = OpKind::kNllLoss, .name = name, .inputs = {logp, label}, .phase = Phase::kLoss});
}

ValueId segmentation_counts(
    GraphBuilder& builder, ValueId p, ValueId mask, const std::string& name, float threshold) {
  return builder.add({.op = OpKind::kSegmentationCounts,
                      .name = name,
                      .attributes = ThresholdAttributes{threshold},
                      .inputs = {p, mask},
                      .phase = Phase::kLoss});
}

ValueId classification_counts(GraphBuilder& builder,
                              ValueId logp,
                              ValueId label,
                              const std::string& name) {
  return builder.add({.op = OpKind::kClassificationCounts,
                      .name = name,
                      .inputs = {logp, label},
                      .phase = Phase::kLoss});
}

}  // namespace dlbench::graph
