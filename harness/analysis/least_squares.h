// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear least squares with a handful of non-negative coefficients, such as times and costs.
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
  /// Standard errors; nothing where a coefficient is at its bound 0 or undetermined.
  std::vector<std::optional<double>> standard_errors;
  double weighted_squares = 0.0;  ///< sum of weight * residual^2
  std::int64_t n = 0;             ///< observations
  std::int64_t free = 0;          ///< coefficients above 0

  /// n - free; if 0 or less, there are no intervals.
  [[nodiscard]] std::int64_t degrees() const { return n - free; }
  /// Returns sqrt(weighted_squares / max(degrees(), 1)): the residual standard error.
  [[nodiscard]] double residual() const;
  /// Returns the 95 % t interval of one coefficient, cut off at 0; nothing if degrees() < 1 or
  /// without a standard error (at its bound 0, or undetermined).
  [[nodiscard]] std::optional<reports::Interval> interval(std::size_t coefficient) const;
};

/// A fit whose errors are relative to the expected value of each observation.
struct RelativeFit {
  LinearFit linear;              ///< weighted_squares: sum of squared relative errors
  std::vector<double> expected;  ///< by observation: what its error is relative to; > 0
};

/// Minimises sum of weights[i] * (y[i] - features[i] . coefficients)^2 over coefficients >= 0. At
/// the optimum some coefficients are 0 and the others (the support) solve the unbounded problem
/// (Lawson and Hanson 1974, "Solving least squares problems", chapter 23); with at most 6
/// coefficients all supports are tried. Among equally good supports the smallest wins, then the one
/// with the earlier features, so features that the observations cannot distinguish do no harm.
class NonnegativeLeastSquares {
 public:
  /// `features`: one row of equal length (1 to 6) per observation; `weights` >= 0, as many
  /// (checked).
  NonnegativeLeastSquares(std::vector<std::vector<double>> features, std::vector<double> weights);

  /// Fits these observations, one per row (checked).
  [[nodiscard]] LinearFit fit(std::span<const double> y) const;

 private:
  /// A set of free coefficients and the inverse of their normal matrix.
  struct Support {
    std::vector<std::size_t> members;
    std::vector<double> inverse;  ///< members x members
  };

  /// A support and its coefficients, for scaled features; no support where 0 is best for all.
  struct Optimum {
    const Support* support = nullptr;
    std::vector<double> values;
  };

  /// Takes the observations' weighted products with the features and weighted sum of squares.
  [[nodiscard]] Optimum optimum(std::span<const double> moments, double total) const;

  std::vector<std::vector<double>> features_;  ///< columns scaled to unit length
  std::vector<double> weights_;
  std::vector<double> scale_;
  std::vector<Support> supports_;  ///< by size, then lexicographically
};

/// Fits observations whose errors are proportional to their values: weights 1 / expected^2, where
/// the expected values come from the fit itself, by iteration (generalized least squares: Carroll
/// and Ruppert 1988, "Transformation and weighting in regression", section 2.1). Weights 1 / y^2
/// would favour values that are low by chance and bias all coefficients low. `start` is a first
/// guess of the expected values: y itself or those of a similar fit. y and start are > 0, one per
/// row (checked).
[[nodiscard]] RelativeFit fit_relative(const std::vector<std::vector<double>>& features,
                                       std::span<const double> y,
                                       std::span<const double> start);

}  // namespace dlbench::harness
