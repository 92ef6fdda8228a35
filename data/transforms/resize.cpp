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
#include <cstring>
#include <utility>

namespace dlbench::data {
namespace {

constexpr int kWeightOne = 2048;
constexpr std::int64_t kMaxSide = std::int64_t{1} << 15;

/// Round to nearest, ties to even, as cvRound does in the default rounding mode.
std::int16_t weight_bits(float weight) {
  return static_cast<std::int16_t>(std::lrintf(weight * static_cast<float>(kWeightOne)));
}

struct Position {
  std::int64_t index;
  float fraction;
};

/// Maps destination pixels to the source axis. The scale is 1 / (dst / src) in double and the
/// position is rounded to float, because this determines the last bit of the weights.
class Axis {
 public:
  Axis(std::int64_t src, std::int64_t dst)
      : scale_(1.0 / (static_cast<double>(dst) / static_cast<double>(src))) {}

  [[nodiscard]] Position at(std::int64_t i) const {
    const auto position = static_cast<float>((static_cast<double>(i) + 0.5) * scale_ - 0.5);
    const float floor = std::floor(position);
    return {static_cast<std::int64_t>(floor), position - floor};
  }

 private:
  double scale_;
};

/// Reduces by exactly 2 on both axes: the mean of 2 x 2 pixels, halves rounded up.
template <std::size_t Channels>
void halve(ImageRows& src, std::span<std::uint8_t> dst) {
  const std::size_t dst_row = static_cast<std::size_t>(src.width() / 2) * Channels;
  for (std::int64_t y = 0; y < src.height() / 2; ++y) {
    const std::uint8_t* upper = src.row(2 * y);
    const std::uint8_t* lower = src.row(2 * y + 1);
    std::uint8_t* out = dst.data() + static_cast<std::size_t>(y) * dst_row;
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

void copy(ImageRows& src, std::span<std::uint8_t> dst) {
  const auto row_bytes = static_cast<std::size_t>(src.width() * src.channels());
  for (std::int64_t y = 0; y < src.height(); ++y) {
    std::memcpy(dst.data() + static_cast<std::size_t>(y) * row_bytes, src.row(y), row_bytes);
  }
}

}  // namespace

BilinearResizer::BilinearResizer(ResizeIsa isa) : isa_(isa), kernels_(row_kernels(isa)) {}

void BilinearResizer::plan(const ImageRows& src, std::int64_t dst_height, std::int64_t dst_width) {
  row_plan_.channels = src.channels();
  row_plan_.columns.resize(static_cast<std::size_t>(dst_width));
  row_plan_.inner = dst_width;
  const Axis horizontal(src.width(), dst_width);
  for (std::int64_t x = 0; x < dst_width; ++x) {
    auto [index, fraction] = horizontal.at(x);
    if (index < 0) {
      index = 0;
      fraction = 0.0F;
    }
    if (index >= src.width() - 1) {
      index = src.width() - 1;
      fraction = 0.0F;
      row_plan_.inner = std::min(row_plan_.inner, x);
    }
    row_plan_.columns[static_cast<std::size_t>(x)] = {
        static_cast<std::int32_t>(index * src.channels()),
        weight_bits(1.0F - fraction),
        weight_bits(fraction)};
  }
  if (isa_ == ResizeIsa::kAvx512) {
    plan_blocks(row_plan_);
  }
  rows_.resize(static_cast<std::size_t>(dst_height));
  const Axis vertical(src.height(), dst_height);
  for (std::int64_t y = 0; y < dst_height; ++y) {
    // Above and below the image the edge row is used for both rows and weights.
    const auto [index, fraction] = vertical.at(y);
    rows_[static_cast<std::size_t>(y)] = {
        static_cast<std::int32_t>(index), weight_bits(1.0F - fraction), weight_bits(fraction)};
  }
  const std::size_t row_numbers = static_cast<std::size_t>(dst_width * src.channels()) + kRowSlack;
  for (auto& buffer : row_buffers_) {
    buffer.resize(row_numbers);
  }
}

void BilinearResizer::resize(ImageRows& src,
                             std::int64_t dst_height,
                             std::int64_t dst_width,
                             std::span<std::uint8_t> dst) {
  DLBENCH_CHECK(src.channels() == 1 || src.channels() == 3) << src.channels() << " channels";
  DLBENCH_CHECK(std::min({src.height(), src.width(), dst_height, dst_width}) >= 1);
  DLBENCH_CHECK(std::max(dst_height, dst_width) <= kMaxSide);
  DLBENCH_CHECK(dst.size() == static_cast<std::size_t>(dst_height * dst_width * src.channels()));
  if (src.height() == 2 * dst_height && src.width() == 2 * dst_width) {
    src.channels() == 3 ? halve<3>(src, dst) : halve<1>(src, dst);
    return;
  }
  if (src.height() == dst_height && src.width() == dst_width) {
    copy(src, dst);
    return;
  }
  plan(src, dst_height, dst_width);
  const auto dst_row_bytes = static_cast<std::size_t>(dst_width * src.channels());
  std::int64_t held[2] = {-1, -1};  // the source rows that the two buffers hold
  const auto row_at = [&](std::int64_t row, int buffer) {
    if (held[buffer] != row) {
      kernels_.resize_row(src.row(row), row_plan_, row_buffers_[buffer].data());
      held[buffer] = row;
    }
  };
  for (std::int64_t y = 0; y < dst_height; ++y) {
    const ResizeTap& tap = rows_[static_cast<std::size_t>(y)];
    const std::int64_t near_row = std::clamp<std::int64_t>(tap.index, 0, src.height() - 1);
    const std::int64_t far_row = std::clamp<std::int64_t>(tap.index + 1, 0, src.height() - 1);
    if (held[1] == near_row) {  // rows only move down: the far row became the near one
      std::swap(row_buffers_[0], row_buffers_[1]);
      std::swap(held[0], held[1]);
    }
    row_at(near_row, 0);
    const int far_buffer = far_row == near_row ? 0 : 1;
    row_at(far_row, far_buffer);
    kernels_.mix_rows(row_buffers_[0].data(),
                      row_buffers_[far_buffer].data(),
                      tap,
                      dst_row_bytes,
                      dst.data() + static_cast<std::size_t>(y) * dst_row_bytes);
  }
}

}  // namespace dlbench::data
