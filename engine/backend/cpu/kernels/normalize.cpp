// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels/normalize.h"

#include "engine/backend/cpu/kernels/parallel.h"

#include <algorithm>

namespace dlbench::backend::cpu {
namespace {

constexpr std::int64_t kPiece = 4096;

/// One channel of a plain tensor.
template <std::int64_t kChannels>
void plain_piece(const std::uint8_t* x, std::int64_t count, float scale, float shift, float* y) {
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = static_cast<float>(x[i * kChannels]) * scale + shift;
  }
}

void plain_any(const std::uint8_t* x,
               std::int64_t channels,
               std::int64_t count,
               float scale,
               float shift,
               float* y) {
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = static_cast<float>(x[i * channels]) * scale + shift;
  }
}

void plain_channel(const std::uint8_t* x,
                   std::int64_t channels,
                   std::int64_t count,
                   float scale,
                   float shift,
                   float* y) {
  switch (channels) {
    case 1:
      return plain_piece<1>(x, count, scale, shift, y);
    case 3:
      return plain_piece<3>(x, count, scale, shift, y);
    default:
      return plain_any(x, channels, count, scale, shift, y);
  }
}

}  // namespace

void normalize(const Geometry& g,
               const std::uint8_t* x,
               const float* scale,
               const float* shift,
               Rows<float> y) {
  const std::int64_t pieces = (g.spatial + kPiece - 1) / kPiece;
  parallel_for(g.elements() > 8192, g.batch * pieces, [&](std::int64_t i) {
    const std::int64_t sample = i / pieces;
    const std::int64_t begin = i % pieces * kPiece;
    const std::int64_t count = std::min(kPiece, g.spatial - begin);
    const std::uint8_t* from = x + (sample * g.spatial + begin) * g.channels;
    for (std::int64_t channel = 0; channel < g.blocks() * g.block; ++channel) {
      float* to = y.data + sample * y.sample_stride + channel / g.block * g.row() +
                  begin * g.block + channel % g.block;
      if (channel >= g.channels) {
        for (std::int64_t position = 0; position < count; ++position) {
          to[position * g.block] = 0.0F;
        }
      } else if (g.block == 1) {
        plain_channel(from + channel, g.channels, count, scale[channel], shift[channel], to);
      } else {
        for (std::int64_t position = 0; position < count; ++position) {
          to[position * g.block] =
              static_cast<float>(from[position * g.channels + channel]) * scale[channel] +
              shift[channel];
        }
      }
    }
  });
}

}  // namespace dlbench::backend::cpu
