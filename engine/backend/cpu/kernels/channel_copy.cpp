// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels/channel_copy.h"

#include "engine/backend/cpu/kernels/parallel.h"

#include <algorithm>

namespace dlbench::backend::cpu {

template <typename T>
void copy_channels(const Geometry& x_geometry,
                   std::int64_t x_begin,
                   Rows<const T> x,
                   const Geometry& y_geometry,
                   std::int64_t y_begin,
                   Rows<T> y,
                   std::int64_t count) {
  const std::int64_t block = x_geometry.block;
  parallel_for(x_geometry.elements() > 8192, x_geometry.batch * count, [&](std::int64_t i) {
    const std::int64_t sample = i / count;
    const std::int64_t from_channel = x_begin + i % count;
    const std::int64_t to_channel = y_begin + i % count;
    const T* from = x.data + sample * x.sample_stride + from_channel / block * x_geometry.row() +
                    from_channel % block;
    T* to = y.data + sample * y.sample_stride + to_channel / block * y_geometry.row() +
            to_channel % block;
    for (std::int64_t position = 0; position < x_geometry.spatial; ++position) {
      to[position * block] = from[position * block];
    }
  });
}

template <typename T>
void clear_channels(const Geometry& g, std::int64_t begin, std::int64_t end, Rows<T> x) {
  if (begin >= end) {
    return;
  }
  const std::int64_t first_block = begin / g.block;
  const std::int64_t blocks = (end - 1) / g.block - first_block + 1;
  parallel_for(g.elements() > 8192, g.batch * blocks, [&](std::int64_t i) {
    const std::int64_t block = first_block + i % blocks;
    const std::int64_t first_lane = std::max<std::int64_t>(begin - block * g.block, 0);
    const std::int64_t last_lane = std::min(end - block * g.block, g.block);
    T* row = x.data + i / blocks * x.sample_stride + block * g.row();
    for (std::int64_t position = 0; position < g.spatial; ++position) {
      std::fill(row + position * g.block + first_lane, row + position * g.block + last_lane, T{});
    }
  });
}

void relayout(const Geometry& x_geometry,
              const std::uint8_t* x,
              const Geometry& y_geometry,
              std::uint8_t* y) {
  for (std::int64_t sample = 0; sample < y_geometry.batch; ++sample) {
    for (std::int64_t channel = 0; channel < y_geometry.blocks() * y_geometry.block; ++channel) {
      const std::uint8_t* from = x + sample * x_geometry.sample() +
                                 channel / x_geometry.block * x_geometry.row() +
                                 channel % x_geometry.block;
      std::uint8_t* to = y + sample * y_geometry.sample() +
                         channel / y_geometry.block * y_geometry.row() + channel % y_geometry.block;
      const bool exists = channel < y_geometry.channels;
      for (std::int64_t position = 0; position < y_geometry.spatial; ++position) {
        to[position * y_geometry.block] =
            exists ? from[position * x_geometry.block] : std::uint8_t{0};
      }
    }
  }
}

void transpose_weights(
    std::int64_t k, std::int64_t c, std::int64_t taps, const float* x, float* y) {
  parallel_for(k * c * taps > 65536, c, [&](std::int64_t to) {
    for (std::int64_t from = 0; from < k; ++from) {
      const float* source = x + (from * c + to) * taps;
      float* target = y + (to * k + from) * taps;
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        target[tap] = source[taps - 1 - tap];
      }
    }
  });
}

#define DLBENCH_INSTANTIATE(T)                    \
  template void copy_channels<T>(const Geometry&, \
                                 std::int64_t,    \
                                 Rows<const T>,   \
                                 const Geometry&, \
                                 std::int64_t,    \
                                 Rows<T>,         \
                                 std::int64_t);   \
  template void clear_channels<T>(const Geometry&, std::int64_t, std::int64_t, Rows<T>);
DLBENCH_INSTANTIATE(float)
DLBENCH_INSTANTIATE(Bf16)
#undef DLBENCH_INSTANTIATE

}  // namespace dlbench::backend::cpu
