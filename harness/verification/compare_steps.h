// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks a recorded step against the same step on the reference backend, tensor by tensor, with
// documented tolerances.
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/exec/model_state.h"
#include "engine/graph/passes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// How far a gradient's direction and length may deviate, whatever its error: 16-bit rounding noise
/// leaves both nearly unchanged.
struct GradientBounds {
  double direction = 0.0;  ///< 1 - cosine of the angle between both
  double length = 0.0;     ///< max(|a| / |b|, |b| / |a|) - 1
};

/// The largest errors allowed. All are relative L2 errors |a - b| / |b| of a tensor, except the
/// loss: |a - b| / max(|b|, 1).
struct StepTolerances {
  double loss = 0.0;
  double prediction = 0.0;
  double gradients_together = 0.0;  ///< of all gradients as one vector
  double length_together = 0.0;     ///< of that vector: max(|a| / |b|, |b| / |a|) - 1
  double gradient = 0.0;            ///< of one gradient; see TensorError::error
  /// Of the optimizer's step, computed from the tested step's gradients. The norm in the
  /// denominator is at least what f32 resolves relative to the parameters.
  double update = 0.0;
  /// Of an optimizer's state, likewise. Each update rule rounds it in f32 at most 14 times, by half
  /// a last place, 6e-8; a state kept in 16 bits would be off by 2e-4 or more.
  double state = 1e-6;
  double statistics = 0.0;       ///< running means and variances
  double smallest_share = 0.05;  ///< minimum of the norm that a gradient's error is divided by
  double short_share = 0.05;     ///< the same for a gradient of up to 64 values
  /// For a gradient of more than 1024 values that is more than noise; nothing: only its error is
  /// checked.
  std::optional<GradientBounds> each_long{};

  /// Returns the tolerances for contractions in f32 (operands rounded to tf32 if `tf32`) or a
  /// 16-bit float, and a batch of `positions` pixels; the .cpp documents the source of each number.
  /// `rounding` is WorkloadSpec::verify_rounding.
  [[nodiscard]] static StepTolerances of(core::DType precision,
                                         std::int64_t positions,
                                         double rounding,
                                         bool tf32 = false);
};

/// Returns the smallest number of positions at which a 16-bit batch can be verified: below it,
/// rounding changes the gradients as much as an error would.
[[nodiscard]] std::int64_t fewest_positions(core::DType precision, double rounding);

/// The role of a tensor in the step, in the order of a report.
enum class StepPart : std::uint8_t {
  kInput,
  kBefore,
  kLoss,
  kPrediction,
  kGradientsTogether,
  kGradient,
  kUpdate,
  kStatistics,
  kLaterUpdate,
  kOptimizerState,
};
[[nodiscard]] std::string_view name(StepPart part);

struct TensorError {
  StepPart part = StepPart::kGradient;
  std::string tensor;  ///< its name in the record
  core::Shape shape;
  /// Relative L2 error; for "direction of ..." and "length of ..." as defined in GradientBounds.
  /// For a single gradient the denominator is at least smallest_share (short_share for few values)
  /// of this tensor's even share of all gradients, |all| sqrt(n / n_all): the gradients of biases
  /// before a batch norm are pure rounding noise. For a running mean it is at least a 20th of the
  /// running deviation: behind a batch norm the mean is pure noise too. Infinite for an all-zero
  /// gradient where the reference's is more than noise.
  double error = 0.0;
  double tolerance = 0.0;
  double max_difference = 0.0;  ///< of one element
  /// False if the error is NaN.
  [[nodiscard]] bool passed() const { return error <= tolerance; }
};

/// Compares two records of record_step(). Parameters after the step are compared with the update
/// rule applied in float64 to the tested record's own gradients: where a gradient is noise, so is
/// the sign of Nadam's step. A missing tensor or another shape is a programmer error.
[[nodiscard]] std::vector<TensorError> compare_steps(const exec::TensorMap& tested,
                                                     const exec::TensorMap& reference,
                                                     const graph::OptimizerSpec& optimizer,
                                                     const StepTolerances& tolerances);

/// Compares StepRecord::later, the update of step `step` (2, 3, ...): parameters and optimizer
/// state with the rule applied in float64 to the record's own gradients and state.
[[nodiscard]] std::vector<TensorError> compare_later_update(const exec::TensorMap& later,
                                                            std::int64_t step,
                                                            const graph::OptimizerSpec& optimizer,
                                                            const StepTolerances& tolerances);

}  // namespace dlbench::harness
