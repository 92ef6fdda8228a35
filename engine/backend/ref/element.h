// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The element types for which kernels of this folder are instantiated. All arithmetic is in double:
// a value is widened when it is read and rounded once when it is written.
#pragma once

#include "engine/core/check.h"
#include "engine/core/dtype.h"

#include <cstdint>

namespace dlbench::backend::ref {

/// IEEE binary16 and bfloat16 as stored in memory.
struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};

[[nodiscard]] inline double load(double value) { return value; }
[[nodiscard]] inline double load(float value) { return static_cast<double>(value); }
[[nodiscard]] inline double load(F16 value) {
  return static_cast<double>(core::f16_to_f32(value.bits));
}
[[nodiscard]] inline double load(BF16 value) {
  return static_cast<double>(core::bf16_to_f32(value.bits));
}
[[nodiscard]] inline double load(std::uint8_t value) { return static_cast<double>(value); }
[[nodiscard]] inline double load(std::uint16_t value) { return static_cast<double>(value); }
[[nodiscard]] inline double load(std::int32_t value) { return static_cast<double>(value); }
[[nodiscard]] inline double load(std::int64_t value) { return static_cast<double>(value); }

inline void store(double& element, double value) { element = value; }
inline void store(float& element, double value) { element = static_cast<float>(value); }
inline void store(F16& element, double value) { element.bits = core::f64_to_f16(value); }
inline void store(BF16& element, double value) { element.bits = core::f64_to_bf16(value); }
/// Stores into an integer element, rounding towards zero.
inline void store(std::uint8_t& element, double value) {
  element = static_cast<std::uint8_t>(value);
}
inline void store(std::uint16_t& element, double value) {
  element = static_cast<std::uint16_t>(value);
}
inline void store(std::int32_t& element, double value) {
  element = static_cast<std::int32_t>(value);
}
inline void store(std::int64_t& element, double value) {
  element = static_cast<std::int64_t>(value);
}

/// Calls `visitor` with a value-initialised element of the C++ type of a float dtype.
template <typename Visitor>
void visit_float(core::DType dtype, const Visitor& visitor) {
  switch (dtype) {
    case core::DType::kF32:
      return visitor(float{});
    case core::DType::kF64:
      return visitor(double{});
    case core::DType::kF16:
      return visitor(F16{});
    case core::DType::kBF16:
      return visitor(BF16{});
    default:
      DLBENCH_CHECK(false) << "a float tensor was expected, not " << core::name(dtype);
  }
}

/// Calls `visitor` with a value-initialised element of the C++ type of any `dtype`.
template <typename Visitor>
void visit_any(core::DType dtype, const Visitor& visitor) {
  switch (dtype) {
    case core::DType::kU8:
    case core::DType::kBool:
      return visitor(std::uint8_t{});
    case core::DType::kU16:
      return visitor(std::uint16_t{});
    case core::DType::kI32:
      return visitor(std::int32_t{});
    case core::DType::kI64:
      return visitor(std::int64_t{});
    default:
      return visit_float(dtype, visitor);
  }
}

}  // namespace dlbench::backend::ref
