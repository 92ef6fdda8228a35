// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Learning-rate schedules: what a workload asks for (ScheduleSpec) and the rate of each epoch
// (LearningRateSchedule). Pure arithmetic: the trainer writes the rate into the model state.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>

namespace dlbench::workloads {

/// The same rate in all epochs.
struct ConstantSchedule {};

/// rate = initial * gamma^(epochs done), as PyTorch's StepLR with a step size of one epoch.
struct StepDecay {
  double gamma = 0.7;
};

/// Multiplies the rate by `factor` after `patience` epochs in a row without a new lowest validation
/// loss, then starts counting afresh; the rate never falls below `floor`. Like Keras'
/// ReduceLROnPlateau with min_delta = 0 and no cool-down. Without a validation loss the rate stays.
struct ReduceOnPlateau {
  double factor = 0.1;
  std::int64_t patience = 5;
  double floor = 1e-6;
};

using ScheduleSpec = std::variant<ConstantSchedule, StepDecay, ReduceOnPlateau>;

/// Formats as "constant", "step(gamma=0.7)" or "plateau(factor=0.1, patience=5, floor=1e-06)".
[[nodiscard]] std::string to_string(const ScheduleSpec& spec);

/// Tracks the learning rate of the current epoch.
class LearningRateSchedule {
 public:
  /// Throws Error(kUsage) unless initial > 0 and the spec's numbers are in range.
  LearningRateSchedule(const ScheduleSpec& spec, double initial);

  [[nodiscard]] double rate() const { return rate_; }
  /// Ends an epoch; a loss that is not finite counts as no gain. Returns the next epoch's rate.
  double end_epoch(std::optional<double> valid_loss);

 private:
  void end_epoch_on_plateau(const ReduceOnPlateau& plateau, double valid_loss);

  ScheduleSpec spec_;
  double rate_;
  double best_loss_ = std::numeric_limits<double>::infinity();
  std::int64_t epochs_without_gain_ = 0;
};

}  // namespace dlbench::workloads
