// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/batch_model.h"

#include "engine/core/check.h"
#include "harness/analysis/least_squares.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dlbench::harness {
namespace {

/// Returns the timeline with its times as shares of the step.
StepTimeline relative(StepTimeline timeline) {
  DLBENCH_CHECK(timeline.step_s > 0.0) << timeline.step_s << " s";
  for (GradientTiming& gradient : timeline.gradients) {
    gradient.ready_s /= timeline.step_s;
  }
  timeline.backward_end_s /= timeline.step_s;
  timeline.step_s = 1.0;
  return timeline;
}

}  // namespace

BatchModel::BatchModel(std::vector<BatchStep> steps) : steps_(std::move(steps)) {
  DLBENCH_CHECK(!steps_.empty());
  for (BatchStep& step : steps_) {
    DLBENCH_CHECK(step.timeline.gradients.size() == steps_.front().timeline.gradients.size())
        << step.timeline.gradients.size() << " gradients";
    step.timeline = relative(std::move(step.timeline));
    knows_batches_ = knows_batches_ || step.timeline_batch != steps_.front().timeline_batch;
  }
}

BatchCurve BatchModel::curve(std::span<const double> compute_errors,
                             std::vector<double> backward_errors) const {
  std::vector<std::vector<double>> rows;
  std::vector<double> times;
  for (std::size_t index = 0; index < steps_.size(); ++index) {
    constexpr double kFastest = 0.1;  // however wild the error
    rows.push_back({1.0, steps_[index].mean_batch});
    times.push_back(steps_[index].compute_s * std::max(1.0 + compute_errors[index], kFastest));
  }
  const LinearFit line = fit_relative(rows, times, times).linear;
  return {line.coefficients[0], line.coefficients[1], std::move(backward_errors)};
}

BatchCurve BatchModel::curve() const { return curve(std::vector<double>(steps_.size(), 0.0), {}); }

// The value at x of the weighted least squares line through (x_i, y_i) is a sum of w_i y_i:
// w_i = v_i (S2 - S1 x_i + x (S0 x_i - S1)) / (S0 S2 - S1^2) with weights v_i = 1 / expected^2 and
// S_k = sum of v_i x_i^k. It is the same for all times of a timeline.
std::vector<double> BatchModel::parts_at(const BatchCurve& curve, double batch) const {
  std::vector<double> parts(steps_.size(), 0.0);
  if (!knows_batches_) {
    parts.back() = curve.compute_s(batch) / curve.compute_s(steps_.back().timeline_batch);
    return parts;
  }
  double sums[3] = {};
  for (std::size_t index = 0; index < steps_.size(); ++index) {
    const double x = steps_[index].timeline_batch;
    const double expected = curve.compute_s(x);
    parts[index] = 1.0 / (expected * expected);
    sums[0] += parts[index];
    sums[1] += parts[index] * x;
    sums[2] += parts[index] * x * x;
  }
  for (std::size_t index = 0; index < steps_.size(); ++index) {
    const double x = steps_[index].timeline_batch;
    parts[index] *= (sums[2] - sums[1] * x + batch * (sums[0] * x - sums[1])) /
                    (sums[0] * sums[2] - sums[1] * sums[1]);
  }
  return parts;
}

StepTimeline BatchModel::timeline(const BatchCurve& curve, double batch) const {
  const std::vector<double> parts = parts_at(curve, batch);
  StepTimeline result = steps_.back().timeline;
  result.step_s = curve.compute_s(batch);
  result.backward_end_s = 0.0;
  for (GradientTiming& gradient : result.gradients) {
    gradient.ready_s = 0.0;
  }
  for (std::size_t index = 0; index < steps_.size(); ++index) {
    const BatchStep& step = steps_[index];
    const double share = step.timeline.backward_end_s;
    const double error = curve.backward_errors.empty() ? 0.0 : curve.backward_errors[index];
    const double erring = share > 0.0 ? std::clamp(share + error, 0.0, 1.0) / share : 1.0;
    const double scale_s = parts[index] * curve.compute_s(step.timeline_batch) * erring;
    result.backward_end_s += scale_s * share;
    for (std::size_t gradient = 0; gradient < result.gradients.size(); ++gradient) {
      result.gradients[gradient].ready_s += scale_s * step.timeline.gradients[gradient].ready_s;
    }
  }
  // A line beyond the measured batches may give impossible values.
  result.backward_end_s = std::clamp(result.backward_end_s, 0.0, result.step_s);
  for (GradientTiming& gradient : result.gradients) {
    gradient.ready_s = std::clamp(gradient.ready_s, 0.0, result.backward_end_s);
  }
  return result;
}

double BatchModel::backward_error(double step_noise) const {
  const BatchCurve measured = curve();
  double squares = 0.0;
  double largest = 0.0;
  for (const BatchStep& step : steps_) {
    const StepTimeline fitted = timeline(measured, step.timeline_batch);
    const double share = step.timeline.backward_end_s;
    const double residual = share - fitted.backward_end_s / fitted.step_s;
    squares += residual * residual;
    // Error of the share a / (a + b) of a part a, where both vary by the same relative noise.
    largest = std::max(largest, std::sqrt(2.0) * share * (1.0 - share) * step_noise);
  }
  constexpr std::size_t kOfLine = 2;  // parameters
  const bool has_line = knows_batches_ && steps_.size() > kOfLine;
  const double missed =
      has_line ? std::sqrt(squares / static_cast<double>(steps_.size() - kOfLine)) : 0.0;
  return std::max(missed, largest);
}

}  // namespace dlbench::harness
