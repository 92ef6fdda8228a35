// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A rank's step without communication at any local batch, modelled from the measured steps of a few
// batches: how long it takes, and when its gradients become ready. Forward and backward pass shrink
// with the batch; what follows them does not.
#pragma once

#include "harness/analysis/step_model.h"

#include <cstddef>
#include <span>
#include <vector>

namespace dlbench::harness {

/// The measurements at one number of ranks.
struct BatchStep {
  double mean_batch = 0.0;      ///< local, over ranks
  double compute_s = 0.0;       ///< mean over ranks; > 0
  double timeline_batch = 0.0;  ///< local, of the rank whose timeline it is
  StepTimeline timeline;        ///< only its proportions matter
};

/// Compute time as a linear function of the local batch, and the errors of the timelines.
struct BatchCurve {
  double constant_s = 0.0;
  double slope_s = 0.0;  ///< per sample
  /// By BatchStep: added to the share of the step at which the backward pass ends. Empty: 0.
  std::vector<double> backward_errors;

  [[nodiscard]] double compute_s(double batch) const { return constant_s + slope_s * batch; }
};

class BatchModel {
 public:
  /// Takes at least one step; all timelines have the same gradients (both checked).
  explicit BatchModel(std::vector<BatchStep> steps);

  /// Fits the curve with each step's compute time changed by its relative `compute_errors`.
  [[nodiscard]] BatchCurve curve(std::span<const double> compute_errors,
                                 std::vector<double> backward_errors) const;
  /// Fits the curve to the measured times.
  [[nodiscard]] BatchCurve curve() const;

  /// Returns a timeline with step_s = curve.compute_s(batch). Each of its times is a linear
  /// function of the batch, fitted to the measured timelines (scaled to the curve) by least squares
  /// of relative errors. If all timelines are of one batch, uses the proportions of the last one.
  [[nodiscard]] StepTimeline timeline(const BatchCurve& curve, double batch) const;

  /// Whether the timelines cover several batches.
  [[nodiscard]] bool knows_batches() const { return knows_batches_; }

  /// Returns the standard deviation of BatchCurve::backward_errors: the residual of the fitted
  /// lines (none with a single batch), or the effect of two parts of a step that each vary by
  /// `step_noise` (relative), whichever is larger.
  [[nodiscard]] double backward_error(double step_noise) const;

 private:
  /// Returns the weight of each timeline in the fitted value at `batch`.
  [[nodiscard]] std::vector<double> parts_at(const BatchCurve& curve, double batch) const;

  std::vector<BatchStep> steps_;  ///< timelines relative to their step_s
  bool knows_batches_ = false;
};

}  // namespace dlbench::harness
