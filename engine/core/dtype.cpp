// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/dtype.h"

#include <array>
#include <cmath>
#include <utility>

namespace dlbench::core {
namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<DTypeInfo, 9> kDTypes{{{DType::kU8, "u8", 1},
                                            {DType::kBool, "bool", 1},
                                            {DType::kU16, "u16", 2},
                                            {DType::kI32, "i32", 4},
                                            {DType::kI64, "i64", 8},
                                            {DType::kF16, "f16", 2},
                                            {DType::kBF16, "bf16", 2},
                                            {DType::kF32, "f32", 4},
                                            {DType::kF64, "f64", 8}}};

const DTypeInfo& info(DType dtype) { return kDTypes.at(static_cast<std::size_t>(dtype)); }

/// f64 -> f32, rounded to odd: towards zero, with the last bit set if anything was lost. Rounding
/// the result to nearest with at least two bits less gives the same as rounding the f64 directly.
/// Boldo and Melquiond 2008, Emulation of a FMA and correctly rounded sums: proved algorithms using
/// rounding to odd.
float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  if (back == value || std::isnan(value)) {
    return nearest;
  }
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(back) > std::abs(value)) {
    --bits;
  }
  return std::bit_cast<float>(bits | 1U);
}

}  // namespace

std::size_t size_of(DType dtype) { return info(dtype).bytes; }

std::string_view name(DType dtype) { return info(dtype).name; }

float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
  const std::uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0x1fU) {  // infinity, NaN
    return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13U));
  }
  if (exponent == 0) {  // zero, subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
}

std::uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    return static_cast<std::uint16_t>(sign | 0x7e00U);
  }
  if (magnitude >= 0x477ff000U) {  // rounds to 2^16 or above
    return static_cast<std::uint16_t>(sign | 0x7c00U);
  }
  if (magnitude < 0x38800000U) {  // subnormal half: adding 0.5 aligns and rounds the mantissa
    const float aligned = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000U));
  }
  const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13U) & 1U) - 0x38000000U;
  return static_cast<std::uint16_t>(sign | (rounded >> 13U));
}

std::uint16_t f64_to_bf16(double value) { return f32_to_bf16(round_to_odd(value)); }

std::uint16_t f64_to_f16(double value) { return f32_to_f16(round_to_odd(value)); }

}  // namespace dlbench::core
