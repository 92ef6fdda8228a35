// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dlbench::conformance {
namespace {

constexpr double kMostlyZero = 0.7;  // ReLU zeroes about half
constexpr std::int64_t kEnoughForBias = 64;

struct Scale {
  double largest = 0;
  double sum = 0;
  std::int64_t zeros = 0;
  bool finite = true;
};

Scale scale_of(const core::HostTensor& tensor) {
  Scale scale;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double size = std::abs(tensor.at(i));
    scale.finite = scale.finite && std::isfinite(size);
    scale.largest = std::max(scale.largest, size);
    scale.sum += size;
    scale.zeros += static_cast<std::int64_t>(size == 0);
  }
  return scale;
}

std::string distrust(const Scale& scale, std::int64_t elements, const CompareOptions& options) {
  if (!scale.finite) {
    return "the oracle's result is not finite";
  }
  const double zeros = static_cast<double>(scale.zeros) / static_cast<double>(elements);
  if (zeros > kMostlyZero && !options.may_be_mostly_zero) {
    return fmt::format("{:.0f}% of the oracle's result is zero", 100 * zeros);
  }
  return {};
}

std::string describe(const core::HostTensor& tensor) {
  return fmt::format("{} {}", core::name(tensor.dtype()), tensor.shape().to_string());
}

}  // namespace

Comparison compare(const core::HostTensor& got,
                   const core::HostTensor& want,
                   const CompareOptions& options) {
  if (got.dtype() != want.dtype() || got.shape() != want.shape()) {
    return {.verdict = Verdict::kDiffers,
            .detail = fmt::format("is {}, wanted {}", describe(got), describe(want))};
  }
  const Scale scale = scale_of(want);
  if (std::string why = distrust(scale, want.elements(), options); !why.empty()) {
    return {.verdict = Verdict::kMistrusted, .detail = std::move(why)};
  }
  Comparison result;
  std::int64_t worst_index = 0;
  double leaning = 0;
  // An all-zero tensor has no scale: it must agree exactly.
  const double unit = scale.largest > 0 ? scale.largest : 1.0;
  const double tolerance = scale.largest > 0 ? options.tolerance : 0.0;
  for (std::int64_t i = 0; i < want.elements(); ++i) {
    const double difference = got.at(i) - want.at(i);
    const double relative = std::isfinite(difference) ? std::abs(difference) / unit : INFINITY;
    if (relative > result.worst) {
      result.worst = relative;
      worst_index = i;
    }
    leaning += std::copysign(1.0, want.at(i)) * difference;
  }
  result.bias = scale.sum > 0 ? std::abs(leaning) / scale.sum : 0.0;
  if (result.worst > tolerance) {
    result.verdict = Verdict::kDiffers;
    result.detail =
        fmt::format("element {}: {:.9g}, wanted {:.9g} (error {:.3g}, tolerance {:.3g})",
                    worst_index,
                    got.at(worst_index),
                    want.at(worst_index),
                    result.worst,
                    tolerance);
  } else if (want.elements() >= kEnoughForBias && result.bias > tolerance / 4) {
    result.verdict = Verdict::kDiffers;
    result.detail =
        fmt::format("leans to one side by {:.3g} (tolerance {:.3g})", result.bias, tolerance / 4);
  }
  return result;
}

}  // namespace dlbench::conformance
