// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The step of one rank without communication at any local batch, from those of a few: how long it
// takes, and when its gradients become ready. Forward and backward pass shrink with the batch, what
// follows them does not.
#pragma once

#include "harness/analysis/step_model.h"

#include <cstddef>
#include <span>
#include <vector>

namespace dlbench::harness {

/// What was measured at one number of ranks.
struct BatchStep {
  double mean_batch = 0.0;      ///< local, over ranks
  double compute_s = 0.0;       ///< mean over ranks; > 0
  double timeline_batch = 0.0;  ///< local, of the rank of the timeline
  StepTimeline timeline;        ///< its proportions count
};

/// Compute time as a line in the local batch, and how the timelines are off.
struct BatchCurve {
  double constant_s = 0.0;
  double slope_s = 0.0;  ///< per sample
  /// By BatchStep: added to the share of the step in which the backward pass ends. Empty: 0.
  std::vector<double> backward_errors;

  [[nodiscard]] double compute_s(double batch) const { return constant_s + slope_s * batch; }
};

class BatchModel {
 public:
  /// At least one (checked); timelines of the same gradients (checked).
  explicit BatchModel(std::vector<BatchStep> steps);

  /// Compute times changed by `compute_errors`, which are relative, by step.
  [[nodiscard]] BatchCurve curve(std::span<const double> compute_errors,
                                 std::vector<double> backward_errors) const;
  /// As measured.
  [[nodiscard]] BatchCurve curve() const;

  /// Its step_s is curve.compute_s(batch). Each time of it is a line in the batch through the times
  /// of the measured timelines, these scaled to the curve, by least squares of relative errors.
  /// With timelines of one batch alone: the proportions of the last one.
  [[nodiscard]] StepTimeline timeline(const BatchCurve& curve, double batch) const;

  /// Whether the timelines are of several batches.
  [[nodiscard]] bool knows_batches() const { return knows_batches_; }

  /// Standard deviation of BatchCurve::backward_errors: what the lines miss (with one batch there
  /// are none), or what two parts of a step make that vary by `step_noise` (relative) each,
  /// whichever is larger.
  [[nodiscard]] double backward_error(double step_noise) const;

 private:
  /// Weights of the timelines in the value of their line at `batch`.
  [[nodiscard]] std::vector<double> parts_at(const BatchCurve& curve, double batch) const;

  std::vector<BatchStep> steps_;  ///< timelines relative to their step_s
  bool knows_batches_ = false;
};

}  // namespace dlbench::harness
