// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From graph nodes to the arguments of the own kernels.
#include "engine/backend/cuda/kernels/batch_norm.h"
#include "engine/backend/cuda/kernels/channels.h"
#include "engine/backend/cuda/kernels/concat.h"
#include "engine/backend/cuda/kernels/convert.h"
#include "engine/backend/cuda/kernels/dropout.h"
#include "engine/backend/cuda/kernels/loss_scaling.h"
#include "engine/backend/cuda/kernels/losses.h"
#include "engine/backend/cuda/kernels/optimizers.h"
#include "engine/backend/cuda/kernels/pointwise.h"
#include "engine/backend/cuda/kernels/pooling.h"
#include "engine/backend/cuda/kernels/shape_ops.h"
#include "engine/graph/op_def.h"
#include "tests/engine/backend/cuda/kernels/emulated_backend.h"

#include <map>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;
using Emulate = void (*)(HostLauncher&, const Node&, DeviceOperands&);

std::array<Index, 3> extents(const core::Shape& shape) {
  std::array<Index, 3> result{1, 1, 1};
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) {
    result.at(axis + 3 - shape.rank()) = shape[axis];
  }
  return result;
}

std::array<Index, 3> spatial(const graph::Spatial& attribute, const core::Shape& shape) {
  return shape.rank() == 5 ? std::array<Index, 3>{attribute[0], attribute[1], attribute[2]}
                           : std::array<Index, 3>{1, attribute[0], attribute[1]};
}

Planes planes(const DeviceTensor& x, const DeviceTensor& y) {
  return {.batch = x.layout().batch,
          .channels = x.layout().channels,
          .x_stride = x.layout().stride,
          .y_stride = y.layout().stride,
          .x = extents(x.shape()),
          .y = extents(y.shape())};
}

template <PointwiseOp kOp>
void pointwise(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  run_pointwise(launcher,
                kOp,
                {.a = o.inputs[0].as(),
                 .b = node.inputs.size() > 1 ? o.inputs[1].as() : nullptr,
                 .y = o.outputs[0].as(),
                 .dtype = o.inputs[0].dtype(),
                 .layout = o.inputs[0].layout()});
}

void add(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  const ChannelsLast& layout = o.inputs[0].layout();
  run_sum(launcher,
          {.summands = {{o.inputs[0].as(), layout.stride}, {o.inputs[1].as(), layout.stride}},
           .y = o.outputs[0].as(),
           .dtype = o.inputs[0].dtype(),
           .layout = layout});
}

void normalize(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  run_normalize(launcher,
                {.x = o.inputs[0].as<std::uint8_t>(),
                 .y = o.outputs[0].as(),
                 .dtype = o.outputs[0].dtype(),
                 .layout = o.outputs[0].layout(),
                 .attributes = node.as<graph::NormalizeAttributes>()});
}

void cast(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_cast(launcher,
           {.x = o.inputs[0].as(),
            .x_dtype = o.inputs[0].dtype(),
            .x_layout = o.inputs[0].layout(),
            .y = o.outputs[0].as(),
            .y_dtype = o.outputs[0].dtype(),
            .y_layout = o.outputs[0].layout()});
}

void dropout(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  run_dropout(launcher,
              {.x = o.inputs[0].as(),
               .y = o.outputs[0].as(),
               .dtype = o.inputs[0].dtype(),
               .layout = o.inputs[0].layout(),
               .seed = o.inputs[1].as<std::int64_t>(),
               .step = o.inputs[2].as<std::int64_t>(),
               .first_sample = o.inputs[3].as<std::int64_t>(),
               .attributes = node.as<graph::DropoutAttributes>()});
}

void add_bias(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_add_bias(launcher,
               {.x = o.inputs[0].as(),
                .bias = o.inputs[1].as(),
                .y = o.outputs[0].as(),
                .dtype = o.inputs[0].dtype(),
                .layout = o.inputs[0].layout()});
}

void add_bias_backward(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  const ChannelsLast& layout = o.inputs[0].layout();
  auto scratch = poisoned_scratch(channel_sums_scratch_bytes(layout, o.inputs[0].dtype(), false));
  run_channel_sums(launcher,
                   {.a = o.inputs[0].as(),
                    .result = o.outputs[0].as(),
                    .dtype = o.inputs[0].dtype(),
                    .layout = layout,
                    .per_sample = false,
                    .scratch = scratch.data()});
}

void scale_channels(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_scale_channels(launcher,
                     {.x = o.inputs[0].as(),
                      .gate = o.inputs[1].as(),
                      .gate_stride = o.inputs[1].layout().stride,
                      .y = o.outputs[0].as(),
                      .dtype = o.inputs[0].dtype(),
                      .layout = o.inputs[0].layout()});
}

void average_backward(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_scale_channels(launcher,
                     {.shift = o.inputs[0].as(),
                      .gate_stride = o.inputs[0].layout().stride,
                      .y = o.outputs[0].as(),
                      .dtype = o.outputs[0].dtype(),
                      .layout = o.outputs[0].layout()});
}

/// The gradient of a gate, or the global average.
void sums_per_sample(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  const ChannelsLast& layout = o.inputs[0].layout();
  const bool average = node.op == OpKind::kGlobalAvgPool;
  auto scratch = poisoned_scratch(channel_sums_scratch_bytes(layout, o.inputs[0].dtype(), true));
  run_channel_sums(launcher,
                   {.a = o.inputs[0].as(),
                    .b = average ? nullptr : o.inputs[1].as(),
                    .result = o.outputs[0].as(),
                    .dtype = o.inputs[0].dtype(),
                    .layout = layout,
                    .result_stride = o.outputs[0].layout().stride,
                    .factor = average ? 1.0F / static_cast<float>(layout.spatial) : 1.0F,
                    .scratch = scratch.data()});
}

void batch_norm(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  const bool train = node.op == OpKind::kBatchNorm;
  const ChannelsLast& layout = o.inputs[0].layout();
  auto scratch = poisoned_scratch(batch_norm_scratch_bytes(layout, o.inputs[0].dtype()));
  BatchNormArgs args{.x = o.inputs[0].as(),
                     .gamma = o.inputs[1].as<float>(),
                     .beta = o.inputs[2].as<float>(),
                     .y = o.outputs[0].as(),
                     .dtype = o.inputs[0].dtype(),
                     .layout = layout,
                     .attributes = node.as<graph::BatchNormAttributes>(),
                     .scratch = scratch.data()};
  args.running_mean = (train ? o.updates[0] : o.inputs[3]).as<float>();
  args.running_variance = (train ? o.updates[1] : o.inputs[4]).as<float>();
  if (train) {
    args.mean = o.outputs[1].as<float>();
    args.rstd = o.outputs[2].as<float>();
  }
  run_batch_norm(launcher, args, !train);
}

void batch_norm_backward(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  const ChannelsLast& layout = o.inputs[0].layout();
  auto scratch = poisoned_scratch(batch_norm_scratch_bytes(layout, o.inputs[0].dtype()));
  run_batch_norm_backward(launcher,
                          {.dy = o.inputs[0].as(),
                           .x = o.inputs[1].as(),
                           .gamma = o.inputs[2].as<float>(),
                           .mean = o.inputs[3].as<float>(),
                           .rstd = o.inputs[4].as<float>(),
                           .dx = o.outputs[0].as(),
                           .dgamma = o.outputs[1].as<float>(),
                           .dbeta = o.outputs[2].as<float>(),
                           .dtype = o.inputs[0].dtype(),
                           .layout = layout,
                           .scratch = scratch.data()});
}

void max_pool(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  const auto& attributes = node.as<graph::PoolAttributes>();
  run_max_pool(launcher,
               {.x = o.inputs[0].as(),
                .y = o.outputs[0].as(),
                .argmax = o.outputs[1].as<std::uint8_t>(),
                .dtype = o.inputs[0].dtype(),
                .planes = planes(o.inputs[0], o.outputs[0]),
                .kernel = spatial(attributes.kernel, o.inputs[0].shape()),
                .stride = spatial(attributes.stride, o.inputs[0].shape())},
               false);
}

void max_pool_backward(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  const auto& attributes = node.as<graph::PoolAttributes>();
  run_max_pool(launcher,
               {.argmax = o.inputs[1].as<std::uint8_t>(),
                .dy = o.inputs[0].as(),
                .dx = o.outputs[0].as(),
                .dtype = o.inputs[0].dtype(),
                .planes = planes(o.outputs[0], o.inputs[0]),
                .kernel = spatial(attributes.kernel, o.inputs[0].shape()),
                .stride = spatial(attributes.stride, o.inputs[0].shape())},
               true);
}

void upsample(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  const bool backward = node.op == OpKind::kUpsampleNearestBackward;
  const DeviceTensor& small = backward ? o.outputs[0] : o.inputs[0];
  const DeviceTensor& large = backward ? o.inputs[0] : o.outputs[0];
  run_upsample(launcher,
               {.from = o.inputs[0].as(),
                .to = o.outputs[0].as(),
                .dtype = o.inputs[0].dtype(),
                .planes = planes(small, large)},
               backward);
}

void concat(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  ConcatArgs args{.y = o.outputs[0].as(),
                  .y_stride = o.outputs[0].layout().stride,
                  .batch = o.outputs[0].layout().batch,
                  .extents = {1, 1, o.outputs[0].layout().spatial},
                  .dtype = o.outputs[0].dtype()};
  for (std::size_t part = 0; part < node.inputs.size(); ++part) {
    const ChannelsLast& layout = o.inputs[part].layout();
    args.parts.push_back(
        {.x = o.inputs[part].as(), .stride = layout.stride, .channels = layout.channels});
  }
  run_concat(launcher, args);
}

void slice(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  const auto& attributes = node.as<graph::SliceAttributes>();
  run_copy_channels(launcher,
                    {.x = o.inputs[0].as(),
                     .x_stride = o.inputs[0].layout().stride,
                     .x_begin = attributes.begin,
                     .y = o.outputs[0].as(),
                     .y_stride = o.outputs[0].layout().stride,
                     .count = attributes.extent,
                     .positions = o.inputs[0].layout().positions(),
                     .dtype = o.inputs[0].dtype(),
                     .clear_rest = true});
}

void slice_backward(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  const auto& attributes = node.as<graph::SliceAttributes>();
  run_copy_channels(launcher,
                    {.x = o.inputs[0].as(),
                     .x_stride = o.inputs[0].layout().stride,
                     .y = o.outputs[0].as(),
                     .y_stride = o.outputs[0].layout().stride,
                     .y_begin = attributes.begin,
                     .count = attributes.extent,
                     .positions = o.inputs[0].layout().positions(),
                     .dtype = o.inputs[0].dtype(),
                     .clear_before = true,
                     .clear_rest = true});
}

void reshape(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_reshape(launcher,
              {.x = o.inputs[0].as(),
               .x_layout = o.inputs[0].layout(),
               .y = o.outputs[0].as(),
               .y_layout = o.outputs[0].layout(),
               .dtype = o.inputs[0].dtype()});
}

SegmentationArgs segmentation(DeviceOperands& o, std::vector<float>& scratch) {
  const ChannelsLast& layout = o.inputs[0].layout();
  scratch = poisoned_scratch(segmentation_scratch_bytes(layout.positions()));
  return {.p = o.inputs[0].as<float>(),
          .p_stride = layout.stride,
          .mask = o.inputs[1].as<std::uint8_t>(),
          .positions = layout.positions(),
          .scratch = scratch.data()};
}

void dice_sums(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  std::vector<float> scratch;
  run_dice_sums(launcher, segmentation(o, scratch), o.outputs[0].as<float>());
}

void segmentation_counts(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  std::vector<float> scratch;
  run_segmentation_counts(launcher,
                          segmentation(o, scratch),
                          node.as<graph::ThresholdAttributes>().threshold,
                          o.outputs[0].as<float>());
}

void dice_loss(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  run_dice_loss(launcher,
                o.inputs[0].as<float>(),
                node.as<graph::DiceAttributes>().smooth,
                o.outputs[0].as<float>());
}

void dice_backward(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  run_dice_backward(launcher,
                    {.dloss = o.inputs[0].as<float>(),
                     .mask = o.inputs[1].as<std::uint8_t>(),
                     .sums = o.inputs[2].as<float>(),
                     .dp = o.outputs[0].as<float>(),
                     .p_stride = o.outputs[0].layout().stride,
                     .positions = o.outputs[0].layout().positions(),
                     .smooth = node.as<graph::DiceAttributes>().smooth});
}

Matrix matrix(const DeviceTensor& x) {
  return {.rows = x.layout().batch, .columns = x.layout().channels, .stride = x.layout().stride};
}

void log_softmax(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_log_softmax(launcher, matrix(o.inputs[0]), o.inputs[0].as<float>(), o.outputs[0].as<float>());
}

void log_softmax_backward(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_log_softmax_backward(launcher,
                           matrix(o.outputs[0]),
                           o.inputs[0].as<float>(),
                           o.inputs[1].as<float>(),
                           o.outputs[0].as<float>());
}

void nll_loss(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_nll_loss(launcher,
               matrix(o.inputs[0]),
               o.inputs[0].as<float>(),
               o.inputs[1].as<std::int32_t>(),
               o.outputs[0].as<float>());
}

void nll_backward(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_nll_backward(launcher,
                   matrix(o.outputs[0]),
                   o.inputs[0].as<float>(),
                   o.inputs[1].as<std::int32_t>(),
                   o.outputs[0].as<float>());
}

void classification_counts(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  run_classification_counts(launcher,
                            matrix(o.inputs[0]),
                            o.inputs[0].as<float>(),
                            o.inputs[1].as<std::int32_t>(),
                            o.outputs[0].as<float>());
}

void optimizer_advance(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  run_optimizer_advance(launcher,
                        node.as<graph::OptimizerAttributes>(),
                        o.updates[0].as<std::int64_t>(),
                        o.updates[1].as<double>(),
                        o.inputs.empty() ? nullptr : o.inputs[0].as<float>());
}

void optimizer(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  OptimizerArgs args{
      .op = node.op,
      .attributes = node.as<graph::OptimizerAttributes>(),
      .learning_rate = o.inputs[0].as<float>(),
      .coefficients = o.inputs[1].as<double>(),
      .found_inf = graph::reads_found_inf(node) ? o.inputs.back().as<float>() : nullptr,
      .ranges = {}};
  const std::size_t parameters = graph::gradient_count(node);
  for (std::size_t index = 0; index < parameters; ++index) {
    args.ranges.push_back({.gradient = o.inputs[2 + index].as<float>(),
                           .parameter = o.updates[index].as<float>(),
                           .first_state = o.updates[parameters + index].as<float>(),
                           .second_state = node.op == OpKind::kSgd
                                               ? nullptr
                                               : o.updates[2 * parameters + index].as<float>(),
                           .elements = o.updates[index].layout().elements()});
  }
  run_optimizer(launcher, args);
}

void unscale_gradients(HostLauncher& launcher, const Node& /*node*/, DeviceOperands& o) {
  UnscaleArgs args{.loss_scale = o.inputs[0].as<float>(),
                   .found_inf = o.updates.back().as<float>(),
                   .ranges = {}};
  for (std::size_t index = 0; index + 1 < o.updates.size(); ++index) {
    args.ranges.push_back({o.updates[index].as<float>(), o.updates[index].layout().elements()});
  }
  run_unscale(launcher, args);
}

void update_loss_scale(HostLauncher& launcher, const Node& node, DeviceOperands& o) {
  run_loss_scale_update(launcher,
                        node.as<graph::LossScaleAttributes>(),
                        {.loss_scale = o.updates[0].as<float>(),
                         .found_inf = o.updates[1].as<float>(),
                         .good_steps = o.updates[2].as<std::int64_t>(),
                         .skipped_steps = o.updates[3].as<std::int64_t>()});
}

const std::map<OpKind, Emulate>& table() {
  static const std::map<OpKind, Emulate> emulations{
      {OpKind::kNormalizeImage, normalize},
      {OpKind::kCast, cast},
      {OpKind::kBatchNorm, batch_norm},
      {OpKind::kBatchNormInference, batch_norm},
      {OpKind::kBatchNormBackward, batch_norm_backward},
      {OpKind::kRelu, pointwise<PointwiseOp::kRelu>},
      {OpKind::kReluBackward, pointwise<PointwiseOp::kReluBackward>},
      {OpKind::kSigmoid, pointwise<PointwiseOp::kSigmoid>},
      {OpKind::kSigmoidBackward, pointwise<PointwiseOp::kSigmoidBackward>},
      {OpKind::kAdd, add},
      {OpKind::kMultiply, pointwise<PointwiseOp::kMultiply>},
      {OpKind::kAddBias, add_bias},
      {OpKind::kAddBiasBackward, add_bias_backward},
      {OpKind::kScaleChannels, scale_channels},
      {OpKind::kScaleChannelsBackwardGate, sums_per_sample},
      {OpKind::kGlobalAvgPool, sums_per_sample},
      {OpKind::kGlobalAvgPoolBackward, average_backward},
      {OpKind::kMaxPool, max_pool},
      {OpKind::kMaxPoolBackward, max_pool_backward},
      {OpKind::kUpsampleNearest, upsample},
      {OpKind::kUpsampleNearestBackward, upsample},
      {OpKind::kConcat, concat},
      {OpKind::kSlice, slice},
      {OpKind::kSliceBackward, slice_backward},
      {OpKind::kReshape, reshape},
      {OpKind::kDropout, dropout},
      {OpKind::kDropoutBackward, dropout},
      {OpKind::kDiceSums, dice_sums},
      {OpKind::kDiceLoss, dice_loss},
      {OpKind::kDiceBackward, dice_backward},
      {OpKind::kLogSoftmax, log_softmax},
      {OpKind::kLogSoftmaxBackward, log_softmax_backward},
      {OpKind::kNllLoss, nll_loss},
      {OpKind::kNllBackward, nll_backward},
      {OpKind::kSegmentationCounts, segmentation_counts},
      {OpKind::kClassificationCounts, classification_counts},
      {OpKind::kOptimizerAdvance, optimizer_advance},
      {OpKind::kSgd, optimizer},
      {OpKind::kAdam, optimizer},
      {OpKind::kNadam, optimizer},
      {OpKind::kAdadelta, optimizer},
      {OpKind::kUnscaleGradients, unscale_gradients},
      {OpKind::kUpdateLossScale, update_loss_scale},
  };
  return emulations;
}

}  // namespace

bool emulated(OpKind op) { return table().contains(op); }

void emulate(HostLauncher& launcher, const Node& node, DeviceOperands& operands) {
  table().at(node.op)(launcher, node, operands);
}

}  // namespace dlbench::backend::cuda
