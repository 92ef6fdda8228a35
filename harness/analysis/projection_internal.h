// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The two halves of projection.h: what its input says about each measured size, and the modelled
// step of any size. For projection*.cpp only.
#pragma once

#include "harness/analysis/batch_model.h"
#include "harness/analysis/projection.h"
#include "harness/analysis/step_model.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dlbench::harness {

/// What a series says about one size.
struct MeasuredSize {
  std::int64_t ranks = 0;
  double global_batch = 0.0;
  double local_batch = 0.0;        ///< mean over ranks
  double largest_batch = 0.0;      ///< of a rank
  std::int64_t largest_ranks = 0;  ///< number of ranks with it
  double load = 1.0;
  double nocomm_s = 0.0;       ///< step without communication, mean over ranks and steps
  double step_s = 0.0;         ///< of the headline trial
  double samples_per_s = 0.0;  ///< the same, the mean of its rounds, as the report has it
  double synthetic_s = 0.0;    ///< step of the synthetic trial
  double loader_s = 0.0;       ///< time of the io trial per step; 0: not measured
  /// The following are without communication and relative to the usual time: the round's mean over
  /// the ranks with an equally large batch. Ranks with different batches differ by design, which is
  /// not noise.
  double waiting_share = 0.0;      ///< mean over steps of the slowest rank - 1
  double waiting_error = 0.0;      ///< standard error of that mean
  std::vector<double> step_times;  ///< of all ranks
  std::vector<double> rank_means;  ///< mean of each rank
  std::int64_t rank_degrees = 0;   ///< degrees of freedom of rank_means
  /// Rounds of nocomm and of the headline trial, relative to their means.
  std::vector<std::vector<double>> round_times;
};

/// How much the numbers of a series vary, relative to their means.
struct SeriesSpread {
  double rounds = 0.0;             ///< standard deviation from round to round
  std::int64_t round_degrees = 0;  ///< degrees of freedom of it
  double rounds_per_trial = 1.0;   ///< mean
  double ranks = 0.0;              ///< standard deviation of lasting differences between ranks
  std::int64_t rank_degrees = 0;
  double steps = 0.0;  ///< standard deviation from step to step of a rank

  /// Returns the standard error of one trial's mean.
  [[nodiscard]] double trial_error() const;
  /// Returns the standard deviation of the step of `count` ranks due to the choice of ranks: of
  /// their mean, and of the slowest as far as lasting differences decide which one that is.
  [[nodiscard]] double rank_error(std::int64_t count) const;
};

[[nodiscard]] SeriesSpread spread_of(const std::vector<MeasuredSize>& sizes);

/// Returns the sizes by ascending ranks. Throws core::Error(kData) as Projector does.
[[nodiscard]] std::vector<MeasuredSize> measured_sizes(const ProjectionInput& input);

/// A size to predict.
struct Target {
  std::int64_t ranks = 1;
  double mean_batch = 0.0;         ///< local, over ranks
  double largest_batch = 0.0;      ///< of a rank
  std::int64_t largest_ranks = 1;  ///< number of ranks with it; the others share the rest equally
  double load = 1.0;
  double loader_s = 0.0;  ///< per step
};

/// The parameters that the bootstrap varies.
struct ModelParameters {
  LinkParameters link;
  double compute_s = 0.0;   ///< nocomm step of the largest measured size
  double correction = 1.0;  ///< measured / modelled step
  BatchCurve curve;
  double waiting_scale = 1.0;  ///< factor on the slowest rank's delay
};

/// The mean times of a modelled step.
struct ModelledStep {
  double compute_s = 0.0;   ///< mean over ranks
  double waiting_s = 0.0;   ///< for the slowest rank, slow by chance or because of a larger batch
  double transfer_s = 0.0;  ///< exposed, broadcasts before the step included
  double input_s = 0.0;     ///< by which the loader is slower than the step
  [[nodiscard]] double total_s() const { return compute_s + waiting_s + transfer_s + input_s; }
};

/// The model of projection.h: everything that the measured sizes determine and the bootstrap does
/// not vary.
class StepPredictor {
 public:
  StepPredictor(const ProjectionInput& input, const std::vector<MeasuredSize>& sizes);

  /// Random numbers of one evaluation: equal for all evaluations, so that these differ by their
  /// parameters alone.
  struct Draws {
    /// Time of the slowest rank, relative to the usual time of the largest batch; by draw.
    std::vector<double> slowness;
  };
  [[nodiscard]] Draws draws(const Target& target) const;

  /// Models a step, without ModelParameters::correction. `reduction` decides the buckets.
  [[nodiscard]] ModelledStep step(const ModelParameters& parameters,
                                  const ReductionModel& reduction,
                                  const Target& target,
                                  const Draws& draws) const;

  [[nodiscard]] const BatchModel& batches() const { return batches_; }

  /// Standard error of ModelParameters::waiting_scale: the observed share of the waiting comes from
  /// a few hundred steps.
  [[nodiscard]] double waiting_error() const { return waiting_error_; }

 private:
  BatchModel batches_;
  std::vector<double> broadcast_bytes_;
  StepNoise noise_;
  double noise_share_ = 1.0;
  double waiting_error_ = 0.0;
  double jitter_s_ = 0.0;
  double anchor_load_ = 1.0;
  double anchor_batch_ = 0.0;
  std::vector<double> jitter_;  ///< exponential with mean 1; by draw, then by bucket
};

}  // namespace dlbench::harness
