// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// check_arithmetic of validate.h: the relations between numbers that a schema cannot express.
#include "reports/arithmetic_internal.h"
#include "reports/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace dlbench::reports {
namespace {

template <typename Part>
void check_shares(const Checker& check, const std::vector<Part>& parts) {
  if (parts.empty()) {
    return;
  }
  const double sum =
      std::accumulate(parts.begin(), parts.end(), 0.0, [](double so_far, const Part& part) {
        return so_far + part.share;
      });
  check.expect(std::abs(sum - 1.0) <= kShareTolerance, fmt::format("shares sum to {}, not 1", sum));
}

void check_repetition(const Checker& check,
                      const RepetitionRecord& repetition,
                      const TrialRecord& trial) {
  if (repetition.wall_s > 0.0) {
    check.at("samples_per_second")
        .expect_close(repetition.samples_per_second,
                      static_cast<double>(repetition.samples) / repetition.wall_s,
                      "samples / wall_s");
  } else {
    check.expect(repetition.samples == 0, "processed samples in no time");
  }
  check.expect(repetition.samples <= repetition.steps * trial.global_batch_size,
               fmt::format("{} samples do not fit into {} steps of {}",
                           repetition.samples,
                           repetition.steps,
                           trial.global_batch_size));
  const auto steps = static_cast<std::size_t>(repetition.steps);
  check.at("step_wall_s")
      .expect(repetition.step_wall_s.empty() || repetition.step_wall_s.size() == steps,
              fmt::format("has {} times for {} steps", repetition.step_wall_s.size(), steps));
  check.at("step_loss")
      .expect(repetition.step_loss.size() <= steps,
              fmt::format("has {} losses for {} steps", repetition.step_loss.size(), steps));
}

void check_rates(const Checker& check, const RateSummary& rates, std::span<const double> counted) {
  check.at("n").expect(rates.n == static_cast<std::int64_t>(counted.size()),
                       fmt::format("is {}, but {} repetitions count", rates.n, counted.size()));
  if (counted.empty()) {
    return;
  }
  const auto [low, high] = std::minmax_element(counted.begin(), counted.end());
  const double slack = kTolerance * *high;
  check.at("mean").expect(
      *low - slack <= rates.mean && rates.mean <= *high + slack,
      fmt::format("{} is outside the repetitions, {} to {}", rates.mean, *low, *high));
  check.at("median").expect(
      *low - slack <= rates.median && rates.median <= *high + slack,
      fmt::format("{} is outside the repetitions, {} to {}", rates.median, *low, *high));
  const auto count = static_cast<double>(counted.size());
  const double mean = std::accumulate(counted.begin(), counted.end(), 0.0) / count;
  check.at("mean").expect_close(rates.mean, mean, "the mean of the repetitions");
  if (rates.stddev.has_value() && counted.size() > 1) {
    double squares = 0.0;
    for (const double rate : counted) {
      squares += (rate - mean) * (rate - mean);
    }
    const double stddev = std::sqrt(squares / (count - 1.0));
    check.at("stddev").expect(
        std::abs(*rates.stddev - stddev) <= kTolerance * mean,
        fmt::format("is {}, but of the repetitions it is {}", *rates.stddev, stddev));
  }
  check.at("ci95").expect_inside(rates.mean, rates.ci95);
  check.at("ci95").expect(!rates.ci95.has_value() || rates.n >= 2,
                          "is not null with one repetition");
}

std::vector<double> check_repetitions(const Checker& check, const TrialRecord& trial) {
  std::vector<double> counted;
  std::set<std::pair<std::int64_t, std::int64_t>> rounds;
  for (std::size_t index = 0; index < trial.repetitions.size(); ++index) {
    const RepetitionRecord& repetition = trial.repetitions[index];
    const Checker below = check.at("repetitions", index);
    check_repetition(below, repetition, trial);
    if (!repetition.discarded.has_value()) {
      counted.push_back(repetition.samples_per_second);
      below.at("round").expect(rounds.insert({repetition.invocation, repetition.round}).second,
                               fmt::format("{} counts twice in this trial", repetition.round));
    }
  }
  return counted;
}

void check_trial(const Checker& check, const TrialRecord& trial) {
  const std::int64_t capacity = trial.ranks * trial.batch_size_per_rank;
  check.at("global_batch_size")
      .expect(trial.global_batch_size <= capacity,
              fmt::format("{} is more than {} ranks of {}",
                          trial.global_batch_size,
                          trial.ranks,
                          trial.batch_size_per_rank));
  const std::vector<double> counted = check_repetitions(check, trial);
  if (trial.throughput.has_value()) {
    check_rates(
        check.at("throughput.samples_per_second"), trial.throughput->samples_per_second, counted);
  } else {
    check.at("throughput").expect(counted.empty(), "is null although repetitions count");
  }
  check_step_times(check.at("step_time_s"), trial.step_time_s);
  check_shares(check.at("phases"), trial.phases);
  if (trial.loader.has_value()) {
    const Checker loader = check.at("loader");
    check_shares(loader.at("stages"), trial.loader->stages);
    loader.expect_reason("bytes_from_device", trial.loader->bytes_from_device);
    loader.at("skipped_samples")
        .expect(static_cast<std::int64_t>(trial.loader->skipped_samples.size()) <=
                    trial.loader->skipped,
                "lists more samples than were skipped");
  }
  check.expect_reason("achieved_flop_per_s", trial.achieved_flop_per_s);
  check.expect_reason("mfu", trial.mfu);
  check.expect_reason("harness_overhead_s_per_step", trial.harness_overhead_s_per_step);
}

void check_run(const Checker& check, const RunInfoRecord& run) {
  if (run.status == RunStatus::kComplete) {
    check.expect(run.finished_at.has_value(), "is complete but has no finished_at");
    check.expect(run.exit_code.has_value(), "is complete but has no exit_code");
    check.expect(!run.failure.has_value(), "is complete but has a failure");
  }
  check.expect(run.status != RunStatus::kFailed || run.failure.has_value(),
               "has failed but does not say where: failure is null");
}

void check_attribution(const Checker& check, const RunRecord& record) {
  const std::optional<AttributionRecord>& attribution = record.attribution;
  if (!attribution.has_value()) {
    return;
  }
  if (attribution->margin.has_value()) {
    check.at("margin_ci95").expect_inside(*attribution->margin, attribution->margin_ci95);
  }
  for (std::size_t index = 0; index < attribution->components.size(); ++index) {
    const ComponentRecord& part = attribution->components[index];
    check.at("components", index).expect_inside(part.share, part.ci95);
  }
  for (const TrialRecord& trial : record.trials) {
    if (trial.kind == TrialKind::kFull && trial.throughput.has_value() &&
        attribution->overlap_efficiency.has_value() &&
        attribution->predicted_full_samples_per_second.has_value()) {
      check.at("overlap_efficiency")
          .expect_close(*attribution->overlap_efficiency,
                        trial.throughput->samples_per_second.mean /
                            *attribution->predicted_full_samples_per_second,
                        "full / predicted_full_samples_per_second");
    }
  }
}

void check_rest(const Checker& check, const RunRecord& record) {
  double operator_share = 0.0;
  for (const OperatorRecord& op : record.operators) {
    operator_share += op.share;
  }
  check.at("operators")
      .expect(operator_share <= 1.0 + kShareTolerance,
              fmt::format("shares sum to {}, above 1", operator_share));
  if (record.job.has_value() && record.job->cpu_efficiency.has_value() &&
      record.job->cpu_time_s.has_value() && record.job->cores.has_value() &&
      record.job->wall_s > 0.0) {
    check.at("job.cpu_efficiency")
        .expect_close(*record.job->cpu_efficiency,
                      *record.job->cpu_time_s /
                          (record.job->wall_s * static_cast<double>(*record.job->cores)),
                      "cpu_time_s / (wall_s cores)");
  }
  for (std::size_t index = 1; index < record.history.size(); ++index) {
    check.at("history", index)
        .expect(record.history[index].epoch > record.history[index - 1].epoch,
                "epochs do not ascend");
  }
}

}  // namespace

std::vector<Problem> check_arithmetic(const RunRecord& record) {
  std::vector<Problem> problems;
  const Checker root(problems, "");
  check_run(root.at("run"), record.run);
  std::set<std::tuple<TrialKind, std::string, std::int64_t, std::string>> arms;
  for (std::size_t index = 0; index < record.trials.size(); ++index) {
    const TrialRecord& trial = record.trials[index];
    const Checker below = root.at("trials", index);
    check_trial(below, trial);
    below.expect(
        arms.insert(
                {trial.kind, trial.variant.value_or(""), trial.ranks, trial.series.value_or("")})
            .second,
        "is there twice: same kind, variant, ranks and series");
  }
  check_attribution(root.at("attribution"), record);
  if (record.workload.has_value()) {
    root.at("workload.memory")
        .expect_reason("measured_rss_bytes", record.workload->memory.measured_rss_bytes);
  }
  for (std::size_t index = 0; index < record.scaling.size(); ++index) {
    check_scaling(root.at("scaling", index), record.scaling[index]);
  }
  for (std::size_t index = 0; index < record.collectives.size(); ++index) {
    check_collective(root.at("collectives", index), record.collectives[index]);
  }
  check_rest(root, record);
  return problems;
}

}  // namespace dlbench::reports
