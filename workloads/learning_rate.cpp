// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "workloads/learning_rate.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dlbench::workloads {
namespace {

struct Describe {
  std::string operator()(const ConstantSchedule& /*schedule*/) const { return "constant"; }
  std::string operator()(const StepDecay& decay) const {
    return fmt::format("step(gamma={:g})", decay.gamma);
  }
  std::string operator()(const ReduceOnPlateau& plateau) const {
    return fmt::format("plateau(factor={:g}, patience={}, floor={:g})",
                       plateau.factor,
                       plateau.patience,
                       plateau.floor);
  }
};

[[nodiscard]] bool in_range(const ScheduleSpec& spec) {
  if (const auto* step = std::get_if<StepDecay>(&spec)) {
    return step->gamma > 0.0 && step->gamma <= 1.0;
  }
  if (const auto* plateau = std::get_if<ReduceOnPlateau>(&spec)) {
    return plateau->factor > 0.0 && plateau->factor < 1.0 && plateau->patience >= 1 &&
           plateau->floor >= 0.0;
  }
  return true;
}

}  // namespace

std::string to_string(const ScheduleSpec& spec) { return std::visit(Describe{}, spec); }

LearningRateSchedule::LearningRateSchedule(const ScheduleSpec& spec, double initial)
    : spec_(spec), rate_(initial) {
  if (!(initial > 0.0) || !std::isfinite(initial)) {
    throw core::Error(
        core::ErrorCode::kUsage,
        fmt::format("learning rate {:g}; wanted a finite number above zero", initial));
  }
  if (!in_range(spec)) {
    throw core::Error(core::ErrorCode::kUsage,
                      fmt::format("learning-rate schedule {}; wanted 0 < gamma <= 1, "
                                  "0 < factor < 1, patience >= 1, floor >= 0",
                                  to_string(spec)));
  }
}

double LearningRateSchedule::end_epoch(std::optional<double> valid_loss) {
  if (const auto* step = std::get_if<StepDecay>(&spec_)) {
    rate_ *= step->gamma;
  } else if (const auto* plateau = std::get_if<ReduceOnPlateau>(&spec_)) {
    if (valid_loss.has_value()) {
      end_epoch_on_plateau(*plateau, *valid_loss);
    }
  }
  return rate_;
}

void LearningRateSchedule::end_epoch_on_plateau(const ReduceOnPlateau& plateau, double valid_loss) {
  if (valid_loss < best_loss_) {  // false for NaN
    best_loss_ = valid_loss;
    epochs_without_gain_ = 0;
    return;
  }
  if (++epochs_without_gain_ >= plateau.patience) {
    // A rate that started below the floor stays unchanged.
    rate_ = std::min(rate_, std::max(rate_ * plateau.factor, plateau.floor));
    epochs_without_gain_ = 0;
  }
}

}  // namespace dlbench::workloads
