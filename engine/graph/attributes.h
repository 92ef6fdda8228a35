// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a node carries besides its inputs: one small struct per family of ops.
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/shape.h"

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

namespace dlbench::graph {

/// Up to three spatial extents (D, H, W); a 2D op uses the first two as (H, W).
using Spatial = std::array<std::int64_t, 3>;

/// Convolution over 2 or 3 spatial axes (the rank of x minus two). x: (N, C, H, W) or (N, C, D, H,
/// W); weight: (K, C / groups, kernel...). Padding may differ between the two ends of an axis, as
/// with Keras' "same".
struct ConvAttributes {
  Spatial stride{1, 1, 1};
  Spatial dilation{1, 1, 1};  ///< 1 = dense
  Spatial pad_begin{0, 0, 0};
  Spatial pad_end{0, 0, 0};
  std::int64_t groups = 1;
};

/// Transposed convolution as in PyTorch's ConvTranspose: the adjoint of the convolution `conv`,
/// which maps y to x. Along each axis the extents are
///   y = (x - 1) stride + (kernel - 1) dilation + 1 - pad_begin - pad_end + output_padding.
/// A convolution of stride s maps s different extents of y to the same extent of x; output_padding,
/// in [0, stride), selects one of them. Padding crops y at its ends.
struct ConvTransposeAttributes {
  ConvAttributes conv;
  Spatial output_padding{0, 0, 0};
};

/// y = (x - mean) / sqrt(var + epsilon) * gamma + beta per channel. momentum is the weight of the
/// old running value (Keras' convention; PyTorch's momentum is 1 minus this one).
struct BatchNormAttributes {
  float momentum = 0.9F;
  float epsilon = 1e-5F;
};

/// Pooling window without padding; a partial window at the end is dropped.
struct PoolAttributes {
  Spatial kernel{1, 1, 1};
  Spatial stride{1, 1, 1};
};

/// Integer factors of nearest-neighbour upsampling.
struct UpsampleAttributes {
  Spatial factor{1, 1, 1};
};

/// Channels [begin, begin + extent) of axis 1.
struct SliceAttributes {
  std::int64_t begin = 0;
  std::int64_t extent = 0;
};

struct ReshapeAttributes {
  core::Shape shape;
};

struct CastAttributes {
  core::DType dtype = core::DType::kF32;
};

/// y[n, c, ...] = (x[n, ..., c] * scale - mean[c]) / stddev[c]; an empty mean or stddev means 0
/// or 1.
struct NormalizeAttributes {
  float scale = 1.0F / 255.0F;
  std::vector<float> mean;
  std::vector<float> stddev;
};

/// Each element is zeroed with probability `rate`, the others are divided by 1 - rate.
/// `key` distinguishes this dropout from others in the network: the `node` of the random counter.
struct DropoutAttributes {
  float rate = 0.5F;
  std::int32_t key = 0;
};

/// Dice = (2 sum(y p) + smooth) / (sum(y) + sum(p) + smooth), with sums over the whole batch.
struct DiceAttributes {
  float smooth = 1.0F;
};

/// Threshold of a hard decision on a probability.
struct ThresholdAttributes {
  float threshold = 0.5F;
};

/// Hyper-parameters of an optimizer; which ones are read depends on the op. The learning rate is
/// not among them: it is a scalar of the model state, so that a schedule needs no new plan.
struct OptimizerAttributes {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;
  double rho = 0.9;           ///< Adadelta
  double momentum = 0.0;      ///< SGD
  double weight_decay = 0.0;  ///< SGD, Adam: added to the gradient
};

/// How the loss scale changes: it is multiplied by `backoff` after a step with a non-finite
/// gradient, and by `growth` after `interval` good steps in a row. Defaults: PyTorch's GradScaler.
struct LossScaleAttributes {
  double growth = 2.0;
  double backoff = 0.5;
  std::int64_t interval = 2000;
};

/// Sum over the ranks of one gradient bucket, or of the sums of a loss. The sum of gradients is a
/// mean over samples because each rank's scalar "loss_gradient" is its share of the global batch.
struct AllReduceAttributes {
  std::int32_t bucket = 0;
};

using Attributes = std::variant<std::monostate,
                                ConvAttributes,
                                ConvTransposeAttributes,
                                BatchNormAttributes,
                                PoolAttributes,
                                UpsampleAttributes,
                                SliceAttributes,
                                ReshapeAttributes,
                                CastAttributes,
                                NormalizeAttributes,
                                DropoutAttributes,
                                DiceAttributes,
                                ThresholdAttributes,
                                OptimizerAttributes,
                                LossScaleAttributes,
                                AllReduceAttributes>;

}  // namespace dlbench::graph
