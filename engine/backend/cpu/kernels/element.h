// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A tensor as the own kernels see it: rows of contiguous elements, in any layout.
#pragma once

#include <bit>
#include <cstdint>

namespace dlbench::backend::cpu {

/// A bf16 element.
struct Bf16 {
  std::uint16_t bits;
};

/// Convert one element to float and back, rounding to nearest, ties to even; NaN stays NaN.
inline float to_float(float value) { return value; }
inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}
inline void store_one(float& to, float value) { to = value; }
inline void store_one(Bf16& to, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  to.bits = value != value
                ? static_cast<std::uint16_t>((bits >> 16U) | 0x40U)
                : static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

/// A tensor (N, C, S...) in blocks of channels. The `block` channels of one position are adjacent,
/// and the positions of one block of one sample are contiguous: a row of spatial * block elements.
/// block 1 is the plain row-major layout, 8 and 16 are nChw8c and nChw16c. Lanes of channels that
/// do not exist are and stay zero. A tensor without channels is one row: (1, 1, elements), block 1.
struct Geometry {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t spatial = 1;
  std::int64_t block = 1;

  [[nodiscard]] std::int64_t blocks() const { return (channels + block - 1) / block; }
  [[nodiscard]] std::int64_t row() const { return spatial * block; }
  [[nodiscard]] std::int64_t sample() const { return blocks() * row(); }
  [[nodiscard]] std::int64_t elements() const { return batch * sample(); }
};

/// The elements of a tensor: sample n begins at data + n * sample_stride. The stride is larger than
/// a sample if the tensor is a range of channels of a wider tensor.
template <typename T>
struct Rows {
  T* data = nullptr;
  std::int64_t sample_stride = 0;
};

/// Spatial extents (depth, height, width); 2D tensors have depth 1.
struct Extents {
  std::int64_t depth = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  [[nodiscard]] std::int64_t elements() const { return depth * height * width; }
};

}  // namespace dlbench::backend::cpu
