// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/check_pattern.h"

#include "engine/comm/reduce.h"
#include "engine/core/check.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace dlbench::comm {
namespace {

constexpr std::size_t kPeriod = 13;  // of pattern_value() in `element`

template <typename T>
void put(T value, std::byte* element) {
  std::memcpy(element, &value, sizeof value);
}

void put(int value, core::DType dtype, std::byte* element) {
  switch (dtype) {
    case core::DType::kF32:
      return put(static_cast<float>(value), element);
    case core::DType::kF64:
      return put(static_cast<double>(value), element);
    case core::DType::kF16:
      return put(core::f32_to_f16(static_cast<float>(value)), element);
    case core::DType::kBF16:
      return put(core::f32_to_bf16(static_cast<float>(value)), element);
    case core::DType::kI32:
      return put(static_cast<std::int32_t>(value), element);
    default:
      return put(static_cast<std::int64_t>(value), element);
  }
}

/// One period of the pattern as it is stored in memory.
class Period {
 public:
  template <typename Value>
  Period(core::DType dtype, Value value) : element_bytes_(core::size_of(dtype)) {
    DLBENCH_CHECK(can_reduce(dtype)) << core::name(dtype);
    for (std::size_t element = 0; element < kPeriod; ++element) {
      put(value(element), dtype, bytes_.data() + element * element_bytes_);
    }
  }
  [[nodiscard]] const std::byte* at(std::size_t element) const {
    return bytes_.data() + element % kPeriod * element_bytes_;
  }
  [[nodiscard]] std::size_t element_bytes() const { return element_bytes_; }

 private:
  std::array<std::byte, kPeriod * sizeof(double)> bytes_{};
  std::size_t element_bytes_;
};

std::size_t count_wrong(const PatternRange& range, const Period& period) {
  std::size_t wrong = 0;
  for (std::size_t element = range.begin; element < range.end; ++element) {
    const std::byte* found = range.data + element * period.element_bytes();
    wrong += std::memcmp(found, period.at(element), period.element_bytes()) == 0 ? 0U : 1U;
  }
  return wrong;
}

}  // namespace

void fill_pattern(const PatternRange& range, int rank) {
  const Period period(range.dtype, [&](std::size_t i) { return pattern_value(i, rank); });
  for (std::size_t element = range.begin; element < range.end; ++element) {
    std::memcpy(
        range.data + element * period.element_bytes(), period.at(element), period.element_bytes());
  }
}

std::size_t count_wrong_copies(const PatternRange& range, int rank) {
  return count_wrong(range,
                     Period(range.dtype, [&](std::size_t i) { return pattern_value(i, rank); }));
}

std::size_t count_wrong_sums(const PatternRange& range, int ranks) {
  return count_wrong(range, Period(range.dtype, [&](std::size_t i) {
                       int sum = 0;
                       for (int rank = 0; rank < ranks; ++rank) {
                         sum += pattern_value(i, rank);
                       }
                       return sum;
                     }));
}

}  // namespace dlbench::comm
