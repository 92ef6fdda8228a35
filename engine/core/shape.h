// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The logical shape of a tensor: up to six extents, row-major, outermost first (N, C, H, W).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace dlbench::core {

/// Logical extents, outermost first. Rank 0 is a scalar with one element. Extents must be >= 0
/// (checked).
class Shape {
 public:
  static constexpr std::size_t kMaxRank = 6;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents);
  explicit Shape(std::span<const std::int64_t> extents);

  [[nodiscard]] std::size_t rank() const { return rank_; }
  /// Extent of one axis; axis < rank().
  [[nodiscard]] std::int64_t operator[](std::size_t axis) const;
  [[nodiscard]] std::span<const std::int64_t> extents() const { return {extents_.data(), rank_}; }
  /// Product of the extents; 1 for a scalar. Throws Error(kShape) from 2^60 on, so that the size in
  /// bytes fits an std::int64_t for every element type.
  [[nodiscard]] std::int64_t elements() const;
  /// The same shape with one axis changed.
  [[nodiscard]] Shape with(std::size_t axis, std::int64_t extent) const;
  /// "(4, 3, 256, 256)"
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<std::int64_t, kMaxRank> extents_{};
  std::size_t rank_ = 0;
};

}  // namespace dlbench::core
