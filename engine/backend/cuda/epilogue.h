// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What may follow a contraction: computed by the library before it writes the result, or by an own
// kernel afterwards.
#pragma once

#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/fusion.h"
#include "engine/core/dtype.h"
#include "engine/graph/graph.h"

#include <string>

namespace dlbench::backend::cuda {

/// y = contraction [+ bias] [then ReLU].
struct Epilogue {
  bool bias = false;  ///< one per channel or column, dense, of the dtype of y
  bool relu = false;

  [[nodiscard]] bool any() const { return bias || relu; }
  /// Whether a library may compute it. Not a ReLU: those of cuDNN and cuBLASLt turn NaN into 0, so
  /// that it would not reach the loss (NNlib.jl issue 435, TensorFlow issue 40072). After a bias, a
  /// ReLU in the own kernel costs nothing extra.
  [[nodiscard]] bool fusible() const { return bias && !relu; }
  /// "", "+bias", "+relu", "+bias+relu".
  [[nodiscard]] std::string text() const;
};

/// The epilogue of a kConv or kLinear node (x, w, [bias] -> y) in its group; empty for other nodes.
/// `group` may be null.
[[nodiscard]] Epilogue epilogue_of(const graph::Node& node, const FusedGroup* group);

/// Launches the own kernel, in place: reads and writes y once. Does nothing for an empty epilogue.
void launch_epilogue(const Epilogue& epilogue,
                     const void* bias,
                     void* y,
                     core::DType dtype,
                     const ChannelsLast& layout,
                     StreamHandle stream);

}  // namespace dlbench::backend::cuda
