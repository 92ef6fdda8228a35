// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/graph/op_shape_cases.h"

namespace dlbench::graph::testing {
namespace {

using core::DType;
using core::Shape;

constexpr DType kF32 = DType::kF32;
constexpr DType kF64 = DType::kF64;
constexpr DType kBF16 = DType::kBF16;
constexpr DType kU8 = DType::kU8;
constexpr DType kI32 = DType::kI32;
constexpr DType kI64 = DType::kI64;

ConvAttributes conv(std::int64_t stride, std::int64_t dilation, std::int64_t pad) {
  return {.stride = {stride, stride, stride},
          .dilation = {dilation, dilation, dilation},
          .pad_begin = {pad, pad, pad},
          .pad_end = {pad, pad, pad}};
}

const PoolAttributes kPool2{.kernel = {2, 2, 2}, .stride = {2, 2, 2}};
const UpsampleAttributes kUp2{.factor = {2, 3, 2}};
const Tensor kLr{kF32, {}};
const Tensor kCoefficients{kF64, {8}};
const Tensor kFlag{kI64, {}};

std::vector<ShapeCase> good_convolutions() {
  return {
      {OpKind::kConv,
       {{kF32, {2, 3, 9, 7}}, {kF32, {5, 3, 3, 3}}},
       conv(2, 1, 1),
       {},
       {{kF32, {2, 5, 5, 4}}}},
      {OpKind::kConv,
       {{kF32, {2, 4, 9, 7}}, {kF32, {6, 2, 3, 3}}, {kF32, {6}}},
       ConvAttributes{.groups = 2},
       {},
       {{kF32, {2, 6, 7, 5}}}},
      {OpKind::kConv,
       {{kF32, {1, 2, 8, 9, 10}}, {kF32, {4, 2, 3, 3, 3}}},
       conv(1, 2, 0),
       {},
       {{kF32, {1, 4, 4, 5, 6}}}},
      {OpKind::kConvBackwardData,
       {{kF32, {2, 5, 5, 4}}, {kF32, {5, 3, 3, 3}}, {kF32, {2, 3, 9, 7}}},
       conv(2, 1, 1),
       {},
       {{kF32, {2, 3, 9, 7}}}},
      {OpKind::kConvBackwardWeights,
       {{kF32, {2, 3, 9, 7}}, {kF32, {2, 5, 5, 4}}, {kF32, {5, 3, 3, 3}}, {kF32, {5}}},
       conv(2, 1, 1),
       {},
       {{kF32, {5, 3, 3, 3}}, {kF32, {5}}}},
      {OpKind::kConvBackwardWeights,
       {{kF32, {2, 3, 9, 7}}, {kF32, {2, 5, 5, 4}}, {kF32, {5, 3, 3, 3}}},
       conv(2, 1, 1),
       {},
       {{kF32, {5, 3, 3, 3}}}},
      {OpKind::kConvTranspose,
       {{kF32, {2, 3, 5, 4}}, {kF32, {3, 5, 3, 3}}},
       ConvTransposeAttributes{conv(2, 1, 1), {1, 0, 0}},
       {},
       {{kF32, {2, 5, 10, 7}}}},
      {OpKind::kConvTranspose,
       {{kF32, {1, 4, 3, 2, 5}}, {kF32, {4, 3, 2, 2, 2}}},
       ConvTransposeAttributes{{.stride = {2, 1, 3}, .dilation = {1, 4, 1}, .groups = 2}, {}},
       {},
       {{kF32, {1, 6, 6, 6, 14}}}},
      {OpKind::kConvTranspose,
       {{kF32, {1, 3, 5, 4}}, {kF32, {3, 5, 3, 3}}},
       ConvTransposeAttributes{{.stride = {2, 2, 1}, .pad_begin = {1, 0, 0}, .pad_end = {0, 2, 0}},
                               {}},
       {},
       {{kF32, {1, 5, 10, 7}}}},
      {OpKind::kLinear,
       {{kBF16, {2, 3}}, {kBF16, {5, 3}}, {kBF16, {5}}},
       {},
       {},
       {{kBF16, {2, 5}}}},
      {OpKind::kLinearBackwardData, {{kF32, {2, 5}}, {kF32, {5, 3}}}, {}, {}, {{kF32, {2, 3}}}},
      {OpKind::kLinearBackwardWeights,
       {{kF32, {2, 3}}, {kF32, {2, 5}}, {kF32, {5}}},
       {},
       {},
       {{kF32, {5, 3}}, {kF32, {5}}}},
  };
}

std::vector<ShapeCase> good_layers() {
  return {
      {OpKind::kNormalizeImage,
       {{kU8, {2, 4, 5, 3}}},
       NormalizeAttributes{},
       {},
       {{kF32, {2, 3, 4, 5}}}},
      {OpKind::kCast, {{kF32, {2, 3}}}, CastAttributes{kBF16}, {}, {{kBF16, {2, 3}}}},
      {OpKind::kBatchNorm,
       {{kBF16, {2, 3, 4, 5}}, {kF32, {3}}, {kF32, {3}}},
       BatchNormAttributes{},
       {{kF32, {3}}, {kF32, {3}}},
       {{kBF16, {2, 3, 4, 5}}, {kF32, {3}}, {kF32, {3}}}},
      {OpKind::kBatchNormInference,
       {{kF32, {2, 3, 4}}, {kF32, {3}}, {kF32, {3}}, {kF32, {3}}, {kF32, {3}}},
       BatchNormAttributes{},
       {},
       {{kF32, {2, 3, 4}}}},
      {OpKind::kBatchNormBackward,
       {{kF64, {2, 3, 4}}, {kF64, {2, 3, 4}}, {kF64, {3}}, {kF64, {3}}, {kF64, {3}}},
       BatchNormAttributes{},
       {},
       {{kF64, {2, 3, 4}}, {kF64, {3}}, {kF64, {3}}}},
      {OpKind::kRelu, {{kF32, {2, 3}}}, {}, {}, {{kF32, {2, 3}}}},
      {OpKind::kReluBackward, {{kF32, {2, 3}}, {kF32, {2, 3}}}, {}, {}, {{kF32, {2, 3}}}},
      {OpKind::kSigmoid, {{kF32, {2, 3}}}, {}, {}, {{kF32, {2, 3}}}},
      {OpKind::kSigmoidBackward, {{kF32, {2, 3}}, {kF32, {2, 3}}}, {}, {}, {{kF32, {2, 3}}}},
      {OpKind::kAdd, {{kF32, {2, 3}}, {kF32, {2, 3}}}, {}, {}, {{kF32, {2, 3}}}},
      {OpKind::kMultiply, {{kF32, {2, 3}}, {kF32, {2, 3}}}, {}, {}, {{kF32, {2, 3}}}},
      {OpKind::kAddBias, {{kF32, {2, 3, 4}}, {kF32, {3}}}, {}, {}, {{kF32, {2, 3, 4}}}},
      {OpKind::kAddBiasBackward, {{kBF16, {2, 3, 4}}}, {}, {}, {{kBF16, {3}}}},
      {OpKind::kScaleChannels, {{kF32, {2, 3, 4}}, {kF32, {2, 3}}}, {}, {}, {{kF32, {2, 3, 4}}}},
      {OpKind::kScaleChannelsBackwardGate,
       {{kF32, {2, 3, 4}}, {kF32, {2, 3, 4}}},
       {},
       {},
       {{kF32, {2, 3}}}},
      {OpKind::kGlobalAvgPool, {{kF32, {2, 3, 4, 5, 6}}}, {}, {}, {{kF32, {2, 3}}}},
      {OpKind::kGlobalAvgPoolBackward,
       {{kF32, {2, 3}}, {kF32, {2, 3, 4}}},
       {},
       {},
       {{kF32, {2, 3, 4}}}},
      {OpKind::kMaxPool,
       {{kF32, {2, 3, 5, 4}}},
       kPool2,
       {},
       {{kF32, {2, 3, 2, 2}}, {kU8, {2, 3, 2, 2}}}},
      {OpKind::kMaxPoolBackward,
       {{kF32, {2, 3, 2, 2}}, {kU8, {2, 3, 2, 2}}, {kF32, {2, 3, 5, 4}}},
       kPool2,
       {},
       {{kF32, {2, 3, 5, 4}}}},
      {OpKind::kUpsampleNearest, {{kF32, {2, 3, 4, 5}}}, kUp2, {}, {{kF32, {2, 3, 8, 15}}}},
      {OpKind::kUpsampleNearestBackward,
       {{kF32, {2, 3, 8, 15}}, {kF32, {2, 3, 4, 5}}},
       kUp2,
       {},
       {{kF32, {2, 3, 4, 5}}}},
      {OpKind::kConcat,
       {{kF32, {2, 3, 4}}, {kF32, {2, 1, 4}}, {kF32, {2, 2, 4}}},
       {},
       {},
       {{kF32, {2, 6, 4}}}},
      {OpKind::kSlice, {{kF32, {2, 6, 4}}}, SliceAttributes{2, 4}, {}, {{kF32, {2, 4, 4}}}},
      {OpKind::kSliceBackward,
       {{kF32, {2, 4, 4}}, {kF32, {2, 6, 4}}},
       SliceAttributes{2, 4},
       {},
       {{kF32, {2, 6, 4}}}},
      {OpKind::kReshape,
       {{kF32, {2, 6, 4}}},
       ReshapeAttributes{Shape{2, 24}},
       {},
       {{kF32, {2, 24}}}},
      {OpKind::kDropout,
       {{kF32, {2, 6}}, kFlag, kFlag, kFlag},
       DropoutAttributes{},
       {},
       {{kF32, {2, 6}}}},
      {OpKind::kDropoutBackward,
       {{kF32, {2, 6}}, kFlag, kFlag, kFlag},
       DropoutAttributes{},
       {},
       {{kF32, {2, 6}}}},
  };
}

std::vector<ShapeCase> good_ends() {
  const Tensor p{kF32, {2, 1, 4, 5}};
  const Tensor mask{kU8, {2, 4, 5}};
  const Tensor logp{kF32, {2, 7}};
  const Tensor label{kI32, {2}};
  const std::vector<Tensor> gradients{kLr, kCoefficients, {kF32, {3}}, {kF32, {4, 2}}};
  const std::vector<Tensor> one_state{{kF32, {3}}, {kF32, {4, 2}}, {kF32, {3}}, {kF32, {4, 2}}};
  std::vector<Tensor> two_states = one_state;
  two_states.insert(two_states.end(), one_state.begin(), one_state.begin() + 2);
  return {
      {OpKind::kDiceSums, {p, mask}, DiceAttributes{}, {}, {{kF32, {3}}}},
      {OpKind::kDiceSums, {{kBF16, p.shape}, mask}, DiceAttributes{}, {}, {{kF32, {3}}}},
      {OpKind::kDiceLoss, {{kF64, {3}}}, DiceAttributes{}, {}, {{kF64, {}}}},
      {OpKind::kDiceBackward, {{kF32, {}}, mask, {kF32, {3}}, p}, DiceAttributes{}, {}, {p}},
      {OpKind::kLogSoftmax, {logp}, {}, {}, {logp}},
      {OpKind::kLogSoftmaxBackward, {logp, logp}, {}, {}, {logp}},
      {OpKind::kNllLoss, {logp, label}, {}, {}, {{kF32, {}}}},
      {OpKind::kNllBackward, {{kF32, {}}, label, logp}, {}, {}, {logp}},
      {OpKind::kSegmentationCounts, {p, mask}, ThresholdAttributes{}, {}, {{kF32, {4}}}},
      {OpKind::kClassificationCounts, {logp, label}, {}, {}, {{kF32, {2}}}},
      {OpKind::kAllReduceStart, {{kF32, {3}}}, AllReduceAttributes{}, {}, {{kU8, {}}}},
      {OpKind::kAllReduceWait, {{kU8, {}}, {kF32, {3}}}, AllReduceAttributes{}, {{kF32, {3}}}, {}},
      {OpKind::kOptimizerAdvance, {}, OptimizerAttributes{}, {kFlag, kCoefficients}, {}},
      {OpKind::kSgd, gradients, OptimizerAttributes{}, one_state, {}},
      {OpKind::kAdam, gradients, OptimizerAttributes{}, two_states, {}},
      {OpKind::kNadam, gradients, OptimizerAttributes{}, two_states, {}},
      {OpKind::kAdadelta, gradients, OptimizerAttributes{}, two_states, {}},
      {OpKind::kOptimizerAdvance, {kLr}, OptimizerAttributes{}, {kFlag, kCoefficients}, {}},
      {OpKind::kSgd,
       {kLr, kCoefficients, {kF32, {3}}, {kF32, {4, 2}}, kLr},
       OptimizerAttributes{},
       one_state,
       {}},
      {OpKind::kUnscaleGradients, {kLr}, {}, {{kF32, {3}}, {kF32, {4, 2}}, kLr}, {}},
      {OpKind::kUpdateLossScale, {}, LossScaleAttributes{}, {kLr, kLr, kFlag, kFlag}, {}},
  };
}

std::vector<ShapeCase> bad_transposed_convolutions() {
  const Tensor x{kF32, {2, 3, 5, 4}};
  const Tensor w{kF32, {3, 5, 3, 3}};
  const auto transposed = [](const ConvAttributes& convolution, std::int64_t output_padding = 0) {
    return ConvTransposeAttributes{convolution, {output_padding, 0, 0}};
  };
  const OpKind op = OpKind::kConvTranspose;
  return {
      {op, {x, w, {kF32, {5}}}, transposed({}), {}, {}, "the operands are x and weight"},
      {op, {{kF32, {2, 3, 9}}, w}, transposed({}), {}, {}, "rank 4 or 5"},
      {op, {x, {kF32, {3, 5, 3}}}, transposed({}), {}, {}, "the rank of x"},
      {op, {x, {kBF16, w.shape}}, transposed({}), {}, {}, "one dtype"},
      {op, {x, {kF32, {5, 3, 3, 3}}}, transposed({}), {}, {}, "channels of x in whole groups"},
      {op, {x, w}, transposed({.groups = 2}), {}, {}, "channels of x in whole groups"},
      {op, {x, w}, transposed({.groups = 0}), {}, {}, "channels of x in whole groups"},
      {op, {x, w}, transposed(conv(0, 1, 0)), {}, {}, "at least 1"},
      {op, {x, w}, transposed(conv(1, 0, 0)), {}, {}, "at least 1"},
      {op, {x, w}, transposed(conv(1, 1, -1)), {}, {}, "negative"},
      {op, {x, w}, transposed(conv(2, 1, 1), 2), {}, {}, "less than the stride"},
      {op, {x, w}, transposed(conv(2, 1, 1), -1), {}, {}, "less than the stride"},
      {op, {x, w}, transposed(conv(1, 1, 4)), {}, {}, "padding leaves nothing of y"},
  };
}

std::vector<ShapeCase> bad_convolutions() {
  const Tensor x{kF32, {2, 3, 9, 7}};
  const Tensor w{kF32, {5, 3, 3, 3}};
  const std::string fit = "the window does not fit";
  return {
      {OpKind::kConv, {{kF32, {2, 3, 9}}, w}, conv(1, 1, 0), {}, {}, "rank 4 or 5"},
      {OpKind::kConv, {x, {kF32, {5, 3, 3}}}, conv(1, 1, 0), {}, {}, "the rank of x"},
      {OpKind::kConv, {x, {kF32, {5, 4, 3, 3}}}, conv(1, 1, 0), {}, {}, "channels of x"},
      {OpKind::kConv, {x, w}, ConvAttributes{.groups = 3}, {}, {}, "channels of x"},
      {OpKind::kConv, {x, w}, ConvAttributes{.groups = 0}, {}, {}, "channels of x"},
      {OpKind::kConv, {x, {kBF16, w.shape}}, conv(1, 1, 0), {}, {}, "one dtype"},
      {OpKind::kConv, {x, w, {kF32, {4}}}, conv(1, 1, 0), {}, {}, "bias must be (K)"},
      {OpKind::kConv, {x, w, {kF64, {5}}}, conv(1, 1, 0), {}, {}, "dtype of x"},
      {OpKind::kConv, {x, w}, conv(1, 4, 0), {}, {}, fit},
      {OpKind::kConv, {x, w}, conv(0, 1, 0), {}, {}, "at least 1"},
      {OpKind::kConv, {x, w}, conv(1, 0, 0), {}, {}, "at least 1"},
      {OpKind::kConv, {x, w}, conv(1, 1, -1), {}, {}, "negative"},
      {OpKind::kConvBackwardData, {x, w, x}, conv(1, 1, 0), {}, {}, "dy must have the shape"},
      {OpKind::kConvBackwardWeights, {x, x, w}, conv(1, 1, 0), {}, {}, "dy must have the shape"},
      {OpKind::kLinear, {{kF32, {2, 3}}, {kF32, {5, 4}}}, {}, {}, {}, "weight (O, I)"},
      {OpKind::kLinear, {{kF32, {2, 3, 1}}, {kF32, {5, 3}}}, {}, {}, {}, "weight (O, I)"},
      {OpKind::kLinear, {{kF32, {2, 3}}, {kF32, {5, 3}}, {kF32, {3}}}, {}, {}, {}, "bias"},
      {OpKind::kLinearBackwardData, {{kF32, {2, 4}}, {kF32, {5, 3}}}, {}, {}, {}, "dy must be"},
      {OpKind::kLinearBackwardWeights, {{kF32, {2, 3}}, {kF32, {3, 5}}}, {}, {}, {}, "batch size"},
  };
}

std::vector<ShapeCase> bad_layers() {
  const Tensor x{kF32, {2, 3, 4, 5}};
  const Tensor c{kF32, {3}};
  return {
      {OpKind::kNormalizeImage, {x}, NormalizeAttributes{}, {}, {}, "u8 (N, H, W, C)"},
      {OpKind::kNormalizeImage,
       {{kU8, x.shape}},
       NormalizeAttributes{1.0F, {1, 2}, {}},
       {},
       {},
       "one mean per channel"},
      {OpKind::kNormalizeImage,
       {{kU8, x.shape}},
       NormalizeAttributes{1.0F, {}, {1}},
       {},
       {},
       "one standard deviation"},
      {OpKind::kCast, {{kI32, {2}}}, CastAttributes{kF32}, {}, {}, "between float types"},
      {OpKind::kBatchNorm, {x, {kF32, {4}}, c}, BatchNormAttributes{}, {}, {}, "must be (C)"},
      {OpKind::kBatchNorm,
       {{kBF16, x.shape}, {kBF16, {3}}, c},
       BatchNormAttributes{},
       {},
       {},
       "must be f32"},
      {OpKind::kBatchNormInference,
       {x, c, c, c, {kF32, {2}}},
       BatchNormAttributes{},
       {},
       {},
       "must be (C)"},
      {OpKind::kBatchNormBackward,
       {{kF32, {2, 3}}, x, c, c, c},
       BatchNormAttributes{},
       {},
       {},
       "the shape of x"},
      {OpKind::kReluBackward, {x, {kF32, {2, 3, 5, 4}}}, {}, {}, {}, "one shape"},
      {OpKind::kSigmoidBackward, {x, {kF64, x.shape}}, {}, {}, {}, "one dtype"},
      {OpKind::kAdd, {x, {kF32, {2, 3, 4, 1}}}, {}, {}, {}, "one shape"},
      {OpKind::kMultiply, {x, c}, {}, {}, {}, "one shape"},
      {OpKind::kScaleChannels, {x, {kF32, {3, 2}}}, {}, {}, {}, "the gate must be (N, C)"},
      {OpKind::kScaleChannels, {{kF32, {2, 3}}, {kF32, {2, 3}}}, {}, {}, {}, "x must be"},
      {OpKind::kScaleChannelsBackwardGate, {x, c}, {}, {}, {}, "the shape of x"},
      {OpKind::kGlobalAvgPool, {{kF32, {2, 3}}}, {}, {}, {}, "x must be (N, C, ...)"},
      {OpKind::kGlobalAvgPoolBackward, {{kF32, {3, 2}}, x}, {}, {}, {}, "dy must be (N, C)"},
      {OpKind::kMaxPool, {{kF32, {2, 3, 1, 5}}}, kPool2, {}, {}, "larger than the input"},
      {OpKind::kMaxPool,
       {x},
       PoolAttributes{.kernel = {2, 2, 1}, .stride = {0, 1, 1}},
       {},
       {},
       "at least 1"},
      {OpKind::kMaxPool,
       {{kF32, {1, 1, 20, 20}}},
       PoolAttributes{.kernel = {17, 17, 1}},
       {},
       {},
       "256 elements"},
      {OpKind::kMaxPoolBackward, {x, {kU8, {2, 3, 4, 4}}, x}, kPool2, {}, {}, "one shape"},
      {OpKind::kUpsampleNearest, {{kF32, {2, 3, 4}}}, kUp2, {}, {}, "rank 4 or 5"},
      {OpKind::kUpsampleNearest,
       {x},
       UpsampleAttributes{.factor = {0, 1, 1}},
       {},
       {},
       "at least 1"},
      {OpKind::kUpsampleNearestBackward, {x, x}, kUp2, {}, {}, "dy must have the shape of y"},
      {OpKind::kConcat, {}, {}, {}, {}, "at least one part"},
      {OpKind::kConcat, {x, {kF32, {2, 3, 4, 6}}}, {}, {}, {}, "axis 1 only"},
      {OpKind::kConcat, {x, {kF64, x.shape}}, {}, {}, {}, "one dtype"},
      {OpKind::kSlice, {x}, SliceAttributes{1, 3}, {}, {}, "inside axis 1"},
      {OpKind::kSlice, {x}, SliceAttributes{0, 0}, {}, {}, "inside axis 1"},
      {OpKind::kSliceBackward,
       {x, x},
       SliceAttributes{1, 2},
       {},
       {},
       "dy must have the shape of y"},
      {OpKind::kAddBias, {x, {kF32, {4}}}, {}, {}, {}, "bias must be (C)"},
      {OpKind::kAddBias, {x, {kF64, {3}}}, {}, {}, {}, "dtype of x"},
      {OpKind::kAddBiasBackward, {{kF32, {2, 3}}}, {}, {}, {}, "(N, C, ...)"},
      {OpKind::kReshape, {x}, ReshapeAttributes{Shape{7}}, {}, {}, "as many elements"},
      {OpKind::kDropout, {x, kFlag, kFlag}, DropoutAttributes{}, {}, {}, "first_sample"},
      {OpKind::kDropout,
       {x, kFlag, kFlag, kFlag},
       DropoutAttributes{.rate = 1.0F},
       {},
       {},
       "[0, 1)"},
      {OpKind::kDropoutBackward, {x, kFlag, kLr, kFlag}, DropoutAttributes{}, {}, {}, "i64"},
  };
}

std::vector<ShapeCase> bad_ends() {
  const Tensor p{kF32, {2, 1, 4, 5}};
  const Tensor mask{kU8, {2, 4, 5}};
  const Tensor logp{kF32, {2, 7}};
  const std::vector<Tensor> gradients{kLr, kCoefficients, {kF32, {3}}};
  std::vector<ShapeCase> cases{
      {OpKind::kDiceSums, {{kF32, {2, 2, 4, 5}}, mask}, DiceAttributes{}, {}, {}, "(N, 1, H, W)"},
      {OpKind::kDiceSums, {p, {kU8, {2, 5, 4}}}, DiceAttributes{}, {}, {}, "(N, H, W)"},
      {OpKind::kDiceSums, {p, {kF32, mask.shape}}, DiceAttributes{}, {}, {}, "must be u8"},
      {OpKind::kDiceLoss, {{kF32, {4}}}, DiceAttributes{}, {}, {}, "sums must be (3)"},
      {OpKind::kDiceBackward,
       {kLr, mask, {kF32, {3}}, logp},
       DiceAttributes{},
       {},
       {},
       "(N, 1, H, W)"},
      {OpKind::kLogSoftmax, {p}, {}, {}, {}, "x must be (N, K)"},
      {OpKind::kLogSoftmaxBackward, {p, p}, {}, {}, {}, "x must be (N, K)"},
      {OpKind::kNllLoss, {logp, {kI32, {3}}}, {}, {}, {}, "labels must be i32 (N)"},
      {OpKind::kNllBackward, {kLr, {kI64, {2}}, logp}, {}, {}, {}, "labels must be i32 (N)"},
      {OpKind::kSegmentationCounts, {p, logp}, ThresholdAttributes{}, {}, {}, "the mask u8"},
      {OpKind::kClassificationCounts, {logp, {kI32, {7}}}, {}, {}, {}, "labels i32 (N)"},
      {OpKind::kAllReduceStart, {}, AllReduceAttributes{}, {}, {}, "the bucket's gradients"},
      {OpKind::kAllReduceWait, {{kU8, {}}}, AllReduceAttributes{}, {kLr}, {}, "the token"},
      {OpKind::kOptimizerAdvance,
       {},
       OptimizerAttributes{},
       {kFlag, {kF64, {7}}},
       {},
       "coefficients f64 (8)"},
      {OpKind::kOptimizerAdvance,
       {kFlag},
       OptimizerAttributes{},
       {kFlag, kCoefficients},
       {},
       "found_inf must be an f32 scalar"},
      {OpKind::kUnscaleGradients, {kFlag}, {}, {{kF32, {3}}, kLr}, {}, "loss_scale, an f32 scalar"},
      {OpKind::kUnscaleGradients, {kLr}, {}, {kLr}, {}, "gradients and found_inf"},
      {OpKind::kUnscaleGradients, {kLr}, {}, {{kF32, {3}}, kFlag}, {}, "gradients and found_inf"},
      {OpKind::kUpdateLossScale,
       {},
       LossScaleAttributes{},
       {kLr, kLr, kLr, kFlag},
       {},
       "good_steps i64"},
  };
  for (const OpKind op : {OpKind::kSgd, OpKind::kAdam, OpKind::kNadam, OpKind::kAdadelta}) {
    const std::size_t states = op == OpKind::kSgd ? 1 : 2;
    std::vector<Tensor> updates(1 + states, Tensor{kF32, {3}});
    updates.back().shape = {4};
    cases.push_back({op, gradients, OptimizerAttributes{}, updates, {}, "one shape"});
    updates.pop_back();
    cases.push_back({op, gradients, OptimizerAttributes{}, updates, {}, "inputs must be"});
    cases.push_back({op, {kLr, kCoefficients}, OptimizerAttributes{}, {}, {}, "inputs must be"});
    cases.push_back({op,
                     {kLr, kCoefficients, {kF32, {3}}, kFlag},
                     OptimizerAttributes{},
                     std::vector<Tensor>(1 + states, Tensor{kF32, {3}}),
                     {},
                     "found_inf must be an f32 scalar"});
  }
  return cases;
}

std::vector<ShapeCase> joined(const std::vector<std::vector<ShapeCase>>& parts) {
  std::vector<ShapeCase> all;
  for (const auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

std::vector<ShapeCase> good_shape_cases() {
  return joined({good_convolutions(), good_layers(), good_ends()});
}

std::vector<ShapeCase> bad_shape_cases() {
  return joined({bad_convolutions(), bad_transposed_convolutions(), bad_layers(), bad_ends()});
}

}  // namespace dlbench::graph::testing
