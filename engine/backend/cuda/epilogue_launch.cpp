// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of epilogue.h that needs the own kernels.
#include "engine/backend/cuda/epilogue.h"

namespace dlbench::backend::cuda {

void launch_epilogue(const Epilogue& epilogue,
                     const void* bias,
                     void* y,
                     core::DType dtype,
                     const ChannelsLast& layout,
                     StreamHandle stream) {
  if (epilogue.bias) {
    launch_add_bias(
        {.x = y, .bias = bias, .y = y, .dtype = dtype, .layout = layout, .relu = epilogue.relu},
        stream);
  } else if (epilogue.relu) {
    launch_pointwise(
        PointwiseOp::kRelu, {.a = y, .y = y, .dtype = dtype, .layout = layout}, stream);
  }
}

}  // namespace dlbench::backend::cuda
