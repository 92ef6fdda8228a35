// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors as descriptors describe them, by extents and strides, and their copies into and out of
// dense f32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlbench::fake {

enum class Element : std::uint8_t { kF32, kF16, kBF16 };
[[nodiscard]] std::size_t bytes_of(Element element);

struct TensorView {
  Element element = Element::kF32;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;  ///< in elements

  [[nodiscard]] std::int64_t elements() const;
  /// From the first element to the end of the last.
  [[nodiscard]] std::size_t bytes() const;
  /// Whether no two elements lie on each other, where strides nest as those of layouts do.
  [[nodiscard]] bool apart() const;
  /// The same tensor with its axis 1 last: (N, spatial..., C) of (N, C, spatial...).
  [[nodiscard]] TensorView channels_last() const;
};

/// Row-major in the order of the view's axes.
[[nodiscard]] std::vector<float> gather(const TensorView& view, const void* data);
/// Rounds to nearest even.
void scatter(const TensorView& view, const std::vector<float>& values, void* data);
/// What scatter and gather make of each value.
void round_all(Element element, std::vector<float>& values);
/// To ten bits of mantissa, to nearest, ties away from zero; what is not finite stays.
void round_all_to_tf32(std::vector<float>& values);

[[nodiscard]] bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes);
[[nodiscard]] bool is_aligned(const void* data, std::size_t alignment);

}  // namespace dlbench::fake
