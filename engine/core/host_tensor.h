// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// An owning dense row-major tensor in host memory. Used at the boundaries of the engine: state
// import and export, verification, tests. Never in a timed step.
#pragma once

#include "engine/core/check.h"
#include "engine/core/dtype.h"
#include "engine/core/host_allocator.h"
#include "engine/core/shape.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace dlbench::core {

namespace detail {
template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType kValue = DType::kU8;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType kValue = DType::kU16;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType kValue = DType::kI32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType kValue = DType::kI64;
};
template <>
struct DTypeOf<float> {
  static constexpr DType kValue = DType::kF32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType kValue = DType::kF64;
};
}  // namespace detail

/// Dense row-major tensor in host memory. New tensors are zero. Move-only; clone() copies.
class HostTensor {
 public:
  HostTensor() = default;
  HostTensor(DType dtype, const Shape& shape);

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::int64_t elements() const { return shape_.elements(); }
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::byte* data() { return block_.data(); }
  [[nodiscard]] const std::byte* data() const { return block_.data(); }
  [[nodiscard]] HostTensor clone() const;

  /// The elements as T, which must match dtype(); u16 also reads f16 and bf16 bits, u8 also bool.
  template <typename T>
  [[nodiscard]] std::span<T> as() {
    check_type(detail::DTypeOf<T>::kValue);
    return {reinterpret_cast<T*>(data()), static_cast<std::size_t>(elements())};
  }
  template <typename T>
  [[nodiscard]] std::span<const T> as() const {
    check_type(detail::DTypeOf<T>::kValue);
    return {reinterpret_cast<const T*>(data()), static_cast<std::size_t>(elements())};
  }

  /// One element of any dtype as double; index is row-major.
  [[nodiscard]] double at(std::int64_t index) const;
  /// Stores a double into one element, rounding to the dtype.
  void set(std::int64_t index, double value);
  /// A copy in another element type; float to integer truncates.
  [[nodiscard]] HostTensor to(DType dtype) const;

 private:
  void check_type(DType requested) const;

  DType dtype_ = DType::kF32;
  Shape shape_{0};
  HostBlock block_;
};

}  // namespace dlbench::core
