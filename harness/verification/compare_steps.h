// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Is a recorded step right? Compared with the same step on the reference backend, tensor by tensor,
// against written tolerances.
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

/// How far a gradient may point elsewhere and be longer or shorter, whatever its error: errors that
/// noise in 16 bits makes leave both.
struct GradientBounds {
  double direction = 0.0;  ///< 1 - cosine of the angle between both
  double length = 0.0;     ///< max(|a| / |b|, |b| / |a|) - 1
};

/// Largest errors allowed. All are relative L2 errors |a - b| / |b| of a tensor, except the loss:
/// |a - b| / max(|b|, 1).
struct StepTolerances {
  double loss = 0.0;
  double prediction = 0.0;
  double gradients_together = 0.0;  ///< of all gradients as one vector
  double length_together = 0.0;     ///< of it: max(|a| / |b|, |b| / |a|) - 1
  double gradient = 0.0;            ///< of one gradient; see TensorError::error
  /// Of the optimizer's step, from the tested step's gradients; the norm that it is divided by is
  /// at least one that f32 resolves beside the parameters.
  double update = 0.0;
  /// Of an optimizer's state, likewise. Each of the rules rounds it in f32 14 times at most, by
  /// half a last place, 6e-8; kept in 16 bits it would be off by 2e-4 or more.
  double state = 1e-6;
  double statistics = 0.0;       ///< running means and variances
  double smallest_share = 0.05;  ///< of the norm that a gradient's error is divided by
  double short_share = 0.05;     ///< the same of a gradient of up to 64 values
  /// Of a gradient of more than 1024 values that is more than noise; nothing: its error alone is
  /// looked at.
  std::optional<GradientBounds> each_long{};

  /// For contractions in f32 (their operands rounded to tf32 if `tf32`) or a 16-bit float, and a
  /// batch of `positions` pixels; where the numbers come from stands beside them. `rounding` is
  /// WorkloadSpec::verify_rounding.
  [[nodiscard]] static StepTolerances of(core::DType precision,
                                         std::int64_t positions,
                                         double rounding,
                                         bool tf32 = false);
};

/// Batches of fewer positions say nothing of the gradients in a 16-bit float: what rounding changes
/// there is as much as an error would.
[[nodiscard]] std::int64_t fewest_positions(core::DType precision, double rounding);

/// What a tensor is in the step, in the order of a report.
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
  /// Relative L2 error; of "direction of ..." and "length of ..." as GradientBounds has it. Of a
  /// single gradient the denominator is at least smallest_share of this
  /// tensor's even share of all gradients, |all| sqrt(n / n_all), short_share if it has few values:
  /// biases in front of a batch norm have no gradient but rounding noise. Of a
  /// running mean it is at least a 20th of the running deviation: behind a batch norm the mean is
  /// nothing but noise, too. Infinite for a gradient that is all zeros where the reference's is
  /// more than noise.
  double error = 0.0;
  double tolerance = 0.0;
  double max_difference = 0.0;  ///< of one element
  /// False for a NaN error.
  [[nodiscard]] bool passed() const { return error <= tolerance; }
};

/// Compares two records of record_step(). Parameters after the step are compared with what the
/// update rule in float64 makes of the tested record's own gradients: where a gradient is noise, so
/// is the sign of Nadam's step. It is a programmer error if a tensor is missing or has another
/// shape.
[[nodiscard]] std::vector<TensorError> compare_steps(const exec::TensorMap& tested,
                                                     const exec::TensorMap& reference,
                                                     const graph::OptimizerSpec& optimizer,
                                                     const StepTolerances& tolerances);

/// Of StepRecord::later, the update of the step-th step, 2, 3, ...: parameters and optimizer state
/// after it, with what the rule in float64 makes of the record's own gradients and state.
[[nodiscard]] std::vector<TensorError> compare_later_update(const exec::TensorMap& later,
                                                            std::int64_t step,
                                                            const graph::OptimizerSpec& optimizer,
                                                            const StepTolerances& tolerances);

}  // namespace dlbench::harness
