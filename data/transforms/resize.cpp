// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Row arithmetic. A row is first resized along x into 16-bit numbers with 7 fractional bits (the
// sum with 11 bits, shifted right by 4), then two such rows are mixed along y:
//   ((w0 * r0) >> 16) + ((w1 * r1) >> 16), plus 2, >> 2
// These roundings are OpenCV's; each intermediate fits 16 bits, so that vector instructions for
// 16-bit products apply.
#include "data/transforms/resize.h"

#include "engine/core/check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace dlbench::data {
namespace {

constexpr int kWeightOne = 2048;
constexpr std::int64_t kMaxSide = std::int64_t{1} << 15;
// Vector stores of the row functions may write up to this many numbers too many.
constexpr std::size_t kRowSlack = 16;

/// Round to nearest, ties to even, as cvRound does in the default rounding mode.
std::int16_t weight_bits(float weight) {
  return static_cast<std::int16_t>(std::lrintf(weight * static_cast<float>(kWeightOne)));
}

struct Position {
  std::int64_t index;
  float fraction;
};

/// Where destination pixel `i` lies on the source axis. The scale is 1 / (dst / src) in double and
/// the position is rounded to float, because that is what decides the weights' last bit.
Position source_position(std::int64_t i, std::int64_t src, std::int64_t dst) {
  const double scale = 1.0 / (static_cast<double>(dst) / static_cast<double>(src));
  const auto position = static_cast<float>((static_cast<double>(i) + 0.5) * scale - 0.5);
  const float floor = std::floor(position);
  return {static_cast<std::int64_t>(floor), position - floor};
}

void mix_rows(const std::int16_t* near_row,
              const std::int16_t* far_row,
              std::int16_t weight_near,
              std::int16_t weight_far,
              std::size_t count,
              std::uint8_t* out) {
  std::size_t i = 0;
#if defined(__x86_64__)  // SSE2 is part of x86-64
  const __m128i near_weight = _mm_set1_epi16(weight_near);
  const __m128i far_weight = _mm_set1_epi16(weight_far);
  const __m128i two = _mm_set1_epi16(2);
  const auto mix8 = [&](std::size_t at) {
    const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(near_row + at));
    const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(far_row + at));
    const __m128i sum =
        _mm_add_epi16(_mm_mulhi_epi16(a, near_weight), _mm_mulhi_epi16(b, far_weight));
    return _mm_srai_epi16(_mm_add_epi16(sum, two), 2);
  };
  for (; i + 16 <= count; i += 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm_packus_epi16(mix8(i), mix8(i + 8)));
  }
#endif
  for (; i < count; ++i) {
    const int sum = ((near_row[i] * weight_near) >> 16) + ((far_row[i] * weight_far) >> 16);
    out[i] = static_cast<std::uint8_t>(std::clamp((sum + 2) >> 2, 0, 255));
  }
}

/// Reduction by exactly 2 on both axes: the mean of 2 x 2 pixels, halves rounded up.
template <std::size_t Channels>
void halve(const ImageView& src, std::span<std::uint8_t> dst) {
  const std::size_t src_row = static_cast<std::size_t>(src.width) * Channels;
  const std::size_t dst_row = src_row / 2;
  for (std::size_t y = 0; y < static_cast<std::size_t>(src.height / 2); ++y) {
    const std::uint8_t* upper = src.pixels + 2 * y * src_row;
    const std::uint8_t* lower = upper + src_row;
    std::uint8_t* out = dst.data() + y * dst_row;
    for (std::size_t x = 0; x < dst_row / Channels; ++x) {
      for (std::size_t channel = 0; channel < Channels; ++channel) {
        const std::size_t left = 2 * x * Channels + channel;
        const std::size_t right = left + Channels;
        out[x * Channels + channel] = static_cast<std::uint8_t>(
            (upper[left] + upper[right] + lower[left] + lower[right] + 2) >> 2);
      }
    }
  }
}

}  // namespace

void BilinearResizer::prepare(const ImageView& src,
                              std::int64_t dst_height,
                              std::int64_t dst_width) {
  columns_.resize(static_cast<std::size_t>(dst_width));
  inner_columns_ = dst_width;
  for (std::int64_t x = 0; x < dst_width; ++x) {
    auto [index, fraction] = source_position(x, src.width, dst_width);
    if (index < 0) {
      index = 0;
      fraction = 0.0F;
    }
    if (index >= src.width - 1) {
      index = src.width - 1;
      fraction = 0.0F;
      inner_columns_ = std::min(inner_columns_, x);
    }
    columns_[static_cast<std::size_t>(x)] = {static_cast<std::int32_t>(index * src.channels),
                                             weight_bits(1.0F - fraction),
                                             weight_bits(fraction)};
  }
  rows_.resize(static_cast<std::size_t>(dst_height));
  for (std::int64_t y = 0; y < dst_height; ++y) {
    // Above and below the image the edge row stands for both rows, with both weights.
    const auto [index, fraction] = source_position(y, src.height, dst_height);
    rows_[static_cast<std::size_t>(y)] = {
        static_cast<std::int32_t>(index), weight_bits(1.0F - fraction), weight_bits(fraction)};
  }
  const std::size_t row_numbers = static_cast<std::size_t>(dst_width * src.channels) + kRowSlack;
  for (auto& buffer : row_buffers_) {
    buffer.resize(row_numbers);
  }
}

void BilinearResizer::resize_row_portable(const std::uint8_t* row,
                                          std::span<const Tap> taps,
                                          std::int64_t inner,
                                          std::int64_t channels,
                                          std::int16_t* out) {
  for (std::size_t x = 0; x < taps.size(); ++x) {
    const Tap& tap = taps[x];
    const bool has_far = static_cast<std::int64_t>(x) < inner;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      const std::uint8_t* near_pixel = row + tap.index + channel;
      const int far_value = has_far ? near_pixel[channels] * tap.weight_far : 0;
      *out++ = static_cast<std::int16_t>((*near_pixel * tap.weight_near + far_value) >> 4);
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("ssse3"))) void BilinearResizer::resize_row_ssse3(const std::uint8_t* row,
                                                                        std::span<const Tap> taps,
                                                                        std::int64_t inner,
                                                                        std::int64_t channels,
                                                                        std::int16_t* out) {
  static_assert(sizeof(Tap) == 8 && offsetof(Tap, weight_near) == 4);
  const auto weights = [&](std::size_t x) {
    std::int32_t pair = 0;
    std::memcpy(&pair, &taps[x].weight_near, sizeof(pair));
    return pair;
  };
  const auto count = static_cast<std::size_t>(inner);
  std::size_t x = 0;
  if (channels == 3) {
    // Bytes r0 g0 b0 r1 g1 b1 of two neighbours become 16-bit pairs (r0 r1) (g0 g1) (b0 b1).
    const __m128i pair_up = _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1);
    const __m128i close_gap = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1);
    const auto mix = [&](std::size_t at) __attribute__((target("ssse3"), always_inline)) {
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + taps[at].index));
      const __m128i sums =
          _mm_madd_epi16(_mm_shuffle_epi8(bytes, pair_up), _mm_set1_epi32(weights(at)));
      return _mm_srai_epi32(sums, 4);
    };
    for (; x + 2 <= count; x += 2) {
      const __m128i both = _mm_shuffle_epi8(_mm_packs_epi32(mix(x), mix(x + 1)), close_gap);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 3 * x), both);
    }
  } else {
    const auto pair_at = [&](std::size_t at) {
      std::uint16_t pair = 0;
      std::memcpy(&pair, row + taps[at].index, sizeof(pair));
      return static_cast<int>(pair);
    };
    const auto mix4 = [&](std::size_t at) __attribute__((target("ssse3"), always_inline)) {
      __m128i pairs = _mm_cvtsi32_si128(pair_at(at));
      pairs = _mm_insert_epi16(pairs, pair_at(at + 1), 1);
      pairs = _mm_insert_epi16(pairs, pair_at(at + 2), 2);
      pairs = _mm_insert_epi16(pairs, pair_at(at + 3), 3);
      // Two taps of 8 bytes each per load: keep the upper halves, the weights.
      const auto* tap = reinterpret_cast<const float*>(&taps[at]);
      const __m128 low = _mm_loadu_ps(tap);
      const __m128 high = _mm_loadu_ps(tap + 4);
      const __m128i factors = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
      return _mm_srai_epi32(_mm_madd_epi16(_mm_unpacklo_epi8(pairs, _mm_setzero_si128()), factors),
                            4);
    };
    for (; x + 8 <= count; x += 8) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + x), _mm_packs_epi32(mix4(x), mix4(x + 4)));
    }
  }
  resize_row_portable(row,
                      taps.subspan(x),
                      inner - static_cast<std::int64_t>(x),
                      channels,
                      out + x * static_cast<std::size_t>(channels));
}
#endif

void BilinearResizer::run(const ImageView& src,
                          std::int64_t dst_height,
                          std::int64_t dst_width,
                          std::span<std::uint8_t> dst,
                          RowFunction resize_row) {
  DLBENCH_CHECK(src.channels == 1 || src.channels == 3) << src.channels << " channels";
  DLBENCH_CHECK(std::min({src.height, src.width, dst_height, dst_width}) >= 1);
  DLBENCH_CHECK(std::max(dst_height, dst_width) <= kMaxSide);
  DLBENCH_CHECK(dst.size() == static_cast<std::size_t>(dst_height * dst_width * src.channels));
  if (src.height == 2 * dst_height && src.width == 2 * dst_width) {
    src.channels == 3 ? halve<3>(src, dst) : halve<1>(src, dst);
    return;
  }
  if (src.height == dst_height && src.width == dst_width) {
    std::memcpy(dst.data(), src.pixels, dst.size());
    return;
  }
  prepare(src, dst_height, dst_width);
  const std::int64_t src_row_bytes = src.width * src.channels;
  const auto dst_row_bytes = static_cast<std::size_t>(dst_width * src.channels);
  std::int64_t held[2] = {-1, -1};  // the source rows that the two buffers hold
  const auto row_at = [&](std::int64_t row, int buffer) {
    if (held[buffer] != row) {
      resize_row(src.pixels + row * src_row_bytes,
                 columns_,
                 inner_columns_,
                 src.channels,
                 row_buffers_[buffer].data());
      held[buffer] = row;
    }
  };
  for (std::int64_t y = 0; y < dst_height; ++y) {
    const Tap& tap = rows_[static_cast<std::size_t>(y)];
    const std::int64_t near_row = std::clamp<std::int64_t>(tap.index, 0, src.height - 1);
    const std::int64_t far_row = std::clamp<std::int64_t>(tap.index + 1, 0, src.height - 1);
    if (held[1] == near_row) {  // rows only move down: the far row became the near one
      std::swap(row_buffers_[0], row_buffers_[1]);
      std::swap(held[0], held[1]);
    }
    row_at(near_row, 0);
    const int far_buffer = far_row == near_row ? 0 : 1;
    row_at(far_row, far_buffer);
    mix_rows(row_buffers_[0].data(),
             row_buffers_[far_buffer].data(),
             tap.weight_near,
             tap.weight_far,
             dst_row_bytes,
             dst.data() + static_cast<std::size_t>(y) * dst_row_bytes);
  }
}

void BilinearResizer::resize(const ImageView& src,
                             std::int64_t dst_height,
                             std::int64_t dst_width,
                             std::span<std::uint8_t> dst) {
  RowFunction function = resize_row_portable;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("ssse3")) {
    function = resize_row_ssse3;
  }
#endif
  run(src, dst_height, dst_width, dst, function);
}

void BilinearResizer::resize_portable(const ImageView& src,
                                      std::int64_t dst_height,
                                      std::int64_t dst_width,
                                      std::span<std::uint8_t> dst) {
  run(src, dst_height, dst_width, dst, resize_row_portable);
}

}  // namespace dlbench::data
