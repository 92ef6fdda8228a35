// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A convolution in one direction, as cuDNN sees it. Makes no CUDA calls.
#pragma once

#include "engine/backend/cuda/channel_padding.h"
#include "engine/backend/cuda/epilogue.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/core/dtype.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::backend::cuda {

/// "forward", "backward_data", "backward_weights".
[[nodiscard]] std::string_view name(ConvDirection direction);

/// Shapes are (N, C, spatial...) and (K, C / groups, kernel...), with padding lanes counted as
/// channels; memory is channels-last and dense. cuDNN infers the number of groups from x and w.
struct ConvProblem {
  ConvDirection direction = ConvDirection::kForward;
  core::DType dtype = core::DType::kF32;  ///< of x, w and y; sums are in f32
  std::vector<std::int64_t> x;
  std::vector<std::int64_t> w;
  std::vector<std::int64_t> y;
  std::vector<std::int64_t> pad_begin;  ///< one per spatial axis, as the following
  std::vector<std::int64_t> pad_end;
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> dilation;
  Epilogue epilogue;  ///< forward only

  /// "conv forward bf16 x(32, 64, 56, 56) w(64, 64, 3, 3) pad(1, 1)-(1, 1) stride(1, 1)
  /// dilation(1, 1) +bias": everything on which a choice of plan depends.
  [[nodiscard]] std::string text() const;
};

/// Describes a kConv, kConvBackwardData, kConvBackwardWeights or kConvTranspose node. The last is
/// the backward-data problem of the convolution whose adjoint it is: it reads y and writes x.
[[nodiscard]] ConvProblem conv_problem(const graph::Graph& graph,
                                       const graph::Node& node,
                                       const ChannelPadding& padding,
                                       const Epilogue& epilogue = {});

/// Strides in elements of a dense channels-last tensor (N, C, spatial...).
[[nodiscard]] std::vector<std::int64_t> channels_last_strides(
    const std::vector<std::int64_t>& extents);

}  // namespace dlbench::backend::cuda
