// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns a Conversion of a stream into arguments of the cast kernel.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/cuda/kernels/launch.h"

namespace dlbench::backend::cuda {

/// The arguments, with all elements as one row of channels.
[[nodiscard]] inline CastArgs cast_args(const Conversion& conversion) {
  const auto count = static_cast<Index>(conversion.count);
  const ChannelsLast layout{.channels = count, .stride = count};
  return {.x = conversion.from,
          .x_dtype = conversion.from_dtype,
          .x_layout = layout,
          .y = conversion.to,
          .y_dtype = conversion.to_dtype,
          .y_layout = layout};
}

}  // namespace dlbench::backend::cuda
