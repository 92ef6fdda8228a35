// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes of scratch memory. Chunks depend on the width of packs, which depends on addresses that are
// not known yet: the larger size is returned.
#include "engine/backend/cuda/kernels/channels.h"
#include "engine/backend/cuda/kernels/losses.h"

#include <algorithm>

namespace dlbench::backend::cuda {
namespace {

std::size_t sums_bytes(const ChannelsLast& layout,
                       core::DType dtype,
                       bool per_sample,
                       int quantities) {
  std::size_t bytes = reduction_scratch_bytes(sum_columns(layout, per_sample, 1), quantities);
  visit_packs(dtype, layout.stride, [&](auto /*type*/, auto width) {
    constexpr int kN = decltype(width)::value;
    bytes =
        std::max(bytes, reduction_scratch_bytes(sum_columns(layout, per_sample, kN), quantities));
  });
  return bytes;
}

}  // namespace

std::size_t channel_sums_scratch_bytes(const ChannelsLast& layout,
                                       core::DType dtype,
                                       bool per_sample) {
  return sums_bytes(layout, dtype, per_sample, 1);
}

std::size_t batch_norm_scratch_bytes(const ChannelsLast& layout, core::DType dtype) {
  return sums_bytes(layout, dtype, false, 2);
}

std::size_t segmentation_scratch_bytes(Index positions) {
  return std::max(reduction_scratch_bytes(pixel_columns(positions), 3),
                  reduction_scratch_bytes(pixel_columns(positions / kPixels), 3));
}

}  // namespace dlbench::backend::cuda
