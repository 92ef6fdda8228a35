// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Computes efficiency, speedup and the cost of communication from paired rounds at several numbers
// of ranks. Neither measures nor prints; docs/scaling.md explains the numbers.
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
/// sizes: equal numbers ran next to each other in time.
struct ScalingRound {
  std::int64_t round = 0;
  std::int64_t steps = 0;           ///< of each rank
  std::int64_t samples = 0;         ///< real samples over all ranks
  double samples_per_second = 0.0;  ///< samples / time of the slowest rank
  /// Seconds, by rank, then by step; empty where steps were not timed. Ranks may have different
  /// numbers of steps; only the steps common to all count.
  std::vector<std::vector<double>> step_wall_s;
  /// Measured by the communicators' clocks, summed over ranks and steps; without collectives if
  /// they have no clock.
  comm::CommunicationTotals communication;
};

/// The rounds of one trial that count; empty if the trial was requested but none counts so far.
struct ScalingArm {
  std::string trial;  ///< io, synthetic, synthetic/nocomm, full; see reports::arm_name
  std::vector<ScalingRound> rounds;
};

/// Seconds that a step's all-reduces took with nothing beside them, by call, or why unknown.
using AllReducesAlone = reports::Measured<std::vector<double>>;

struct ScalingSize {
  /// Samples per step of each rank. Its length is the number of ranks.
  std::vector<std::int64_t> local_batch_sizes;
  std::vector<std::string> hosts;  ///< by rank; may be empty
  std::vector<ScalingArm> arms;
  AllReducesAlone all_reduce_alone_s;
  std::optional<double> compression_error;  ///< relative, of rank 0's gradients; nothing: none
  std::optional<reports::AttributionRecord> attribution;  ///< of this size, from attribute()
};

/// Returns the number of steps that every rank timed.
[[nodiscard]] std::size_t common_steps(const ScalingRound& round);

/// Returns samples_per_second of each round.
[[nodiscard]] std::vector<double> rates_of(const ScalingArm& arm);

/// Returns the arm of that name that has rounds; null if there is none.
[[nodiscard]] const ScalingArm* find_arm(const ScalingSize& size, std::string_view trial);

/// One series. Sizes may be in any order; no number of ranks may appear twice.
struct ScalingInput {
  std::string mode;     ///< weak or strong
  std::string sweep;    ///< empty: none
  std::string variant;  ///< empty: none
  reports::ValueMap options;
  std::vector<ScalingSize> sizes;
};

/// What communication adds to a step, by the communicators' clocks: seconds per step, means over
/// ranks. The exposed communication is the sum of all but `all_reduce` and `overlap`.
struct StepCollectives {
  reports::Interval all_reduce;          ///< transfer of the step's all-reduces, hidden or not
  reports::Interval exposed_all_reduce;  ///< the part in which the step was blocked
  reports::Interval waiting;             ///< the step was blocked before any transfer: late ranks
  reports::Interval other;               ///< transfer of broadcasts and other blocking collectives
  /// What communication adds without blocking a step: it takes processors, caches and memory.
  reports::Interval contention;
  std::optional<reports::Interval>
      overlap;  ///< 1 - exposed_all_reduce / all_reduce: the hidden share
};

/// The cost of communication at one size, from rounds that both trials have. Intervals are t
/// intervals over rounds and missing below 2 rounds. Differences made negative by noise stay
/// negative.
struct CommunicationCost {
  double nocomm_s = 0.0;      ///< mean over ranks and steps without communication
  reports::Interval exposed;  ///< step - nocomm_s
  /// Mean over steps of (slowest rank's step - nocomm_s): a step ends for all when the last rank is
  /// done. From unsynchronised steps, so it is what late ranks would cost.
  reports::Interval waiting;
  reports::Interval transfer;              ///< exposed - waiting
  std::optional<StepCollectives> in_step;  ///< none without clocks
};

/// Compares the synthetic and synthetic/nocomm rounds of one size; nothing without a common round
/// that has step times of every rank in both. Below 2 rounds an interval has lower = upper.
[[nodiscard]] std::optional<CommunicationCost> communication_cost(
    const std::vector<ScalingRound>& synthetic, const std::vector<ScalingRound>& nocomm);

/// A rank of a point, and what the others lost to it.
struct SlowestRank {
  std::int64_t rank = 0;
  std::string host;
  double late_share = 0.0;  ///< share of the steps in which it was the last, 0 to 1
  double lost_share = 0.0;  ///< share of the time of all steps that the others waited then, 0 to 1
};

/// Returns the rank that was last in most steps of rounds without communication, how often, and
/// what the others lost to it: the sum over these steps of (its time - mean of the others) / sum of
/// the slowest times of all steps. Nothing for one rank or without step times.
[[nodiscard]] std::optional<SlowestRank> slowest_rank(const std::vector<ScalingRound>& nocomm,
                                                      const std::vector<std::string>& hosts);

/// Returns the record of a series, without fit, projection and bucket sweep. The baseline is the
/// smallest size. With X the rates of one trial: speedup = X_N / X_b, efficiency = (X_N / N) / (X_b
/// / b), as geometric means over common rounds with t intervals of the log ratios; below 2 common
/// rounds, the ratio of the mean rates without interval. The baseline's own are 1 without interval.
/// Leaves out arms without rounds. Rates > 0, one list of times per rank (checked).
[[nodiscard]] reports::ScalingRecord summarize_scaling(const ScalingInput& input);

}  // namespace dlbench::harness
