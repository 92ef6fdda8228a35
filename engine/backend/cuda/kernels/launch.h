// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The own kernels of the CUDA backend, to be enqueued on a stream: no function here allocates,
// synchronises or reads device memory on the host, so all may be captured in a CUDA graph. Pointers
// are device addresses unless stated otherwise. No CUDA headers are needed to call them.
//
// Errors: invalid arguments break a DLBENCH_CHECK; a launch that fails throws core::Error
// (failure_codes.h) with the text of the CUDA runtime.
#pragma once

#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/backend/loss_scale_rule.h"
#include "engine/backend/optimizer_math.h"
#include "engine/core/dtype.h"
#include "engine/graph/attributes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

struct CUstream_st;

namespace dlbench::backend::cuda {

/// A cudaStream_t.
using StreamHandle = CUstream_st*;

// ---- Pointwise ----

enum class PointwiseOp : std::uint8_t {
  kRelu,             ///< y = a > 0 ? a : 0; NaN stays NaN
  kReluBackward,     ///< y = b > 0 ? a : 0; a = dy, b = the forward result
  kSigmoid,          ///< y = 1 / (1 + exp(-a))
  kSigmoidBackward,  ///< y = a b (1 - b); a = dy, b = the forward result
  kMultiply,         ///< y = a b
};
/// a, b and y have the same layout and dtype (f32, f16, bf16); y may be a or b. b: null for unary
/// ops.
struct PointwiseArgs {
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
  core::DType dtype = core::DType::kF32;
  ChannelsLast layout;
};
void launch_pointwise(PointwiseOp op, const PointwiseArgs& args, StreamHandle stream);

/// y = x[0] + x[1] + ... of two to four tensors, added in order, with each partial sum rounded to
/// dtype as if it were stored. Each x has the positions and channels of y; its positions may be
/// further apart than its channels need, if it is a channel range of a wider tensor. y may be an x
/// with the same stride.
struct SumArgs {
  struct Summand {
    const void* x = nullptr;
    Index stride = 0;
  };
  std::vector<Summand> summands;
  void* y = nullptr;
  core::DType dtype = core::DType::kF32;
  ChannelsLast layout;  ///< of y
};
void launch_sum(const SumArgs& args, StreamHandle stream);

/// y = x in another float dtype (f16, bf16, f32, f64), rounded to nearest even. Batch, spatial and
/// channels are equal on both sides. Strides may differ between f32 and a 16-bit float: then
/// padding lanes of x are not read and those of y become zero; with equal strides they are cast
/// like others.
struct CastArgs {
  const void* x = nullptr;
  core::DType x_dtype = core::DType::kF32;
  ChannelsLast x_layout;
  void* y = nullptr;
  core::DType y_dtype = core::DType::kF32;
  ChannelsLast y_layout;
};
void launch_cast(const CastArgs& args, StreamHandle stream);

/// The largest tensor among many casts: its elements, rounded up to whole chunks, fit 31 bits.
inline constexpr Index kMaxCastElements = (Index{1} << 31) - 512;
/// One of many casts, with equal strides on both sides, from x_dtype to y_dtype, of which one is
/// f32 and the other f16 or bf16. One launch for up to kMaxCasts tensors.
struct CastTensor {
  const void* x = nullptr;
  void* y = nullptr;
  Index elements = 0;  ///< 1 to kMaxCastElements
};
inline constexpr int kMaxCasts = 128;
struct CastManyArgs {
  core::DType x_dtype = core::DType::kF32;
  core::DType y_dtype = core::DType::kF32;
  std::vector<CastTensor> tensors;
};
void launch_cast_many(const CastManyArgs& args, StreamHandle stream);

/// y[n, c, s] = (x[n, s, c] * scale - mean[c]) / stddev[c] in f32, then rounded to y's dtype; an
/// empty mean or stddev means 0 or 1. x: u8 (N, S, C), dense. At most kMaxImageChannels channels.
inline constexpr int kMaxImageChannels = 16;
struct NormalizeArgs {
  const std::uint8_t* x = nullptr;
  void* y = nullptr;
  core::DType dtype = core::DType::kF32;
  ChannelsLast layout;  ///< of y
  graph::NormalizeAttributes attributes;
};
void launch_normalize(const NormalizeArgs& args, StreamHandle stream);

/// The backward pass draws the same mask again (x = dy). seed, step, first_sample: i64 scalars in
/// device memory. The mask is that of core::sample_random_block for the logical position.
struct DropoutArgs {
  const void* x = nullptr;
  void* y = nullptr;
  core::DType dtype = core::DType::kF32;
  ChannelsLast layout;
  const std::int64_t* seed = nullptr;
  const std::int64_t* step = nullptr;
  const std::int64_t* first_sample = nullptr;
  graph::DropoutAttributes attributes;
};
void launch_dropout(const DropoutArgs& args, StreamHandle stream);

// ---- Per channel ----

/// y = x + bias[c], then ReLU if requested. bias: dense (C), with the dtype of x. y may be x.
struct BiasArgs {
  const void* x = nullptr;
  const void* bias = nullptr;
  void* y = nullptr;
  core::DType dtype = core::DType::kF32;
  ChannelsLast layout;
  bool relu = false;
};
void launch_add_bias(const BiasArgs& args, StreamHandle stream);

/// y[n, c, s] = x[n, c, s] gate[n, c] + shift[n, c] / spatial. gate, shift: (N, C) of the same
/// dtype, rows `gate_stride` apart, with zero padding. x null: y = shift / spatial, the gradient of
/// a global average. shift may be null. y may be x.
struct ScaleChannelsArgs {
  const void* x = nullptr;
  const void* gate = nullptr;
  const void* shift = nullptr;
  Index gate_stride = 0;
  void* y = nullptr;
  core::DType dtype = core::DType::kF32;
  ChannelsLast layout;
};
void launch_scale_channels(const ScaleChannelsArgs& args, StreamHandle stream);

/// With `per_sample`, result[n, c] = factor * sum over s of a, or of a b: (N, C), rows
/// `result_stride` <= layout.stride apart, whose padding is set to zero. Otherwise summed over the
/// batch too: result (C), dense. Global average: factor 1 / spatial; gradient of a gate: a = dy, b
/// = x; of a bias: a = dy.
struct ChannelSumsArgs {
  const void* a = nullptr;
  const void* b = nullptr;
  void* result = nullptr;
  core::DType dtype = core::DType::kF32;  ///< of a, b and result
  ChannelsLast layout;
  bool per_sample = true;
  Index result_stride = 0;
  float factor = 1.0F;
  void* scratch = nullptr;
};
[[nodiscard]] std::size_t channel_sums_scratch_bytes(const ChannelsLast& layout,
                                                     core::DType dtype,
                                                     bool per_sample);
void launch_channel_sums(const ChannelSumsArgs& args, StreamHandle stream);

// ---- Batch normalisation ----

/// y = act(act((x - mean) rstd gamma + beta) + addend): `relu` before the addition, `relu_after`
/// after it. Training writes mean and rstd of the batch (biased variance), and running = momentum
/// running + (1 - momentum) batch, with the unbiased variance (divisor at least 1). Inference reads
/// the running values. gamma ... rstd: f32 (C), dense. y may be x or addend.
struct BatchNormArgs {
  const void* x = nullptr;
  const float* gamma = nullptr;
  const float* beta = nullptr;
  float* running_mean = nullptr;
  float* running_variance = nullptr;
  float* mean = nullptr;
  float* rstd = nullptr;
  const void* addend = nullptr;  ///< null: none
  void* y = nullptr;
  core::DType dtype = core::DType::kF32;
  ChannelsLast layout;
  graph::BatchNormAttributes attributes;
  bool relu = false;
  bool relu_after = false;
  void* scratch = nullptr;  ///< training only
};
void launch_batch_norm(const BatchNormArgs& args, StreamHandle stream);
void launch_batch_norm_inference(const BatchNormArgs& args, StreamHandle stream);

/// dx = gamma rstd (dy' - mean(dy') - x^ mean(dy' x^)) + addend, x^ = (x - mean) rstd;
/// dgamma = sum(dy' x^), dbeta = sum(dy'). With `relu`, dy' = dy where the recomputed forward
/// result x^ gamma + beta > 0 and 0 elsewhere; without, dy' = dy. dx may be dy, x or addend. dbias
/// is dbeta rounded to dtype: the gradient of another op's bias with the same dy.
struct BatchNormBackwardArgs {
  const void* dy = nullptr;
  const void* x = nullptr;
  const float* gamma = nullptr;
  const float* beta = nullptr;  ///< read with relu only
  const float* mean = nullptr;
  const float* rstd = nullptr;
  const void* addend = nullptr;
  void* dx = nullptr;
  float* dgamma = nullptr;
  float* dbeta = nullptr;
  void* dbias = nullptr;  ///< null: none; (C), of dtype
  core::DType dtype = core::DType::kF32;
  ChannelsLast layout;
  bool relu = false;
  void* scratch = nullptr;
};
void launch_batch_norm_backward(const BatchNormBackwardArgs& args, StreamHandle stream);
/// The size of scratch for either direction, in bytes.
[[nodiscard]] std::size_t batch_norm_scratch_bytes(const ChannelsLast& layout, core::DType dtype);

// ---- Pooling and resampling ----

/// Spatial extents (D, H, W) on both sides; a 2D tensor has D = 1. Both sides have the same number
/// of channels; the first x_stride lanes of each position are computed.
struct Planes {
  Index batch = 0;
  Index channels = 0;
  Index x_stride = 0;
  Index y_stride = 0;
  std::array<Index, 3> x{1, 1, 1};
  std::array<Index, 3> y{1, 1, 1};
};
/// Max pooling without padding. argmax: u8 in the layout of y, the row-major position of the
/// maximum in its window; the first on ties; NaN beats numbers. The backward pass gathers: dx = sum
/// of dy over the windows whose maximum is at this element.
struct MaxPoolArgs {
  const void* x = nullptr;         ///< forward
  void* y = nullptr;               ///< forward
  std::uint8_t* argmax = nullptr;  ///< written forward, read backward
  const void* dy = nullptr;        ///< backward
  void* dx = nullptr;              ///< backward
  core::DType dtype = core::DType::kF32;
  Planes planes;
  std::array<Index, 3> kernel{1, 1, 1};
  std::array<Index, 3> stride{1, 1, 1};
};
void launch_max_pool(const MaxPoolArgs& args, StreamHandle stream);
void launch_max_pool_backward(const MaxPoolArgs& args, StreamHandle stream);

/// Nearest-neighbour upsampling, y extents = x extents * factor: y[o] = x[o / factor]; backward
/// (from = dy, to = dx): the sum over the outputs that copied an input.
struct UpsampleArgs {
  const void* from = nullptr;
  void* to = nullptr;
  core::DType dtype = core::DType::kF32;
  Planes planes;
};
void launch_upsample(const UpsampleArgs& args, StreamHandle stream);
void launch_upsample_backward(const UpsampleArgs& args, StreamHandle stream);

// ---- Shape ----

/// y[n, y_begin + c, s] = x[n, x_begin + c, s] for c < count; with `clear_before` and `clear_rest`
/// the lanes of y before and after those become zero (after: for the last part of a concatenation
/// and every slice; both: for the gradient of a slice). x, y: f32, f16, bf16 or u8.
struct CopyChannelsArgs {
  const void* x = nullptr;
  Index x_stride = 0;
  Index x_begin = 0;
  void* y = nullptr;
  Index y_stride = 0;
  Index y_begin = 0;
  Index count = 0;
  Index positions = 0;  ///< batch * spatial
  core::DType dtype = core::DType::kF32;
  bool clear_before = false;
  bool clear_rest = false;
};
void launch_copy_channels(const CopyChannelsArgs& args, StreamHandle stream);

/// Concatenates the channels of the parts; lanes of y after the last become zero. A part may be
/// upsampled at the same time (nearest neighbour): its extents times `factors` are those of y; it
/// then has no lanes after its channels. One launch for up to kMaxConcatParts parts that are whole
/// packs of 16 bytes, if those upsampled are by 2 in height and width and all by 1 or all by 2 in
/// depth; otherwise one launch per part.
inline constexpr int kMaxConcatParts = 4;
struct ConcatArgs {
  struct Part {
    const void* x = nullptr;
    Index stride = 0;
    Index channels = 0;
    std::array<Index, 3> factors{1, 1, 1};
  };
  std::vector<Part> parts;
  void* y = nullptr;
  Index y_stride = 0;
  Index batch = 0;
  std::array<Index, 3> extents{1, 1, 1};  ///< (D, H, W)
  core::DType dtype = core::DType::kF32;

  [[nodiscard]] Index positions() const { return batch * extents[0] * extents[1] * extents[2]; }
};
void launch_concat(const ConcatArgs& args, StreamHandle stream);

/// Copies the elements of x, in logical order (N, C, S...), to y, which has as many: flatten,
/// reshape, and (with stride = channels or spatial = 1) between row-major and channels-last memory.
/// Transposes in tiles if one side is row-major and lines are long enough, otherwise element by
/// element.
struct ReshapeArgs {
  const void* x = nullptr;
  ChannelsLast x_layout;
  void* y = nullptr;
  ChannelsLast y_layout;
  core::DType dtype = core::DType::kF32;
};
void launch_reshape(const ReshapeArgs& args, StreamHandle stream);

// ---- Losses and metrics, f32 ----

/// p: (N, 1, S) f32 with `p_stride` elements per position; mask: u8 (N, S), 0 or 1.
struct SegmentationArgs {
  const float* p = nullptr;
  Index p_stride = 1;
  const std::uint8_t* mask = nullptr;
  Index positions = 0;  ///< N S
  void* scratch = nullptr;
};
[[nodiscard]] std::size_t segmentation_scratch_bytes(Index positions);
/// sums = sum(y p), sum(p), sum(y).
void launch_dice_sums(const SegmentationArgs& args, float* sums, StreamHandle stream);
/// counts = true positives, false positives, false negatives, true negatives; p > threshold is a
/// positive decision.
void launch_segmentation_counts(const SegmentationArgs& args,
                                float threshold,
                                float* counts,
                                StreamHandle stream);
/// loss = 1 - (2 sum(y p) + smooth) / (sum(y) + sum(p) + smooth).
void launch_dice_loss(const float* sums, float smooth, float* loss, StreamHandle stream);
/// dp = dloss (A - 2 y B) / B^2, A = 2 sum(y p) + smooth, B = sum(y) + sum(p) + smooth; padding
/// lanes of dp become zero.
struct DiceBackwardArgs {
  const float* dloss = nullptr;
  const std::uint8_t* mask = nullptr;
  const float* sums = nullptr;
  float* dp = nullptr;
  Index p_stride = 1;
  Index positions = 0;
  float smooth = 1.0F;
};
void launch_dice_backward(const DiceBackwardArgs& args, StreamHandle stream);

/// Matrices (N, K) f32, rows `stride` apart; padding lanes of results become zero.
struct Matrix {
  Index rows = 0;
  Index columns = 0;
  Index stride = 0;
};
/// y = x - log(sum(exp(x))) for each row; dx = dy - exp(y) sum(dy).
void launch_log_softmax(const Matrix& shape, const float* x, float* y, StreamHandle stream);
void launch_log_softmax_backward(
    const Matrix& shape, const float* dy, const float* y, float* dx, StreamHandle stream);
/// The mean of -logp[row, label[row]]; a label outside [0, K) gives NaN, which ends the run.
void launch_nll_loss(const Matrix& shape,
                     const float* logp,
                     const std::int32_t* label,
                     float* loss,
                     StreamHandle stream);
/// dlogp = -dloss / N at the label, otherwise 0.
void launch_nll_backward(const Matrix& shape,
                         const float* dloss,
                         const std::int32_t* label,
                         float* dlogp,
                         StreamHandle stream);
/// counts = number of rows whose largest logp (the first on ties) is the label, number of rows.
void launch_classification_counts(const Matrix& shape,
                                  const float* logp,
                                  const std::int32_t* label,
                                  float* counts,
                                  StreamHandle stream);

// ---- Optimizers and loss scaling, f32 ----

/// Applies the rules of optimizer_math.h to all ranges, with one launch per kMaxRanges of them.
/// Writes nothing if *found_inf is not 0; null: never skips. learning_rate: f32, coefficients: f64
/// (8).
inline constexpr int kMaxRanges = 64;
struct OptimizerArgs {
  graph::OpKind op = graph::OpKind::kSgd;
  graph::OptimizerAttributes attributes;
  const float* learning_rate = nullptr;
  const double* coefficients = nullptr;
  const float* found_inf = nullptr;
  std::vector<UpdateRange> ranges;
};
void launch_optimizer(const OptimizerArgs& args, StreamHandle stream);

/// Advances step and coefficients, unless *found_inf is not 0; null: always advances.
void launch_optimizer_advance(const graph::OptimizerAttributes& attributes,
                              std::int64_t* step,
                              double* coefficients,
                              const float* found_inf,
                              StreamHandle stream);

/// Divides gradients by *loss_scale in place, one launch per range. Sets *found_inf to 1 if a
/// result is NaN or infinite, otherwise leaves it unchanged.
struct UnscaleArgs {
  const float* loss_scale = nullptr;
  float* found_inf = nullptr;
  std::vector<GradientRange> ranges;
};
void launch_unscale(const UnscaleArgs& args, StreamHandle stream);

/// Runs update_loss_scale() of loss_scale_rule.h on one thread.
void launch_loss_scale_update(const graph::LossScaleAttributes& rule,
                              const LossScaleState& state,
                              StreamHandle stream);

// ---- Checks of convolution plans ----

enum class ConvDirection : std::uint8_t { kForward, kBackwardData, kBackwardWeights };

/// Uniform values in [-1, 1), from the seed and the element's number: multiples of 2^-23 for f32,
/// of 2^-7 for f16 and bf16, which both represent exactly.
struct RandomValuesArgs {
  void* y = nullptr;
  core::DType dtype = core::DType::kF32;
  Index elements = 0;
  std::uint32_t seed = 0;
};
void launch_random_values(const RandomValuesArgs& args, StreamHandle stream);

/// One spatial axis: the extents of x, w and y, and the padding in front.
struct ConvAxis {
  Index x = 1;
  Index w = 1;
  Index y = 1;
  Index pad = 0;
  Index stride = 1;
  Index dilation = 1;
};
/// Single elements of a convolution's result, by the definition in double:
///   y[n, k, p] = sum over c, r of x[n, c, p stride + r dilation - pad] w[k, c, r]
/// over the channels c of the group of k, with x = 0 outside; or of its adjoint in x or in w. For
/// the element at each offset of the result's memory, sums gets the sum of its products and the sum
/// of their squares. x (N, C, ...), w (K, C / groups, ...) and y (N, K, ...) are channels-last and
/// dense; the operand that `direction` computes is not read.
inline constexpr int kMaxConvSamples = 128;
struct ConvSamplesArgs {
  ConvDirection direction = ConvDirection::kForward;
  core::DType dtype = core::DType::kF32;
  Index batch = 1;
  Index channels = 1;  ///< C
  Index filters = 1;   ///< K
  Index groups = 1;
  std::array<ConvAxis, 3> axes;  ///< D, H, W
  const void* x = nullptr;
  const void* w = nullptr;
  const void* y = nullptr;
  std::vector<Index> offsets;  ///< at most kMaxConvSamples
  double* sums = nullptr;      ///< (samples, 2)
};
void launch_conv_samples(const ConvSamplesArgs& args, StreamHandle stream);

/// y[i] = x[offsets[i]], for at most kMaxConvSamples offsets.
struct GatherArgs {
  const void* x = nullptr;
  core::DType dtype = core::DType::kF32;
  std::vector<Index> offsets;
  double* y = nullptr;
};
void launch_gather(const GatherArgs& args, StreamHandle stream);

}  // namespace dlbench::backend::cuda
