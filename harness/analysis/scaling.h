// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From paired rounds at several numbers of ranks to efficiency, speedup and the cost of
// communication. It neither measures nor prints; docs/scaling.md explains the numbers.
#pragma once

#include "engine/comm/communicator.h"
#include "harness/analysis/attribution.h"
#include "reports/scaling_record.h"
#include "reports/value.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// One repetition of one trial at one size, gathered from all its ranks. Rounds pair trials and
/// sizes: what has the same number ran next to each other in time.
struct ScalingRound {
  std::int64_t round = 0;
  std::int64_t steps = 0;           ///< of each rank
  std::int64_t samples = 0;         ///< real samples over all ranks
  double samples_per_second = 0.0;  ///< samples / time of the slowest rank
  /// Seconds, by rank, then by step; empty where steps were not timed. Ranks may differ in the
  /// number of steps: what all have counts.
  std::vector<std::vector<double>> step_wall_s;
  /// By the clocks of the communicators, summed over ranks and steps; without collectives where
  /// they have none.
  comm::CommunicationTotals communication;
};

/// The rounds of one trial that count; none: it was asked for, and nothing of it counts so far.
struct ScalingArm {
  std::string trial;  ///< io, synthetic, synthetic/nocomm, full; see reports::arm_name
  std::vector<ScalingRound> rounds;
};

/// Seconds that a step's all-reduces took with nothing beside them, by call, or why there are none.
using AllReducesAlone = reports::Measured<std::vector<double>>;

struct ScalingSize {
  /// Samples per step of each rank. Its length is the number of ranks.
  std::vector<std::int64_t> local_batch_sizes;
  std::vector<std::string> hosts;  ///< by rank; may be empty
  std::vector<ScalingArm> arms;
  AllReducesAlone all_reduce_alone_s;
  std::optional<double> compression_error;  ///< of rank 0's gradients, relative; none: none
  std::optional<reports::AttributionRecord> attribution;  ///< of this size, from attribute()
};

/// Steps that every rank timed.
[[nodiscard]] std::size_t common_steps(const ScalingRound& round);

/// samples_per_second of each round.
[[nodiscard]] std::vector<double> rates_of(const ScalingArm& arm);

/// The arm of that name that has rounds; null: there is none.
[[nodiscard]] const ScalingArm* find_arm(const ScalingSize& size, std::string_view trial);

/// One series. Sizes need not be sorted; no number of ranks may appear twice.
struct ScalingInput {
  std::string mode;     ///< weak or strong
  std::string sweep;    ///< empty: none
  std::string variant;  ///< empty: none
  reports::ValueMap options;
  std::vector<ScalingSize> sizes;
};

/// Where a step spends what communication costs, by the clocks of the communicators: seconds per
/// step, means over ranks. The exposed communication is the sum of all but the first.
struct StepCollectives {
  reports::Interval all_reduce;          ///< transfer of its all-reduces, hidden or not
  reports::Interval exposed_all_reduce;  ///< of it, in which the step was blocked
  reports::Interval waiting;             ///< the step was blocked and nothing moved yet: late ranks
  reports::Interval other;               ///< transfer of broadcasts and the like, which block
  /// What communication adds while no step is blocked: it takes processors, caches and memory.
  reports::Interval contention;
  std::optional<reports::Interval>
      overlap;  ///< 1 - exposed_all_reduce / all_reduce: the hidden share
};

/// What communication costs at one size, from rounds that both trials have. Intervals are t
/// intervals over rounds and missing below 2. A difference is left negative where the noise made it
/// so.
struct CommunicationCost {
  double nocomm_s = 0.0;      ///< mean over ranks and steps without communication
  reports::Interval exposed;  ///< step - nocomm_s
  /// Mean over steps of the slowest rank of the step - nocomm_s: a step ends for all when its last
  /// rank is through. From steps that were not synchronised, so it is what late ranks would cost.
  reports::Interval waiting;
  reports::Interval transfer;              ///< exposed - waiting
  std::optional<StepCollectives> in_step;  ///< none without clocks
};

/// Of the synthetic and the synthetic/nocomm rounds of one size; nothing without a common round
/// that has step times of every rank in both. An interval of fewer than 2 rounds has lower = upper.
[[nodiscard]] std::optional<CommunicationCost> communication_cost(
    const std::vector<ScalingRound>& synthetic, const std::vector<ScalingRound>& nocomm);

/// The rank that was last in the most steps of rounds without communication, how often, and what
/// the others lost to it: the sum over these steps of (its time - mean of the others) / sum of the
/// slowest times of all steps. Nothing for one rank or without step times.
[[nodiscard]] std::optional<reports::StragglerEvidence> slowest_rank(
    const std::vector<ScalingRound>& nocomm, const std::vector<std::string>& hosts);

/// The record of a series, without fit, projection and bucket sweep. The baseline is the smallest
/// size. With X the rates of one trial: speedup = X_N / X_b, efficiency = (X_N / N) / (X_b / b), as
/// geometric means over common rounds with t intervals of the log ratios; without 2 common rounds
/// the ratio of the mean rates without interval. The baseline's own are 1 without interval. An arm
/// without rounds is left out. Rates > 0, one rank's times per rank (checked).
[[nodiscard]] reports::ScalingRecord summarize_scaling(const ScalingInput& input);

}  // namespace dlbench::harness
