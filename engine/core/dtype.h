// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types of tensors, their sizes and names, and the two 16-bit float conversions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dlbench::core {

/// Element type of a tensor. The numeric values are stable: they appear in plan hashes.
enum class DType : std::uint8_t { kU8, kBool, kU16, kI32, kI64, kF16, kBF16, kF32, kF64 };

/// Bytes of one element.
[[nodiscard]] std::size_t size_of(DType dtype);

/// "f32", "bf16", ...: the spelling used in reports and messages.
[[nodiscard]] std::string_view name(DType dtype);

[[nodiscard]] constexpr bool is_float(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF32 ||
         dtype == DType::kF64;
}

/// bf16 -> f32 is exact: bf16 is the upper half of an f32.
[[nodiscard]] constexpr float bf16_to_f32(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// f32 -> bf16, round to nearest even; NaN stays a (quiet) NaN.
[[nodiscard]] constexpr std::uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

/// IEEE 754 binary16 -> f32, exact, subnormals included.
[[nodiscard]] float f16_to_f32(std::uint16_t bits);

/// f32 -> IEEE 754 binary16, round to nearest even; overflow gives infinity.
[[nodiscard]] std::uint16_t f32_to_f16(float value);

/// f64 -> 16 bits, rounded only once: rounding to the nearest f32 first could move a value that is
/// close to the midpoint of two results onto that midpoint, and so round it the wrong way.
[[nodiscard]] std::uint16_t f64_to_bf16(double value);
[[nodiscard]] std::uint16_t f64_to_f16(double value);

}  // namespace dlbench::core
