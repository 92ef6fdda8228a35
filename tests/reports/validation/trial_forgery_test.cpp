// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The trials of a good report and its operators, falsified in one place each.
#include "tests/reports/validation/forgery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace dlbench::reports {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RateSummary& io_rates(RunRecord& record) { return record.trials[0].throughput->samples_per_second; }

TEST(TrialForgery, StatisticsOfRates) {
  expect_seen({
      {[](RunRecord& r) { io_rates(r).mean = 20.5; }, "samples_per_second.mean: is 20.5"},
      {[](RunRecord& r) { io_rates(r).median = 20.1; }, "samples_per_second.median: is 20.1"},
      {[](RunRecord& r) { io_rates(r).mad = 0.1; }, "samples_per_second.mad: is 0.1"},
      {[](RunRecord& r) { io_rates(r).stddev.reset(); }, "samples_per_second.stddev: "},
      {[](RunRecord& r) {
         io_rates(r).ci95 = IntervalRecord{19.9, 20.1};  // narrower, around the mean all the same
       },
       "samples_per_second.ci95: is 19.9"},
      {[](RunRecord& r) { (*io_rates(r).ci95)[1] = 20.5; }, "samples_per_second.ci95: is 20.5"},
      {[](RunRecord& r) { io_rates(r).ci95.reset(); }, "samples_per_second.ci95: is null"},
      {[](RunRecord& r) { r.trials[0].cpu_s_per_sample = 0.01; }, "cpu_s_per_sample: is 0.01"},
      {[](RunRecord& r) { r.trials[2].per_rank[0].samples_per_second = 9.0; },
       "trials[2].per_rank: samples_per_second times wall_s sum to"},
      {[](RunRecord& r) { r.trials[2].per_rank[0].rank = 1; },
       "trials[2].per_rank: rank 1 is there twice, or not one of 1"},
      {[](RunRecord& r) { r.trials[0].repetitions[0].samples += 1; },
       "trials[0].repetitions[0]: 9 samples do not fit into 4 steps of 2"},
      {[](RunRecord& r) { r.trials[0].repetitions[2].index = 3; },
       "trials[0].repetitions[2].index: is 3, but it is number 2 of its trial"},
  });
}

TEST(TrialForgery, StepTimes) {
  expect_seen({
      {[](RunRecord& r) { r.trials[0].repetitions[1].step_wall_s[2] *= 1.001; },
       "trials[0].repetitions[1].step_wall_s: sums to"},
      {[](RunRecord& r) { r.trials[0].repetitions[1].step_wall_s[2] *= 0.999; },
       "trials[0].repetitions[1].step_wall_s: sums to"},
      {[](RunRecord& r) {
         for (double& step_s : r.trials[1].repetitions[0].step_wall_s) {
           step_s *= 10.0;
         }
       },
       "trials[1].repetitions[0].step_wall_s: sums to"},
      {[](RunRecord& r) { r.trials[1].step_time_s->median *= 1.001; },
       "trials[1].step_time_s.median: is "},
      {[](RunRecord& r) { r.trials[1].step_time_s->p90 *= 1.001; }, "step_time_s.p90: is "},
      {[](RunRecord& r) { r.trials[1].step_time_s->p95 *= 1.001; }, "step_time_s.p95: is "},
      {[](RunRecord& r) { r.trials[1].step_time_s->p99 *= 1.001; }, "step_time_s.p99: is "},
      {[](RunRecord& r) { r.trials[1].step_time_s->min *= 0.9; }, "step_time_s.min: is "},
      {[](RunRecord& r) { r.trials[1].step_time_s->max *= 1.1; }, "step_time_s.max: is "},
      {[](RunRecord& r) { r.trials[1].step_time_s->n = 11; }, "step_time_s.n: is 11"},
      {[](RunRecord& r) { r.trials[1].step_time_s.reset(); }, "step_time_s: is null"},
  });
}

TEST(TrialForgery, ListsThatWereCutShort) {
  expect_seen({
      {[](RunRecord& r) { r.trials[1].repetitions[0].step_wall_s.clear(); },
       "trials[1].repetitions[0].step_wall_s: has 0 times for 4 steps"},
      {[](RunRecord& r) { r.trials[1].repetitions[0].step_loss.clear(); },
       "trials[1].repetitions[0].step_loss: has 0 losses for 4 steps"},
      {[](RunRecord& r) { r.trials[2].repetitions[1].step_loss.pop_back(); },
       "trials[2].repetitions[1].step_loss: has 3 losses for 4 steps"},
      {[](RunRecord& r) {
         r.trials[0].repetitions[0].step_loss = {0.9, 0.8, 0.7, 0.6};
       },
       "trials[0].repetitions[0].step_loss: has 4 losses for 4 steps that compute none"},
      {[](RunRecord& r) { r.trials[2].loader->stages.clear(); },
       "trials[2].loader.stages: is empty, but repetitions count"},
  });
}

TEST(TrialForgery, WarmUp) {
  expect_seen({
      {[](RunRecord& r) { r.trials[0].warmup.steps = 0; },
       "trials[0].warmup.steps: is 0, but there are repetitions"},
      {[](RunRecord& r) { r.trials[0].warmup.steps = 0; },
       "trials[0].warmup.first_step_s: is not null after 0 steps"},
      {[](RunRecord& r) { r.trials[0].warmup.first_step_s.reset(); },
       "trials[0].warmup.first_step_s: is null after 12 steps"},
      {[](RunRecord& r) { r.trials[0].warmup.steps = 10; },
       "trials[0].warmup.steady: is true after 10 steps, too few to tell"},
  });
}

// The slack of what clocks do not agree about is none for a step that is longer than all of them.
TEST(TrialForgery, AStepLongerThanItsRepetition) {
  RunRecord record = sample_record();
  RepetitionRecord& repetition = record.trials[1].repetitions[0];
  repetition.discarded = "disturbed";  // no percentile tells
  repetition.step_wall_s[0] = 20.0 * repetition.wall_s;
  EXPECT_THAT(problems_of(record),
              Contains(HasSubstr("trials[1].repetitions[0].step_wall_s: sums to")));
}

// The host may hear late of the last step, and rank 0 may be done before the others.
TEST(TrialForgery, IsNotWhereClocksDiffer) {
  RunRecord record = sample_record();
  record.trials[1].repetitions[0].step_wall_s[0] += 0.05;
  EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr("step_wall_s"))));
  record = sample_record();
  record.trials[0].ranks = 2;
  for (double& step_s : record.trials[0].repetitions[0].step_wall_s) {
    step_s *= 0.5;
  }
  EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr("step_wall_s"))));
  record = sample_record();
  record.trials[1].phases[0].total_s *= 1.1;  // the device's clock may tell more than the host's
  EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr("total_s sum to"))));
}

// A round is one of its start of the program.
TEST(TrialForgery, IsNoRoundOfAnotherStart) {
  RunRecord record = sample_record();
  record.trials[0].repetitions[1].round = 0;
  EXPECT_THAT(problems_of(record), Contains(HasSubstr("round: 0 counts twice in this trial")));
  record.trials[0].repetitions[1].invocation = 1;
  EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr("counts twice"))));
}

TEST(TrialForgery, AVerdictOfRoundsOfTwoStarts) {
  const auto start_anew = [](RunRecord& record, const std::vector<std::size_t>& trials) {
    for (const std::size_t trial : trials) {
      record.trials[trial].repetitions[1].round = 0;
      record.trials[trial].repetitions[1].invocation = 1;
    }
  };
  EXPECT_THAT(problems_after([&](RunRecord& r) {
                start_anew(r, {0, 1, 2});
              }),
              IsEmpty())
      << "paired as before";
  EXPECT_THAT(problems_after([&](RunRecord& r) { start_anew(r, {2}); }),
              Contains(HasSubstr("contention_bound, but the trials' rates make it unsure")))
      << "a pair fewer";
  EXPECT_THAT(problems_after([&](RunRecord& r) {
                start_anew(r, {0, 1, 2});
                r.attribution->verdict = Verdict::kComputeBound;
              }),
              Contains(HasSubstr("attribution.verdict: is compute_bound, but")));
}

TEST(TrialForgery, FiguresThatNoRatesHave) {
  const auto stand_still = [](TrialRecord& trial) {
    trial.repetitions[1].samples = 0;
    trial.repetitions[1].samples_per_second = 0.0;
  };
  EXPECT_THAT(problems_after([&](RunRecord& r) { stand_still(r.trials[2]); }),
              Contains(HasSubstr("attribution: cannot follow from the trials")));
  EXPECT_THAT(problems_after([&](RunRecord& r) { stand_still(r.trials.back()); }),
              Contains(HasSubstr("trials[3]: cannot follow from the trials")));
}

TEST(TrialForgery, PhasesAndStages) {
  expect_seen({
      {[](RunRecord& r) { r.trials[2].phases[1].total_s *= 2.0; }, "phases[1].s_per_step: is "},
      {[](RunRecord& r) { r.trials[2].phases[1].s_per_step *= 2.0; }, "phases[1].s_per_step: is "},
      {[](RunRecord& r) { r.trials[2].phases[1].calls = 13; },
       "phases[1].calls: is 13, but 12 steps count"},
      {[](RunRecord& r) { r.trials[2].phases[1].share = 0.5; }, "phases[1].share: is 0.5"},
      {[](RunRecord& r) { r.trials[2].phases.push_back(r.trials[2].phases[1]); },
       "trials[2].phases: forward is there twice"},
      {[](RunRecord& r) {
         // Moved along with the rest, but more than the trial took.
         r.trials[2].phases.push_back({"other", 12, 12.0, 1.0, 0.5, "host clock"});
       },
       "trials[2].phases: total_s sum to"},
      {[](RunRecord& r) { r.trials[0].loader->stages[1].share = 0.5; },
       "trials[0].loader.stages[1].share: is 0.5"},
      {[](RunRecord& r) { r.trials[0].loader->stages[1].name = "read"; },
       "trials[0].loader.stages: read is there twice"},
  });
}

TEST(TrialForgery, FlopRates) {
  RunRecord with_peak = sample_record();
  with_peak.trials[1].mfu = 5.0 * 94.0e9 / 2.0e11;
  with_peak.trials[1].mfu_measured = 5.0 * 94.0e9 / 2.0e11;
  EXPECT_THAT(problems_of(with_peak), IsEmpty());
  // On two ranks it is half of it, where both are processors; who else computed is not known.
  with_peak.trials[1].ranks = 2;
  EXPECT_THAT(problems_of(with_peak), Contains(HasSubstr("trials[1].mfu: is ")));
  *with_peak.trials[1].mfu.value *= 0.5;
  *with_peak.trials[1].mfu_measured *= 0.5;
  EXPECT_THAT(problems_of(with_peak), Not(Contains(HasSubstr("trials[1].mfu"))));
  with_peak.workload->backend = "cuda";
  with_peak.trials[1].mfu = 0.9;
  EXPECT_THAT(problems_of(with_peak), Not(Contains(HasSubstr("trials[1].mfu"))));
  RunRecord other_precision = sample_record();
  other_precision.trials[1].mfu = 0.5;
  other_precision.scaling[1].options["precision"] = "bf16";
  EXPECT_THAT(problems_of(other_precision), Not(Contains(HasSubstr("trials[1].mfu"))));
  expect_seen({
      {[](RunRecord& r) { r.trials[1].achieved_flop_per_s = 1e12; },
       "trials[1].achieved_flop_per_s: is 1000000000000"},
      {[](RunRecord& r) { r.trials[0].achieved_flop_per_s = 1e12; },
       "trials[0].achieved_flop_per_s: is not null, but this trial does not compute"},
      {[](RunRecord& r) { r.trials[1].mfu = 0.5; },
       "trials[1].mfu: is 0.5, but achieved_flop_per_s / peak is 2.35"},
      {[](RunRecord& r) { r.trials[1].mfu_measured = 0.5; }, "trials[1].mfu_measured: is 0.5"},
      {[](RunRecord& r) {
         r.trials[1].mfu = 0.5;
         r.system.peaks.clear();
       },
       "trials[1].mfu: is of no peak"},
      {[](RunRecord& r) {  // of GPUs whose kinds are not in the report
         r.workload->backend = "cuda";
         r.trials[1].ranks = 2;
         r.trials[1].mfu = 0.5;
         r.system.peaks.clear();
       },
       "trials[1].mfu: is of no peak"},
      {[](RunRecord& r) {
         r.trials[1].series = "weak";
         r.trials[1].mfu = 0.5;
       },
       "trials[1].mfu: is 0.5, but achieved_flop_per_s / peak is 2.35"},
      {[](RunRecord& r) { r.workload->training_flop_per_sample.reset(); },
       "trials[1].achieved_flop_per_s: is not null, but workload.training_flop_per_sample is"},
      {[](RunRecord& r) { r.workload->training_flop_per_sample = 1.0e9; },
       "trials[1].achieved_flop_per_s: is "},
  });
}

TEST(TrialForgery, LossScaling) {
  const auto scaling = [](RunRecord & record) -> auto& {
    return record.trials[1].repetitions[0].loss_scaling;
  };
  expect_seen({
      {[=](RunRecord& r) { scaling(r).reset(); },
       "trials[1].repetitions[0].loss_scaling: is null, but fp16"},
      {[=](RunRecord& r) { scaling(r)->loss_scale = 0.0; }, "loss_scaling.loss_scale: is 0, but"},
      {[=](RunRecord& r) { scaling(r)->loss_scale = 1000.0; },
       "loss_scaling.loss_scale: is 1000, but a power of two"},
      {[=](RunRecord& r) { scaling(r)->skipped_steps = -1; }, "loss_scaling.skipped_steps: is -1"},
      {[](RunRecord& r) {
         r.trials[0].repetitions[0].loss_scaling = LossScalingRecord{65536.0, 0};
       },
       "trials[0].repetitions[0].loss_scaling: is not null, but nothing trains"},
      {[](RunRecord& r) { r.workload->precision = "fp32"; },
       "trials[1].repetitions[0].loss_scaling: is not null, but nothing trains in fp16"},
      {[](RunRecord& r) { r.history[1].loss_scaling.reset(); },
       "history[1].loss_scaling: is null, but fp16"},
      {[](RunRecord& r) { r.history[0].loss_scaling->loss_scale = 3.0; },
       "history[0].loss_scaling.loss_scale: is 3"},
      {[](RunRecord& r) { r.workload->precision = "fp32"; },
       "history[0].loss_scaling: is not null"},
  });
}

TEST(TrialForgery, Operators) {
  expect_seen({
      {[](RunRecord& r) { r.operators[0].share = 0.9; }, "operators[0].share: is 0.9"},
      {[](RunRecord& r) { r.operators[0].calls = 0; }, "operators[0].calls: is 0, but it has"},
      {[](RunRecord& r) { r.operators[1].calls = 24; },
       "operators[1].calls: is 24, but that of c1.conv1 is 12"},
      {[](RunRecord& r) { r.operators[0].s_per_step = 0.02; }, "operators[0].flop_per_s: is "},
      {[](RunRecord& r) { r.operators[0].flop_per_s = 2.0e11; }, "operators[0].flop_per_s: is "},
      {[](RunRecord& r) { r.operators[0].bytes_per_s = 4.0e9; }, "operators[0].bytes_per_s: is "},
      {[](RunRecord& r) { r.operators[0].flop.reset(); }, "flop_per_s: is a rate of unknown work"},
      {[](RunRecord& r) { r.operators[0].bound = Bound::kMemory; },
       "operators[0].bound: is memory, but rates and peaks make it compute"},
      {[](RunRecord& r) { r.operators[1].bound = Bound::kMemory; },
       "operators[1].bound: is known without peaks or rates"},
  });
}

}  // namespace
}  // namespace dlbench::reports
