// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers for authors of networks: each function adds the parameters and nodes of one layer and
// returns its output. State is named "<layer>.weight", ".bias", ".running_mean", ".running_var".
#pragma once

#include "engine/graph/graph_builder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::graph {

enum class Padding : std::uint8_t {
  kValid,      ///< none
  kSameKeras,  ///< output = ceil(input / stride); odd remainders go to the bottom and right, as in
               ///< Keras
};

enum class WeightInit : std::uint8_t {
  kGlorotUniform,  ///< Keras' default; biases zero
  kHeNormal,       ///< Keras' he_normal; biases zero
  kTorchDefault,   ///< U(-1/sqrt(fan_in), 1/sqrt(fan_in)) for weights and biases
};

/// A square 2D convolution.
struct Conv2dParams {
  std::int64_t channels_out = 1;
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  Padding padding = Padding::kSameKeras;
  bool bias = true;
  WeightInit init = WeightInit::kGlorotUniform;
};

/// x: (N, C, H, W) -> (N, channels_out, H', W').
ValueId conv2d(GraphBuilder& builder,
               ValueId x,
               const std::string& name,
               const Conv2dParams& params);

/// A square 2D transposed convolution, as PyTorch's ConvTranspose2d without groups and dilation.
/// The defaults double height and width.
struct ConvTranspose2dParams {
  std::int64_t channels_out = 1;
  std::int64_t kernel = 2;
  std::int64_t stride = 2;
  std::int64_t padding = 0;  ///< elements cropped at every side
  std::int64_t output_padding = 0;
  bool bias = true;
  WeightInit init = WeightInit::kGlorotUniform;
};

/// x: (N, C, H, W) -> (N, channels_out, H', W'), H' = (H - 1) stride + kernel - 2 padding +
/// output_padding; weight (C, channels_out, kernel, kernel), whose fan-in is channels_out kernel^2,
/// in Keras as in PyTorch.
ValueId conv_transpose2d(GraphBuilder& builder,
                         ValueId x,
                         const std::string& name,
                         const ConvTranspose2dParams& params);

/// Batch statistics in train mode, running statistics in evaluate mode. x: (N, C, ...).
ValueId batch_norm(GraphBuilder& builder,
                   ValueId x,
                   const std::string& name,
                   const BatchNormAttributes& attributes);

struct LinearParams {
  std::int64_t features_out = 1;
  bool bias = true;
  WeightInit init = WeightInit::kGlorotUniform;
};

/// x: (N, I) -> (N, features_out); weight (features_out, I).
ValueId linear(GraphBuilder& builder,
               ValueId x,
               const std::string& name,
               const LinearParams& params);

ValueId relu(GraphBuilder& builder, ValueId x, const std::string& name);
ValueId sigmoid(GraphBuilder& builder, ValueId x, const std::string& name);
ValueId add(GraphBuilder& builder, ValueId a, ValueId b, const std::string& name);
ValueId multiply(GraphBuilder& builder, ValueId a, ValueId b, const std::string& name);
/// x: (N, C, ...), gate: (N, C).
ValueId scale_channels(GraphBuilder& builder, ValueId x, ValueId gate, const std::string& name);
/// (N, C, ...) -> (N, C).
ValueId global_avg_pool(GraphBuilder& builder, ValueId x, const std::string& name);
/// Max pooling with a square window, stride = window.
ValueId max_pool2d(GraphBuilder& builder, ValueId x, const std::string& name, std::int64_t window);
ValueId upsample2d(GraphBuilder& builder, ValueId x, const std::string& name, std::int64_t factor);
ValueId concat(GraphBuilder& builder, const std::vector<ValueId>& parts, const std::string& name);
/// Channels [begin, begin + extent) of axis 1.
ValueId slice(GraphBuilder& builder,
              ValueId x,
              const std::string& name,
              const SliceAttributes& range);
/// (N, ...) -> (N, product).
ValueId flatten(GraphBuilder& builder, ValueId x, const std::string& name);
/// Dropout in train mode, the identity in evaluate mode.
ValueId dropout(GraphBuilder& builder, ValueId x, const std::string& name, float rate);
/// u8 (N, H, W, C) -> f32 (N, C, H, W).
ValueId normalize_image(GraphBuilder& builder,
                        ValueId x,
                        const std::string& name,
                        const NormalizeAttributes& attributes);
ValueId log_softmax(GraphBuilder& builder, ValueId x, const std::string& name);

/// The scalar loss 1 - Dice over the whole batch; p (N, 1, H, W), mask u8 (N, H, W) of 0 and 1.
ValueId dice_loss(
    GraphBuilder& builder, ValueId p, ValueId mask, const std::string& name, float smooth);
/// Mean negative log-likelihood, a scalar; logp (N, K), label i32 (N).
ValueId nll_loss(GraphBuilder& builder, ValueId logp, ValueId label, const std::string& name);
/// Counts at a threshold, f32 (4): true positives, false positives, false and true negatives.
ValueId segmentation_counts(
    GraphBuilder& builder, ValueId p, ValueId mask, const std::string& name, float threshold);
/// Counts of correct predictions and of samples: f32 (2).
ValueId classification_counts(GraphBuilder& builder,
                              ValueId logp,
                              ValueId label,
                              const std::string& name);

}  // namespace dlbench::graph
