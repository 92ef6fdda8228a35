// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/least_squares.h"

#include "engine/core/check.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::Interval;
using reports::student_t_factor;

constexpr std::size_t kMaxFeatures = 6;
/// Columns are scaled to unit length: a smaller pivot means that they are linearly dependent.
constexpr double kSmallestPivot = 1e-10;
/// A larger support must gain more than rounding errors.
constexpr double kRounding = 1e-9;
constexpr int kMaxPasses = 30;  ///< of weights
constexpr double kSettled = 1e-6;
/// No expected value may differ from the measured one by more than this factor; otherwise an
/// observation that the fit misses would get all the weight.
constexpr double kFurthest = 10.0;

/// Returns the inverse of a symmetric positive matrix (row-major, size x size) by Gauss-Jordan,
/// without pivoting, which such a matrix does not need; nothing if it is nearly singular.
std::optional<std::vector<double>> inverse_of(std::vector<double> matrix, std::size_t size) {
  std::vector<double> inverse(size * size, 0.0);
  for (std::size_t row = 0; row < size; ++row) {
    inverse[row * size + row] = 1.0;
  }
  for (std::size_t pivot = 0; pivot < size; ++pivot) {
    const double value = matrix[pivot * size + pivot];
    if (value < kSmallestPivot) {
      return std::nullopt;
    }
    for (std::size_t column = 0; column < size; ++column) {
      matrix[pivot * size + column] /= value;
      inverse[pivot * size + column] /= value;
    }
    for (std::size_t row = 0; row < size; ++row) {
      const double factor = matrix[row * size + pivot];
      for (std::size_t column = 0; row != pivot && column < size; ++column) {
        matrix[row * size + column] -= factor * matrix[pivot * size + column];
        inverse[row * size + column] -= factor * inverse[pivot * size + column];
      }
    }
  }
  return inverse;
}

/// Returns all non-empty subsets of `count` features, smaller ones first.
std::vector<std::vector<std::size_t>> subsets(std::size_t count) {
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t bits = 1; bits < (std::size_t{1} << count); ++bits) {
    std::vector<std::size_t> members;
    for (std::size_t feature = 0; feature < count; ++feature) {
      if ((bits >> feature & 1U) != 0U) {
        members.push_back(feature);
      }
    }
    result.push_back(std::move(members));
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& left, const auto& right) {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  });
  return result;
}

}  // namespace

double LinearFit::residual() const {
  return std::sqrt(weighted_squares / static_cast<double>(std::max<std::int64_t>(degrees(), 1)));
}

std::optional<Interval> LinearFit::interval(std::size_t coefficient) const {
  const std::optional<double>& error = standard_errors.at(coefficient);
  if (!error.has_value() || degrees() < 1) {
    return std::nullopt;
  }
  const double half = student_t_factor(static_cast<double>(degrees()), 0.95) * *error;
  const double value = coefficients.at(coefficient);
  return Interval{
      value, std::max(value - half, 0.0), value + half, n, "student_t of weighted least squares"};
}

NonnegativeLeastSquares::NonnegativeLeastSquares(std::vector<std::vector<double>> features,
                                                 std::vector<double> weights)
    : features_(std::move(features)), weights_(std::move(weights)) {
  DLBENCH_CHECK(!features_.empty() && features_.size() == weights_.size())
      << features_.size() << " rows, " << weights_.size() << " weights";
  const std::size_t count = features_.front().size();
  DLBENCH_CHECK(count >= 1 && count <= kMaxFeatures) << count << " features";
  scale_.assign(count, 0.0);
  for (std::size_t row = 0; row < features_.size(); ++row) {
    DLBENCH_CHECK(features_[row].size() == count && weights_[row] >= 0.0) << "row " << row;
    for (std::size_t feature = 0; feature < count; ++feature) {
      scale_[feature] += weights_[row] * features_[row][feature] * features_[row][feature];
    }
  }
  for (std::size_t feature = 0; feature < count; ++feature) {
    scale_[feature] = std::sqrt(scale_[feature]);
    for (std::vector<double>& row : features_) {
      row[feature] = scale_[feature] > 0.0 ? row[feature] / scale_[feature] : 0.0;
    }
  }
  std::vector<double> normal(count * count, 0.0);
  for (std::size_t row = 0; row < features_.size(); ++row) {
    for (std::size_t left = 0; left < count; ++left) {
      for (std::size_t right = 0; right < count; ++right) {
        normal[left * count + right] +=
            weights_[row] * features_[row][left] * features_[row][right];
      }
    }
  }
  for (std::vector<std::size_t>& members : subsets(count)) {
    std::vector<double> matrix;
    for (const std::size_t left : members) {
      for (const std::size_t right : members) {
        matrix.push_back(normal[left * count + right]);
      }
    }
    if (auto inverse = inverse_of(std::move(matrix), members.size()); inverse.has_value()) {
      supports_.push_back({std::move(members), std::move(*inverse)});
    }
  }
}

NonnegativeLeastSquares::Optimum NonnegativeLeastSquares::optimum(std::span<const double> moments,
                                                                  double total) const {
  Optimum best;
  double best_squares = total;  // of all coefficients at 0
  for (const Support& support : supports_) {
    const std::size_t size = support.members.size();
    std::vector<double> values(size, 0.0);
    double explained = 0.0;
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t column = 0; column < size; ++column) {
        values[row] += support.inverse[row * size + column] * moments[support.members[column]];
      }
      explained += values[row] * moments[support.members[row]];
    }
    const bool allowed =
        std::all_of(values.begin(), values.end(), [](double value) { return value >= 0.0; });
    if (allowed && total - explained < best_squares - kRounding * total) {
      best.support = &support;
      best.values = std::move(values);
      best_squares = total - explained;
    }
  }
  return best;
}

LinearFit NonnegativeLeastSquares::fit(std::span<const double> y) const {
  DLBENCH_CHECK(y.size() == features_.size()) << y.size() << " observations";
  const std::size_t count = scale_.size();
  std::vector<double> moments(count, 0.0);
  double total = 0.0;
  for (std::size_t row = 0; row < y.size(); ++row) {
    total += weights_[row] * y[row] * y[row];
    for (std::size_t feature = 0; feature < count; ++feature) {
      moments[feature] += weights_[row] * features_[row][feature] * y[row];
    }
  }
  const Optimum best = optimum(moments, total);
  LinearFit result;
  result.n = static_cast<std::int64_t>(y.size());
  result.coefficients.assign(count, 0.0);
  result.standard_errors.assign(count, std::nullopt);
  if (best.support != nullptr) {
    const std::vector<std::size_t>& members = best.support->members;
    result.free = static_cast<std::int64_t>(members.size());
    for (std::size_t member = 0; member < members.size(); ++member) {
      result.coefficients[members[member]] = best.values[member] / scale_[members[member]];
    }
  }
  for (std::size_t row = 0; row < y.size(); ++row) {
    double residual = y[row];
    for (std::size_t feature = 0; feature < count; ++feature) {
      residual -= features_[row][feature] * scale_[feature] * result.coefficients[feature];
    }
    result.weighted_squares += weights_[row] * residual * residual;
  }
  if (best.support != nullptr && result.degrees() >= 1) {
    const double variance = result.weighted_squares / static_cast<double>(result.degrees());
    const std::size_t size = best.support->members.size();
    for (std::size_t member = 0; member < size; ++member) {
      const std::size_t feature = best.support->members[member];
      result.standard_errors[feature] =
          std::sqrt(variance * best.support->inverse[member * size + member]) / scale_[feature];
    }
  }
  return result;
}

namespace {

/// Moves `expected` to the values of the fit; returns the largest relative change.
double follow(const LinearFit& fit,
              const std::vector<std::vector<double>>& features,
              std::span<const double> y,
              std::vector<double>& expected) {
  double change = 0.0;
  for (std::size_t row = 0; row < y.size(); ++row) {
    const double fitted = std::inner_product(
        features[row].begin(), features[row].end(), fit.coefficients.begin(), 0.0);
    if (std::isfinite(fitted) && fitted > 0.0) {
      const double next = std::clamp(fitted, y[row] / kFurthest, y[row] * kFurthest);
      change = std::max(change, std::abs(next / expected[row] - 1.0));
      expected[row] = next;
    }
  }
  return change;
}

}  // namespace

RelativeFit fit_relative(const std::vector<std::vector<double>>& features,
                         std::span<const double> y,
                         std::span<const double> start) {
  DLBENCH_CHECK(y.size() == features.size() && start.size() == y.size())
      << y.size() << " observations, " << start.size() << " guesses";
  RelativeFit result;
  result.expected.assign(start.begin(), start.end());
  double change = INFINITY;
  for (int pass = 0; pass < kMaxPasses && change > kSettled; ++pass) {
    std::vector<double> weights;
    weights.reserve(y.size());
    for (std::size_t row = 0; row < y.size(); ++row) {
      const double expected = result.expected[row];
      DLBENCH_CHECK(y[row] > 0.0 && expected > 0.0) << y[row] << ", expected " << expected;
      weights.push_back(1.0 / (expected * expected));
    }
    result.linear = NonnegativeLeastSquares(features, std::move(weights)).fit(y);
    change = follow(result.linear, features, y, result.expected);
  }
  return result;
}

}  // namespace dlbench::harness
