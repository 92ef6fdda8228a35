// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One task is one line of the output (forward) or of the input (backward) of one channel block. The
// innermost loop runs over the lanes of a position: 1, 8 or 16, fixed at compile time.
#include "engine/backend/cpu/kernels/pooling.h"

#include "engine/backend/cpu/kernels/chunks.h"
#include "engine/backend/cpu/kernels/lanes.h"

#include <cmath>
#include <cstddef>
#include <type_traits>

namespace dlbench::backend::cpu {
namespace {

/// A line of one plane of one channel block.
struct Line {
  std::int64_t sample;
  std::int64_t block;
  std::int64_t depth;
  std::int64_t row;
};

template <typename Body>
void for_each_line(const Geometry& g, const Extents& extents, Body body) {
  const std::int64_t lines = g.batch * g.blocks() * extents.depth * extents.height;
  in_parallel(worth_all_threads(g), [&] {
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < lines; ++i) {
      const std::int64_t plane = i / extents.height;
      const std::int64_t row = plane / extents.depth;
      body(Line{row / g.blocks(), row % g.blocks(), plane % extents.depth, i % extents.height});
    }
    _mm_sfence();
  });
}

/// The first element of a line in a tensor whose planes have these extents.
template <std::int64_t kBlock, typename T>
T* line_start(const Rows<T>& rows, const Extents& extents, const Line& line) {
  return rows.data + line.sample * rows.sample_stride +
         ((line.block * extents.depth + line.depth) * extents.height + line.row) * extents.width *
             kBlock;
}

/// The maximum so far and its position, for the lanes of one position. NaN exceeds any number.
template <std::int64_t kBlock>
struct Best {
  float value[kBlock] = {};
  std::uint32_t position[kBlock] = {};

  template <typename T>
  void offer(const T* from, std::uint32_t index) {
    for (std::int64_t lane = 0; lane < kBlock; ++lane) {
      const float candidate = to_float(from[lane]);
      const bool better = index == 0 || candidate > value[lane] || std::isnan(candidate);
      value[lane] = better ? candidate : value[lane];
      position[lane] = better ? index : position[lane];
    }
  }
  template <typename T>
  void save(T* y, std::uint8_t* argmax) const {
    for (std::int64_t lane = 0; lane < kBlock; ++lane) {
      store_one(y[lane], value[lane]);
      argmax[lane] = static_cast<std::uint8_t>(position[lane]);
    }
  }
};

inline __m256 greater_or_nan(__m256 candidate, __m256 than) {
  return _mm256_or_ps(_mm256_cmp_ps(candidate, than, _CMP_GT_OQ),
                      _mm256_cmp_ps(candidate, candidate, _CMP_UNORD_Q));
}

/// As the primary template, but in registers.
template <>
struct Best<kLanes> {
  Lanes value = zero_lanes();
  __m256i low = _mm256_setzero_si256();
  __m256i high = _mm256_setzero_si256();

  template <typename T>
  void offer(const T* from, std::uint32_t index) {
    const Lanes candidate = load(from, FullGroup{});
    if (index == 0) {
      value = candidate;
      return;
    }
    const __m256 better_low = greater_or_nan(candidate.low, value.low);
    const __m256 better_high = greater_or_nan(candidate.high, value.high);
    value.low = _mm256_blendv_ps(value.low, candidate.low, better_low);
    value.high = _mm256_blendv_ps(value.high, candidate.high, better_high);
    const __m256i here = _mm256_set1_epi32(static_cast<int>(index));
    low = _mm256_blendv_epi8(low, here, _mm256_castps_si256(better_low));
    high = _mm256_blendv_epi8(high, here, _mm256_castps_si256(better_high));
  }
  template <typename T>
  void save(T* y, std::uint8_t* argmax) const {
    store(y, value, FullGroup{});
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xD8);
    const __m128i bytes =
        _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(argmax), bytes);
  }
};

template <std::int64_t kBlock, typename T>
void max_pool_line(
    const PoolWindow& w, const Line& line, const Rows<const T>& x, T* y, std::uint8_t* argmax) {
  for (std::int64_t column = 0; column < w.output.width; ++column) {
    Best<kBlock> best;
    std::uint32_t index = 0;
    for (std::int64_t d = 0; d < w.kernel.depth; ++d) {
      for (std::int64_t r = 0; r < w.kernel.height; ++r) {
        const T* from = line_start<kBlock>(x,
                                           w.input,
                                           Line{line.sample,
                                                line.block,
                                                line.depth * w.stride.depth + d,
                                                line.row * w.stride.height + r}) +
                        column * w.stride.width * kBlock;
        for (std::int64_t c = 0; c < w.kernel.width; ++c, ++index) {
          best.offer(from + c * kBlock, index);
        }
      }
    }
    best.save(y + column * kBlock, argmax + column * kBlock);
  }
}

/// to = gradient where chosen == position, otherwise 0.
template <std::int64_t kBlock, typename T>
void select_gradient(const std::uint8_t* chosen,
                     std::uint8_t position,
                     const T* gradient,
                     T* __restrict to) {
  for (std::int64_t lane = 0; lane < kBlock; ++lane) {
    to[lane] = chosen[lane] == position ? gradient[lane] : T{};
  }
}

/// As select_gradient(), for 16 lanes in registers.
template <typename T, typename Group>
void select_lanes(
    const std::uint8_t* chosen, std::uint8_t position, const T* gradient, T* to, Group group) {
  const __m128i mask = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(chosen)),
                                      _mm_set1_epi8(static_cast<char>(position)));
  const __m256 low = _mm256_castsi256_ps(_mm256_cvtepi8_epi32(mask));
  const __m256 high = _mm256_castsi256_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(mask, 8)));
  const Lanes value = load(gradient, FullGroup{});
  store(to, Lanes{_mm256_and_ps(low, value.low), _mm256_and_ps(high, value.high)}, group);
}

/// Whether to write bypassing the caches, which pays for large tensors (chunks.h); a position of 16
/// lanes is then aligned.
template <typename T>
bool streams(const Geometry& g, const T* data) {
  return g.block == kLanes && is_large<T>(g) && reinterpret_cast<std::uintptr_t>(data) % 32 == 0;
}

/// For windows that do not overlap: each input belongs to at most one window.
template <std::int64_t kBlock, typename T>
void max_pool_backward_line(const PoolWindow& w,
                            const Line& line,
                            const Rows<const T>& dy,
                            const Rows<const std::uint8_t>& argmax,
                            bool stream,
                            T* dx) {
  const Line out{line.sample, line.block, line.depth / w.kernel.depth, line.row / w.kernel.height};
  const bool outside = out.depth >= w.output.depth || out.row >= w.output.height;
  const std::int64_t inside = outside ? 0 : w.output.width * w.kernel.width;
  if (!outside) {
    const T* gradient = line_start<kBlock>(dy, w.output, out);
    const std::uint8_t* chosen = line_start<kBlock>(argmax, w.output, out);
    const std::int64_t first =
        ((line.depth % w.kernel.depth) * w.kernel.height + line.row % w.kernel.height) *
        w.kernel.width;
    T* to = dx;
    for (std::int64_t column = 0; column < w.output.width; ++column) {
      for (std::int64_t c = 0; c < w.kernel.width; ++c, to += kBlock) {
        const auto position = static_cast<std::uint8_t>(first + c);
        if constexpr (kBlock == kLanes) {
          stream ? select_lanes(chosen, position, gradient, to, StreamGroup{})
                 : select_lanes(chosen, position, gradient, to, FullGroup{});
        } else {
          select_gradient<kBlock, T>(chosen, position, gradient, to);
        }
      }
      gradient += kBlock;
      chosen += kBlock;
    }
  }
  for (std::int64_t i = inside * kBlock; i < w.input.width * kBlock; ++i) {
    dx[i] = T{};
  }
}

/// For windows of any stride: a sum over the windows that contain the element.
template <std::int64_t kBlock, typename T>
void max_pool_backward_any(const PoolWindow& w,
                           const Line& line,
                           const Rows<const T>& dy,
                           const Rows<const std::uint8_t>& argmax,
                           T* dx) {
  for (std::int64_t column = 0; column < w.input.width; ++column) {
    float sum[kBlock] = {};
    for (std::int64_t d = 0; d < w.kernel.depth; ++d) {
      for (std::int64_t r = 0; r < w.kernel.height; ++r) {
        for (std::int64_t c = 0; c < w.kernel.width; ++c) {
          const std::int64_t depth = line.depth - d;
          const std::int64_t row = line.row - r;
          const std::int64_t at = column - c;
          const bool starts = depth >= 0 && row >= 0 && at >= 0 && depth % w.stride.depth == 0 &&
                              row % w.stride.height == 0 && at % w.stride.width == 0;
          const Line out{line.sample, line.block, depth / w.stride.depth, row / w.stride.height};
          const std::int64_t out_column = at / w.stride.width;
          if (!starts || out.depth >= w.output.depth || out.row >= w.output.height ||
              out_column >= w.output.width) {
            continue;
          }
          const T* gradient = line_start<kBlock>(dy, w.output, out) + out_column * kBlock;
          const std::uint8_t* chosen =
              line_start<kBlock>(argmax, w.output, out) + out_column * kBlock;
          const auto position = (d * w.kernel.height + r) * w.kernel.width + c;
          for (std::int64_t lane = 0; lane < kBlock; ++lane) {
            sum[lane] += chosen[lane] == position ? to_float(gradient[lane]) : 0.0F;
          }
        }
      }
    }
    for (std::int64_t lane = 0; lane < kBlock; ++lane) {
      store_one(dx[column * kBlock + lane], sum[lane]);
    }
  }
}

template <std::int64_t kBlock, typename T>
void upsample_line(const Extents& output,
                   const Extents& input,
                   const Extents& factor,
                   const Line& line,
                   const Rows<const T>& x,
                   bool stream,
                   const Rows<T>& y) {
  const T* from = line_start<kBlock>(
      x, input, Line{line.sample, line.block, line.depth / factor.depth, line.row / factor.height});
  T* to = line_start<kBlock>(y, output, line);
  for (std::int64_t column = 0; column < input.width; ++column, from += kBlock) {
    for (std::int64_t c = 0; c < factor.width; ++c, to += kBlock) {
      if constexpr (kBlock == kLanes) {
        const Lanes value = load(from, FullGroup{});
        stream ? store(to, value, StreamGroup{}) : store(to, value, FullGroup{});
      } else {
        std::memcpy(to, from, kBlock * sizeof(T));
      }
    }
  }
}

template <std::int64_t kBlock, typename T>
void upsample_backward_line(const Extents& output,
                            const Extents& input,
                            const Extents& factor,
                            const Line& line,
                            const Rows<const T>& dy,
                            const Rows<T>& dx) {
  T* to = line_start<kBlock>(dx, input, line);
  for (std::int64_t column = 0; column < input.width; ++column, to += kBlock) {
    float sum[kBlock] = {};
    for (std::int64_t d = 0; d < factor.depth; ++d) {
      for (std::int64_t r = 0; r < factor.height; ++r) {
        const T* from = line_start<kBlock>(dy,
                                           output,
                                           Line{line.sample,
                                                line.block,
                                                line.depth * factor.depth + d,
                                                line.row * factor.height + r}) +
                        column * factor.width * kBlock;
        for (std::int64_t c = 0; c < factor.width; ++c, from += kBlock) {
          for (std::int64_t lane = 0; lane < kBlock; ++lane) {
            sum[lane] += to_float(from[lane]);
          }
        }
      }
    }
    for (std::int64_t lane = 0; lane < kBlock; ++lane) {
      store_one(to[lane], sum[lane]);
    }
  }
}

/// Calls function with the block size as a compile-time constant.
template <typename Function>
void with_block(const Geometry& g, Function function) {
  switch (g.block) {
    case 16:
      return function(std::integral_constant<std::int64_t, 16>{});
    case 8:
      return function(std::integral_constant<std::int64_t, 8>{});
    default:
      return function(std::integral_constant<std::int64_t, 1>{});
  }
}

Extents product(const Extents& a, const Extents& b) {
  return {a.depth * b.depth, a.height * b.height, a.width * b.width};
}

bool overlaps(const PoolWindow& w) {
  return w.kernel.depth != w.stride.depth || w.kernel.height != w.stride.height ||
         w.kernel.width != w.stride.width;
}

}  // namespace

template <typename T>
void max_pool(const Geometry& x_geometry,
              const PoolWindow& window,
              Rows<const T> x,
              Rows<T> y,
              Rows<std::uint8_t> argmax) {
  with_block(x_geometry, [&](auto block) {
    for_each_line(x_geometry, window.output, [&](const Line& line) {
      max_pool_line<block>(window,
                           line,
                           x,
                           line_start<block>(y, window.output, line),
                           line_start<block>(argmax, window.output, line));
    });
  });
}

template <typename T>
void max_pool_backward(const Geometry& x_geometry,
                       const PoolWindow& window,
                       Rows<const T> dy,
                       Rows<const std::uint8_t> argmax,
                       Rows<T> dx) {
  const bool stream = streams(x_geometry, dx.data);
  with_block(x_geometry, [&](auto block) {
    for_each_line(x_geometry, window.input, [&](const Line& line) {
      T* to = line_start<block>(dx, window.input, line);
      if (overlaps(window)) {
        max_pool_backward_any<block>(window, line, dy, argmax, to);
      } else {
        max_pool_backward_line<block>(window, line, dy, argmax, stream, to);
      }
    });
  });
}

template <typename T>
void upsample(const Geometry& x_geometry,
              const Extents& input,
              const Extents& factor,
              Rows<const T> x,
              Rows<T> y) {
  const Extents output = product(input, factor);
  Geometry y_geometry = x_geometry;
  y_geometry.spatial = output.elements();
  const bool stream = streams(y_geometry, y.data);
  with_block(x_geometry, [&](auto block) {
    for_each_line(x_geometry, output, [&](const Line& line) {
      upsample_line<block>(output, input, factor, line, x, stream, y);
    });
  });
}

template <typename T>
void upsample_backward(const Geometry& x_geometry,
                       const Extents& input,
                       const Extents& factor,
                       Rows<const T> dy,
                       Rows<T> dx) {
  const Extents output = product(input, factor);
  with_block(x_geometry, [&](auto block) {
    for_each_line(x_geometry, input, [&](const Line& line) {
      upsample_backward_line<block>(output, input, factor, line, dy, dx);
    });
  });
}

#define DLBENCH_INSTANTIATE(T)                                                               \
  template void max_pool<T>(                                                                 \
      const Geometry&, const PoolWindow&, Rows<const T>, Rows<T>, Rows<std::uint8_t>);       \
  template void max_pool_backward<T>(                                                        \
      const Geometry&, const PoolWindow&, Rows<const T>, Rows<const std::uint8_t>, Rows<T>); \
  template void upsample<T>(                                                                 \
      const Geometry&, const Extents&, const Extents&, Rows<const T>, Rows<T>);              \
  template void upsample_backward<T>(                                                        \
      const Geometry&, const Extents&, const Extents&, Rows<const T>, Rows<T>);
DLBENCH_INSTANTIATE(float)
DLBENCH_INSTANTIATE(Bf16)
#undef DLBENCH_INSTANTIATE

}  // namespace dlbench::backend::cpu
