// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks the relations between the numbers of one trial: repetitions against summaries.
#include "reports/naming.h"
#include "reports/peak_rates.h"
#include "reports/statistics_records.h"
#include "reports/validation/arithmetic_internal.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace dlbench::reports {
namespace {

void check_step_sum(const Checker& check,
                    const RepetitionRecord& repetition,
                    const TrialRecord& trial) {
  const std::vector<double>& steps = repetition.step_wall_s;
  if (steps.empty()) {
    return;
  }
  const double sum_s = std::accumulate(steps.begin(), steps.end(), 0.0);
  const double slack_s = step_sum_slack_s(trial, repetition);
  // Steps are rank 0's, wall_s is the slowest rank's: with others, rank 0 may finish earlier.
  const bool long_enough = trial.ranks > 1 || sum_s >= repetition.wall_s - slack_s;
  check.at("step_wall_s")
      .expect(long_enough && sum_s <= repetition.wall_s + slack_s,
              fmt::format("sums to {}, but wall_s is {}", sum_s, repetition.wall_s));
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
  check.expect(repetition.samples <= product_of(repetition.steps, trial.global_batch_size),
               fmt::format("{} samples do not fit into {} steps of {}",
                           repetition.samples,
                           repetition.steps,
                           trial.global_batch_size));
  const auto steps = static_cast<std::size_t>(repetition.steps);
  const std::size_t timed = repetition.step_wall_s.size();
  check.at("step_wall_s")
      .expect(timed == steps, fmt::format("has {} times for {} steps", timed, steps));
  const std::size_t lost = repetition.step_loss.size();
  check.at("step_loss")
      .expect(lost == (trial.trains() ? steps : 0),
              fmt::format("has {} losses for {} steps{}",
                          lost,
                          steps,
                          trial.trains() ? "" : " that compute none"));
  if (timed == steps) {
    check_step_sum(check, repetition, trial);
  }
}

/// Checks that a timed trial was warmed up by at least one step, and a steady one by two windows of
/// five steps after it.
void check_warm_up(const Checker& check, const TrialRecord& trial) {
  constexpr std::int64_t kMinSteady = 11;
  const WarmupRecord& warmup = trial.warmup;
  check.at("steps").expect(warmup.steps > 0 || trial.repetitions.empty(),
                           "is 0, but there are repetitions");
  check.at("first_step_s")
      .expect(warmup.first_step_s.has_value() == (warmup.steps > 0),
              fmt::format("is {}null after {}",
                          warmup.first_step_s.has_value() ? "not " : "",
                          count_text(warmup.steps, "step")));
  check.at("steady").expect(
      !warmup.steady || warmup.steps >= kMinSteady,
      fmt::format("is true after {}, too few to tell", count_text(warmup.steps, "step")));
}

/// Checks that no complete run has a loss that is not finite, which would have ended it.
void check_losses(const Checker& check, const RepetitionRecord& repetition, RunStatus status) {
  const bool finite =
      std::ranges::all_of(repetition.step_loss, [](double loss) { return std::isfinite(loss); });
  check.at("step_loss")
      .expect(finite || status != RunStatus::kComplete,
              "has one that is not finite, which ends a run");
}

/// Whether all trials compute in the workload's precision: a variant of a sweep may set its own.
bool of_one_precision(const RunRecord& record) {
  return std::ranges::none_of(record.scaling, [](const ScalingRecord& series) {
    return series.options.contains("precision");
  });
}

void check_repetitions(const Checker& check, const TrialRecord& trial, const RunRecord& record) {
  const bool told = record.workload.has_value() && of_one_precision(record);
  std::set<std::pair<std::int64_t, std::int64_t>> rounds;
  for (std::size_t index = 0; index < trial.repetitions.size(); ++index) {
    const RepetitionRecord& repetition = trial.repetitions[index];
    const Checker below = check.at("repetitions", index);
    check_repetition(below, repetition, trial);
    check_losses(below, repetition, record.run.status);
    if (told) {
      check_loss_scaling(below.at("loss_scaling"),
                         repetition.loss_scaling,
                         trial.trains() && record.workload->precision == "fp16");
    }
    below.at("index").expect(
        repetition.index == static_cast<std::int64_t>(index),
        fmt::format("is {}, but it is number {} of its trial", repetition.index, index));
    if (!repetition.discarded.has_value()) {
      below.at("round").expect(rounds.insert({repetition.invocation, repetition.round}).second,
                               fmt::format("{} counts twice in this trial", repetition.round));
    }
  }
}

/// Sums over the repetitions that count.
struct Counted {
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double wall_s = 0.0;
  double cpu_s = 0.0;
  std::int64_t samples_with_cpu_s = 0;
  std::vector<double> step_wall_s;
  bool all_steps_timed = true;
};

Counted counted_of(const TrialRecord& trial) {
  Counted sum;
  for (const RepetitionRecord& repetition : trial.repetitions) {
    if (repetition.discarded.has_value()) {
      continue;
    }
    sum.steps = sum_of(sum.steps, repetition.steps);
    sum.samples = sum_of(sum.samples, repetition.samples);
    sum.wall_s += repetition.wall_s;
    if (repetition.cpu_s.has_value()) {
      sum.cpu_s += *repetition.cpu_s;
      sum.samples_with_cpu_s = sum_of(sum.samples_with_cpu_s, repetition.samples);
    }
    const std::vector<double>& steps = repetition.step_wall_s;
    sum.step_wall_s.insert(sum.step_wall_s.end(), steps.begin(), steps.end());
    sum.all_steps_timed =
        sum.all_steps_timed && static_cast<std::int64_t>(steps.size()) == repetition.steps;
  }
  return sum;
}

/// If the report has the time of every step, the percentiles follow from them.
void check_percentiles(const Checker& check, const TrialRecord& trial, const Counted& counted) {
  if (!counted.all_steps_timed || counted.step_wall_s.empty()) {
    return;
  }
  if (!trial.step_time_s.has_value()) {
    check.expect(false, "is null although the steps were timed");
    return;
  }
  const StepTimeRecord& written = *trial.step_time_s;
  const StepTimeRecord wanted = *step_time_record(counted.step_wall_s);
  check.at("n").expect(written.n == wanted.n,
                       fmt::format("is {}, but {} steps count", written.n, wanted.n));
  const char* const meaning = "of the steps that count it";
  check.at("median").expect_close(written.median, wanted.median, meaning);
  check.at("p90").expect_close(written.p90, wanted.p90, meaning);
  check.at("p95").expect_close(written.p95, wanted.p95, meaning);
  check.at("p99").expect_close(written.p99, wanted.p99, meaning);
  check.at("min").expect_close(written.min, wanted.min, meaning);
  check.at("max").expect_close(written.max, wanted.max, meaning);
}

/// Phases are shares of the trial's wall time, or of the sum of the named phases if that is larger:
/// the clocks of device and host may differ.
void check_phases(const Checker& check, const TrialRecord& trial, const Counted& counted) {
  const std::vector<PhaseRecord>& phases = trial.phases;
  double whole_s = 0.0;
  double claimed_s = 0.0;
  for (const PhaseRecord& phase : phases) {
    whole_s += phase.total_s;
    claimed_s += phase.name == "other" ? 0.0 : phase.total_s;
  }
  check_names(check.at("phases"), phases);
  for (std::size_t index = 0; index < phases.size(); ++index) {
    const PhaseRecord& phase = phases[index];
    const Checker below = check.at("phases", index);
    below.at("calls").expect(phase.calls == counted.steps,
                             fmt::format("is {}, but {} steps count", phase.calls, counted.steps));
    if (phase.calls > 0) {
      below.at("s_per_step")
          .expect_close(phase.s_per_step,
                        phase.total_s / static_cast<double>(phase.calls),
                        "total_s / calls");
    }
    if (whole_s > 0.0) {
      below.at("share").expect_close(
          phase.share, phase.total_s / whole_s, "total_s / that of all phases");
    }
  }
  if (phases.empty()) {
    check.at("phases").expect(counted.steps == 0,
                              fmt::format("is empty, but {} steps count", counted.steps));
  } else {
    // Phases are rank 0's; in older reports the rest refers to the slowest rank's time.
    const double own_s = trial.per_rank.empty()
                             ? counted.wall_s
                             : trial.per_rank.front().wall_s.value_or(counted.wall_s);
    check.at("phases").expect(
        close(whole_s, std::max(claimed_s, own_s)) ||
            close(whole_s, std::max(claimed_s, counted.wall_s)),
        fmt::format("total_s sum to {}, but the repetitions took {}", whole_s, counted.wall_s));
  }
}

void check_loader(const Checker& check, const LoaderRecord& loader) {
  check_names(check.at("stages"), loader.stages);
  const double whole_s = std::accumulate(
      loader.stages.begin(), loader.stages.end(), 0.0, [](double sum, const StageRecord& stage) {
        return sum + stage.s_per_sample;
      });
  for (std::size_t index = 0; whole_s > 0.0 && index < loader.stages.size(); ++index) {
    const StageRecord& stage = loader.stages[index];
    check.at("stages", index)
        .at("share")
        .expect_close(stage.share, stage.s_per_sample / whole_s, "s_per_sample / that of all");
  }
  check.expect_reason("bytes_from_device", loader.bytes_from_device);
  check.at("skipped_samples")
      .expect(static_cast<std::int64_t>(loader.skipped_samples.size()) <= loader.skipped,
              "lists more samples than were skipped");
  check.at("skipped_samples")
      .expect(loader.skipped == 0 || !loader.skipped_samples.empty(),
              fmt::format("lists none of the {} that were skipped", loader.skipped));
}

/// Checks that no more batches wait than the queue holds.
void check_queue(const Checker& check,
                 const std::vector<RepetitionRecord>& repetitions,
                 std::int64_t prefetch) {
  for (std::size_t index = 0; index < repetitions.size(); ++index) {
    const std::optional<QueueFillRecord>& fill = repetitions[index].queue_fill;
    check.at("repetitions", index)
        .at("queue_fill")
        .expect(!fill.has_value() || (fill->start <= prefetch && fill->end <= prefetch),
                fmt::format("has more batches than the {} of loader.prefetch", prefetch));
  }
}

/// Returns how many devices like rank 0's the peak covers: nothing if the others' are not in the
/// report. Processors are alike, or no share of peak is claimed.
std::optional<double> devices_of(const TrialRecord& trial, const WorkloadRecord& workload) {
  return trial.ranks == 1 || workload.backend == "cpu"
             ? std::optional(static_cast<double>(trial.ranks))
             : std::nullopt;
}

void check_share_of_peak(const Checker& check,
                         const std::optional<double>& share,
                         double achieved,
                         const std::optional<double>& peak,
                         const std::optional<double>& devices) {
  check.expect(!share.has_value() || peak.has_value(),
               "is of no peak: system.peaks has none of this precision");
  if (share.has_value() && devices.has_value() && peak.has_value() && *peak > 0.0) {
    check.expect_close(*share, achieved / (*peak * *devices), "achieved_flop_per_s / peak");
  }
}

/// Trials of a series have their own batches, and therefore other FLOP per sample than the one in
/// the report.
void check_flop_rates(const Checker& check, const TrialRecord& trial, const RunRecord& record) {
  check.expect_reason("achieved_flop_per_s", trial.achieved_flop_per_s);
  check.expect_reason("mfu", trial.mfu);
  const std::optional<double>& achieved = trial.achieved_flop_per_s.value;
  check.at("achieved_flop_per_s")
      .expect(!achieved.has_value() || (trial.trains() && trial.throughput.has_value()),
              "is not null, but this trial does not compute");
  for (const auto& [key, share] :
       {std::pair("mfu", trial.mfu.value), std::pair("mfu_measured", trial.mfu_measured)}) {
    check.at(key).expect(achieved.has_value() || !share.has_value(),
                         "is not null, but achieved_flop_per_s is");
  }
  if (!achieved.has_value() || !trial.throughput.has_value() || !record.workload.has_value()) {
    return;
  }
  const WorkloadRecord& workload = *record.workload;
  check.at("achieved_flop_per_s")
      .expect(workload.training_flop_per_sample.has_value(),
              "is not null, but workload.training_flop_per_sample is");
  if (workload.training_flop_per_sample.has_value() && !trial.series.has_value()) {
    check.at("achieved_flop_per_s")
        .expect_close(
            *achieved,
            trial.throughput->samples_per_second.mean * *workload.training_flop_per_sample,
            "mean throughput times workload.training_flop_per_sample");
  }
  if (!of_one_precision(record)) {
    return;
  }
  const std::vector<PeakRecord>& peaks = record.system.peaks;
  const std::optional<double> devices = devices_of(trial, workload);
  check_share_of_peak(check.at("mfu"),
                      trial.mfu.value,
                      *achieved,
                      mfu_flop_per_s(peaks, workload.precision),
                      devices);
  check_share_of_peak(check.at("mfu_measured"),
                      trial.mfu_measured,
                      *achieved,
                      measured_flop_per_s(peaks, workload.precision),
                      devices);
}

RankSums sums_of(const Counted& counted) {
  return {
      counted.samples,
      counted.wall_s,
      counted.samples_with_cpu_s == counted.samples ? std::optional(counted.cpu_s) : std::nullopt};
}

/// The loader's record appears with the first repetition that counts; a step alone has none.
void check_loads(const Checker& check, const TrialRecord& trial, bool counts) {
  const bool loads = trial.kind != TrialKind::kSynthetic;
  check.expect(!trial.loader.has_value() || loads, "is not null, but this trial has no loader");
  check.expect(trial.loader.has_value() || !loads || !counts,
               "is null, but repetitions of this trial, which loads, count");
  check.at("stages").expect(!trial.loader.has_value() || !trial.loader->stages.empty() || !counts,
                            "is empty, but repetitions count for which something was loaded");
}

void check_batch(const Checker& check, const TrialRecord& trial) {
  const std::int64_t capacity = product_of(trial.ranks, trial.batch_size_per_rank);
  check.at("global_batch_size")
      .expect(trial.global_batch_size <= capacity,
              fmt::format("{} is more than {} ranks of {}",
                          trial.global_batch_size,
                          trial.ranks,
                          trial.batch_size_per_rank));
  check.at("batch_size_per_rank")
      .expect(trial.global_batch_size >
                  product_of(trial.ranks, std::max<std::int64_t>(0, trial.batch_size_per_rank - 1)),
              fmt::format("is {}, more than {} over {} need",
                          trial.batch_size_per_rank,
                          count_text(trial.global_batch_size, "sample"),
                          count_text(trial.ranks, "rank")));
}

}  // namespace

/// Trials of the loader alone are timed step by step on the host's clock without gaps: their times
/// sum to wall_s. Steps that compute are timed on their stream's clock, except the first, while
/// wall_s ends when the host learns of the last one. So the sum and wall_s differ by how late it
/// learns of the first and the last step, of which two may be in flight: microseconds on a quiet
/// machine, but the host may lose its processor to others' time slices just then.
double step_sum_slack_s(const TrialRecord& trial, const RepetitionRecord& repetition) {
  constexpr double kStepsOnTheirWay = 3.0;
  constexpr double kTimeSlicesS = 0.5;
  if (!trial.trains()) {
    return kTolerance * repetition.wall_s;
  }
  const double longest_s =
      *std::max_element(repetition.step_wall_s.begin(), repetition.step_wall_s.end());
  return kStepsOnTheirWay * std::min(longest_s, repetition.wall_s) + kTimeSlicesS;
}

bool usable(const std::vector<RoundRate>& rates) {
  constexpr double kSlowest = 1e-100;
  constexpr double kFastest = 1e100;
  std::set<std::int64_t> rounds;
  return std::all_of(rates.begin(), rates.end(), [&rounds](const RoundRate& rate) {
    return kSlowest < rate.rate && rate.rate < kFastest && rounds.insert(rate.round).second;
  });
}

void check_rates(const Checker& check, const RateSummary& written, std::span<const double> rates) {
  check.at("n").expect(written.n == static_cast<std::int64_t>(rates.size()),
                       fmt::format("is {}, but {} repetitions count", written.n, rates.size()));
  const std::optional<RateSummary> wanted = rate_summary(rates);
  if (!wanted.has_value()) {
    return;
  }
  const char* const meaning = "of the repetitions it";
  check.at("mean").expect_close(written.mean, wanted->mean, "the mean of the repetitions");
  check.at("median").expect_close(written.median, wanted->median, meaning);
  check.at("mad").expect_near(written.mad, wanted->mad, wanted->mean, meaning);
  check.at("stddev").expect(written.stddev.has_value() == wanted->stddev.has_value(),
                            fmt::format("of {} repetitions", rates.size()));
  if (written.stddev.has_value() && wanted->stddev.has_value()) {
    check.at("stddev").expect_near(*written.stddev, *wanted->stddev, wanted->mean, meaning);
  }
  double scale = wanted->mean;
  if (wanted->ci95.has_value()) {
    scale = std::max({scale, std::abs((*wanted->ci95)[0]), std::abs((*wanted->ci95)[1])});
  }
  check.at("ci95").expect_interval(written.ci95, wanted->ci95, scale, meaning);
}

void check_step_times(const Checker& check, const std::optional<StepTimeRecord>& times) {
  if (times.has_value()) {
    const bool ascending = times->min <= times->median && times->median <= times->p90 &&
                           times->p90 <= times->p95 && times->p95 <= times->p99 &&
                           times->p99 <= times->max;
    check.expect(ascending, "min, median, p90, p95, p99, max do not ascend");
  }
}

// Untimed steps of a repetition may be skipped too, so skipped steps may exceed its steps.
void check_loss_scaling(const Checker& check,
                        const std::optional<LossScalingRecord>& scaling,
                        bool trains_in_fp16) {
  check.expect(scaling.has_value() == trains_in_fp16,
               trains_in_fp16 ? "is null, but fp16 trains with a loss scale"
                              : "is not null, but nothing trains in fp16");
  if (!scaling.has_value()) {
    return;
  }
  int exponent = 0;
  check.at("loss_scale")
      .expect(std::frexp(scaling->loss_scale, &exponent) == 0.5,
              fmt::format("is {}, but a power of two is doubled and halved", scaling->loss_scale));
  check.at("skipped_steps")
      .expect(scaling->skipped_steps >= 0, fmt::format("is {}", scaling->skipped_steps));
}

void check_trial(const Checker& check, const TrialRecord& trial, const RunRecord& record) {
  check_batch(check, trial);
  check_warm_up(check.at("warmup"), trial);
  check_repetitions(check, trial, record);
  const std::vector<double> rates = counted_rates(trial.repetitions);
  if (trial.throughput.has_value()) {
    check_rates(
        check.at("throughput.samples_per_second"), trial.throughput->samples_per_second, rates);
  } else {
    check.at("throughput").expect(rates.empty(), "is null although repetitions count");
  }
  const Counted counted = counted_of(trial);
  check_step_times(check.at("step_time_s"), trial.step_time_s);
  check_percentiles(check.at("step_time_s"), trial, counted);
  check_phases(check, trial, counted);
  check_rank_sums(check.at("per_rank"), trial, sums_of(counted));
  check_loads(check.at("loader"), trial, !rates.empty());
  if (trial.loader.has_value()) {
    check_loader(check.at("loader"), *trial.loader);
    check_queue(check, trial.repetitions, trial.loader->prefetch);
  }
  check_flop_rates(check, trial, record);
  check.at("replayed")
      .expect(!trial.replayed.has_value() || trial.trains(),
              "is not null, but its steps are not the network's");
  check.expect_reason("harness_overhead_s_per_step", trial.harness_overhead_s_per_step);
  if (trial.cpu_s_per_sample.has_value() && counted.samples_with_cpu_s > 0) {
    check.at("cpu_s_per_sample")
        .expect_close(*trial.cpu_s_per_sample,
                      counted.cpu_s / static_cast<double>(counted.samples_with_cpu_s),
                      "cpu_s / samples of the repetitions that count");
  }
}

}  // namespace dlbench::reports
