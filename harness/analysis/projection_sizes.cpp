// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Derives what the series of a projection says about each size.
#include "engine/core/error.h"
#include "harness/analysis/projection_internal.h"
#include "reports/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <set>
#include <span>
#include <string_view>

namespace dlbench::harness {
namespace {

using reports::mean_of;

[[noreturn]] void missing(std::size_t ranks, const char* what) {
  throw core::Error(core::ErrorCode::kData,
                    fmt::format("a projection needs {} at {} rank(s)", what, ranks));
}

const ScalingArm* synthetic_of(const ScalingSize& size) {
  const ScalingArm* arm = find_arm(size, "synthetic");
  return arm != nullptr ? arm : find_arm(size, "synthetic/device");
}

/// Returns the seconds per step of every round, from its rate.
std::vector<double> step_times(const ScalingArm& arm, double global_batch) {
  std::vector<double> seconds;
  for (const ScalingRound& round : arm.rounds) {
    seconds.push_back(global_batch / round.samples_per_second);
  }
  return seconds;
}

/// Divides the values by their mean.
std::vector<double> relative(std::vector<double> values) {
  const double mean = mean_of(values);
  for (double& value : values) {
    value /= mean;
  }
  return values;
}

double squares_about_one(std::span<const double> values) {
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - 1.0) * (value - 1.0);
  }
  return squares;
}

/// Returns, by rank, the round's mean step time over the ranks with an equally large batch.
std::vector<double> usual_times(const ScalingRound& round, std::span<const std::int64_t> batches) {
  std::vector<double> usual;
  for (const std::int64_t batch : batches) {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t rank = 0; rank < batches.size(); ++rank) {
      if (batches[rank] == batch) {
        sum += std::accumulate(round.step_wall_s[rank].begin(), round.step_wall_s[rank].end(), 0.0);
        count += round.step_wall_s[rank].size();
      }
    }
    usual.push_back(sum / static_cast<double>(count));
  }
  return usual;
}

/// Fills nocomm_s and the relative times.
void add_compute(const ScalingArm& arm,
                 std::span<const std::int64_t> batches,
                 MeasuredSize& measured) {
  std::vector<double> means;
  std::vector<double> waits;  // by step
  std::vector<double> by_rank(batches.size(), 0.0);
  for (const ScalingRound& round : arm.rounds) {
    const std::size_t steps = common_steps(round);
    if (steps == 0) {
      continue;
    }
    const std::vector<double> usual = usual_times(round, batches);
    std::vector<double> slowest(steps, 0.0);
    for (std::size_t rank = 0; rank < batches.size(); ++rank) {
      const std::vector<double>& times = round.step_wall_s[rank];
      for (std::size_t step = 0; step < steps; ++step) {
        slowest[step] = std::max(slowest[step], times[step] / usual[rank]);
      }
      by_rank[rank] += mean_of(times) / usual[rank];
      for (const double time : times) {
        measured.step_times.push_back(time / usual[rank]);
      }
    }
    means.push_back(mean_of(usual));
    for (const double relative_time : slowest) {
      waits.push_back(relative_time - 1.0);
    }
  }
  if (means.empty()) {
    missing(static_cast<std::size_t>(measured.ranks), "step times of every rank");
  }
  measured.nocomm_s = mean_of(means);
  const std::optional<reports::Summary> waiting = reports::summarize(waits);
  measured.waiting_share = waiting->mean;
  measured.waiting_error =
      waiting->stddev.value_or(0.0) / std::sqrt(static_cast<double>(waits.size()));
  measured.round_times.push_back(relative(means));
  measured.rank_means = relative(by_rank);
  const std::set<std::int64_t> different(batches.begin(), batches.end());
  measured.rank_degrees = static_cast<std::int64_t>(batches.size() - different.size());
}

MeasuredSize measured_size(const ScalingSize& size, const ProjectionInput& input) {
  const std::vector<std::int64_t>& local = size.local_batch_sizes;
  const std::size_t ranks = local.size();
  MeasuredSize measured;
  measured.ranks = static_cast<std::int64_t>(ranks);
  measured.global_batch =
      static_cast<double>(std::accumulate(local.begin(), local.end(), std::int64_t{0}));
  measured.local_batch = measured.global_batch / static_cast<double>(ranks);
  const std::int64_t largest = *std::max_element(local.begin(), local.end());
  measured.largest_batch = static_cast<double>(largest);
  measured.largest_ranks = std::count(local.begin(), local.end(), largest);
  if (const auto load = input.load.find(measured.ranks); load != input.load.end()) {
    measured.load = load->second;
  }
  const ScalingArm* synthetic = synthetic_of(size);
  if (synthetic == nullptr) {
    missing(ranks, "the trial synthetic");
  }
  // One rank has nothing to communicate.
  const ScalingArm* nocomm = ranks == 1 ? synthetic : find_arm(size, "synthetic/nocomm");
  if (nocomm == nullptr) {
    missing(ranks, "the trial synthetic/nocomm");
  }
  add_compute(*nocomm, local, measured);
  const ScalingArm* io = find_arm(size, "io");
  const ScalingArm* full = find_arm(size, "full");
  const bool with_input = full != nullptr;
  if (with_input && io == nullptr) {
    // The series is that of full: a projection of synthetic would appear in its column.
    missing(ranks, "the trial io, without which full is not modelled,");
  }
  const std::vector<double> steps =
      step_times(with_input ? *full : *synthetic, measured.global_batch);
  measured.step_s = mean_of(steps);
  measured.samples_per_s = mean_of(rates_of(with_input ? *full : *synthetic));
  measured.synthetic_s = mean_of(step_times(*synthetic, measured.global_batch));
  measured.round_times.push_back(relative(steps));
  measured.loader_s = with_input ? mean_of(step_times(*io, measured.global_batch)) : 0.0;
  return measured;
}

}  // namespace

double SeriesSpread::trial_error() const { return rounds / std::sqrt(rounds_per_trial); }

double SeriesSpread::rank_error(std::int64_t count) const {
  const auto number = static_cast<double>(count);
  const double both = std::sqrt(ranks * ranks + steps * steps);
  if (count < 2 || both == 0.0) {
    return ranks;
  }
  // The standard deviation of the largest of n normal numbers tends to pi / sqrt(12 ln n) (extreme
  // value theory: Gumbel's with scale 1 / sqrt(2 ln n)); for small n that of two is used, 0.83.
  constexpr double kOfTwo = 0.826;
  const double of_largest = std::min(kOfTwo, M_PI / std::sqrt(12.0 * std::log(number)));
  const double slowest = ranks * of_largest * ranks / both;
  return std::sqrt(slowest * slowest + ranks * ranks / number);
}

SeriesSpread spread_of(const std::vector<MeasuredSize>& sizes) {
  SeriesSpread spread;
  double round_squares = 0.0;
  double rank_squares = 0.0;
  double trials = 0.0;
  double rounds = 0.0;
  for (const MeasuredSize& size : sizes) {
    for (const std::vector<double>& trial : size.round_times) {
      round_squares += squares_about_one(trial);
      spread.round_degrees += static_cast<std::int64_t>(trial.size()) - 1;
      rounds += static_cast<double>(trial.size());
      trials += 1.0;
    }
    rank_squares += squares_about_one(size.rank_means);
    spread.rank_degrees += size.rank_degrees;
  }
  const MeasuredSize& largest = sizes.back();
  const auto steps = static_cast<double>(largest.step_times.size());
  const double step_variance = squares_about_one(largest.step_times) / std::max(steps, 1.0);
  double rank_variance = 0.0;
  if (spread.rank_degrees > 0) {
    // The mean of a rank also varies from step to step, not only permanently.
    const double steps_per_rank = steps / static_cast<double>(largest.ranks);
    rank_variance = std::max(
        0.0,
        rank_squares / static_cast<double>(spread.rank_degrees) - step_variance / steps_per_rank);
  }
  spread.ranks = std::sqrt(rank_variance);
  spread.steps = std::sqrt(std::max(0.0, step_variance - rank_variance));
  spread.rounds_per_trial = rounds / trials;
  if (spread.round_degrees > 0) {
    spread.rounds = std::sqrt(round_squares / static_cast<double>(spread.round_degrees));
  }
  return spread;
}

std::vector<MeasuredSize> measured_sizes(const ProjectionInput& input) {
  if (input.series.sizes.size() < 2) {
    throw core::Error(core::ErrorCode::kData,
                      fmt::format("a projection needs 2 numbers of ranks, measured: {}; start it "
                                  "with more (mpirun -np 2, dlbench launch)",
                                  input.series.sizes.size()));
  }
  if (input.collectives.empty()) {
    throw core::Error(core::ErrorCode::kData, "a projection needs measured collectives");
  }
  std::vector<MeasuredSize> sizes;
  for (const ScalingSize& size : input.series.sizes) {
    sizes.push_back(measured_size(size, input));
  }
  std::sort(sizes.begin(), sizes.end(), [](const MeasuredSize& left, const MeasuredSize& right) {
    return left.ranks < right.ranks;
  });
  return sizes;
}

}  // namespace dlbench::harness
