// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The tool of the arithmetic checks and the parts of them that have a file of their own. For the
// sources of validate.h alone.
#pragma once

#include "reports/record.h"
#include "reports/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::reports {

inline constexpr double kTolerance = 1e-6;
inline constexpr double kShareTolerance = 1e-3;

/// Equal but for rounding, relative to the larger.
inline bool close(double left, double right, double tolerance = kTolerance) {
  return std::abs(left - right) <= tolerance * std::max(std::abs(left), std::abs(right));
}

/// Collects problems below one path.
class Checker {
 public:
  Checker(std::vector<Problem>& problems, std::string path)
      : problems_(problems), path_(std::move(path)) {}

  [[nodiscard]] Checker at(const std::string& key) const {
    return {problems_, path_.empty() ? key : fmt::format("{}.{}", path_, key)};
  }
  [[nodiscard]] Checker at(const std::string& key, std::size_t index) const {
    return at(fmt::format("{}[{}]", key, index));
  }
  void expect(bool condition, const std::string& message) const {
    if (!condition) {
      problems_.push_back({path_, message});
    }
  }
  /// `value` must equal `wanted`, which is what `meaning` says.
  void expect_close(double value, double wanted, const char* meaning) const {
    expect(close(value, wanted), fmt::format("is {}, but {} is {}", value, meaning, wanted));
  }
  void expect_inside(double value, const std::optional<IntervalRecord>& interval) const {
    if (!interval.has_value()) {
      return;
    }
    const auto [lower, upper] = *interval;
    const double slack = kTolerance * std::max(std::abs(lower), std::abs(upper));
    expect(lower <= upper, fmt::format("interval [{}, {}] is upside down", lower, upper));
    expect(lower - slack <= value && value <= upper + slack,
           fmt::format("{} is outside its interval [{}, {}]", value, lower, upper));
  }
  template <typename T>
  void expect_reason(const char* key, const Measured<T>& measured) const {
    expect(measured.value.has_value() || !measured.reason.empty(),
           fmt::format("{} is null and {}_reason does not say why", key, key));
  }

 private:
  std::vector<Problem>& problems_;
  std::string path_;
};

inline void check_step_times(const Checker& check, const std::optional<StepTimeRecord>& times) {
  if (times.has_value()) {
    const bool ascending = times->min <= times->median && times->median <= times->p90 &&
                           times->p90 <= times->p95 && times->p95 <= times->p99 &&
                           times->p99 <= times->max;
    check.expect(ascending, "min, median, p90, p95, p99, max do not ascend");
  }
}

/// Of one series, in scaling_arithmetic.cpp.
void check_scaling(const Checker& check, const ScalingRecord& scaling);

/// Of one collective, in scaling_arithmetic.cpp.
void check_collective(const Checker& check, const CollectiveRecord& collective);

}  // namespace dlbench::reports
