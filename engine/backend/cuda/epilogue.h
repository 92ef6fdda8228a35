// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What may follow a contraction before its result is written: by the library that computes it, or
// by an own kernel behind it.
#pragma once

#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/fusion.h"
#include "engine/core/dtype.h"
#include "engine/graph/graph.h"

#include <string>

namespace dlbench::backend::cuda {

/// y = contraction, [+ bias], [then ReLU].
struct Epilogue {
  bool bias = false;  ///< one per channel or column, dense, of the dtype of y
  bool relu = false;

  [[nodiscard]] bool any() const { return bias || relu; }
  /// Whether a library may compute it. Not a ReLU: cuDNN's and cuBLASLt's make 0 of NaN, which then
  /// would not reach the loss (NNlib.jl issue 435, TensorFlow issue 40072). One behind a bias costs
  /// nothing more in the own kernel.
  [[nodiscard]] bool fusible() const { return bias && !relu; }
  /// "", "+bias", "+relu", "+bias+relu".
  [[nodiscard]] std::string text() const;
};

/// Of a kConv or kLinear node (x, w, [bias] -> y) in its group; of any other node none. `group` may
/// be null.
[[nodiscard]] Epilogue epilogue_of(const graph::Node& node, const FusedGroup* group);

/// The own kernel, in place: reads and writes y once. Nothing to do for an empty epilogue.
void launch_epilogue(const Epilogue& epilogue,
                     const void* bias,
                     void* y,
                     core::DType dtype,
                     const ChannelsLast& layout,
                     StreamHandle stream);

}  // namespace dlbench::backend::cuda
