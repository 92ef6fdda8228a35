// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear least squares with a handful of coefficients that cannot be negative: times and costs.
#pragma once

#include "reports/interval.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dlbench::harness {

/// y = sum of coefficients[c] * features[c].
struct LinearFit {
  std::vector<double> coefficients;  ///< >= 0
  /// Standard errors; nothing where a coefficient rests on its bound 0 or is not determined.
  std::vector<std::optional<double>> standard_errors;
  double weighted_squares = 0.0;  ///< sum of weight * residual^2
  std::int64_t n = 0;             ///< observations
  std::int64_t free = 0;          ///< coefficients above 0

  /// n - free; may be 0 or less, and then there are no intervals.
  [[nodiscard]] std::int64_t degrees() const { return n - free; }
  /// Root mean square of the weighted residuals, degrees() in the denominator, 1 at least.
  [[nodiscard]] double residual() const;
  /// 95 % t interval of one coefficient, cut off at 0, below which there is none.
  [[nodiscard]] std::optional<reports::Interval> interval(std::size_t coefficient) const;
};

/// A fit whose errors are relative to what it expects of each observation.
struct RelativeFit {
  LinearFit linear;              ///< weighted_squares: sum of squared relative errors
  std::vector<double> expected;  ///< by observation, what its error is relative to; > 0
};

/// Minimises sum of weights[i] * (y[i] - features[i] . coefficients)^2 over coefficients >= 0. The
/// optimum has some coefficients at 0 and the others as without the bound (Lawson and Hanson 1974,
/// "Solving least squares problems", chapter 23); with at most 6 coefficients all supports are
/// tried. Of supports that fit equally well the smallest wins, then the one of the earlier
/// features: features that the observations cannot tell apart do no harm.
class NonnegativeLeastSquares {
 public:
  /// `features`: one row of equal length (1 to 6) per observation; `weights` >= 0, as many
  /// (checked).
  NonnegativeLeastSquares(std::vector<std::vector<double>> features, std::vector<double> weights);

  /// The fit to these observations, as many as rows (checked).
  [[nodiscard]] LinearFit fit(std::span<const double> y) const;

 private:
  /// A support and the inverse of its normal matrix.
  struct Support {
    std::vector<std::size_t> members;
    std::vector<double> inverse;  ///< members x members
  };

  /// A support and its coefficients, of scaled features; none where all are best at 0.
  struct Optimum {
    const Support* support = nullptr;
    std::vector<double> values;
  };

  /// Of observations with these weighted products with the features and this sum of squares.
  [[nodiscard]] Optimum optimum(std::span<const double> moments, double total) const;

  std::vector<std::vector<double>> features_;  ///< columns scaled to unit length
  std::vector<double> weights_;
  std::vector<double> scale_;
  std::vector<Support> supports_;  ///< by size, then lexicographically
};

/// The fit for errors that are a constant share of what is measured: weights 1 / expected^2 with
/// the values of the fit itself, by iteration (generalized least squares: Carroll and Ruppert 1988,
/// "Transformation and weighting in regression", section 2.1). Weights 1 / y^2 would not do: what
/// came out low by chance would count most, and all coefficients would be low. `start`: a first
/// guess of the expected values, y itself or those of a fit of the like. y and start > 0, as many
/// as rows (checked).
[[nodiscard]] RelativeFit fit_relative(const std::vector<std::vector<double>>& features,
                                       std::span<const double> y,
                                       std::span<const double> start);

}  // namespace dlbench::harness
