// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Scaling series of a good report, falsified in one place each: validation names the place.
#include "reports/interval.h"
#include "tests/reports/validation/forgery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dlbench::reports {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

ScalingPointRecord& on_two_ranks(RunRecord& record) { return record.scaling[0].points[1]; }

TEST(ScalingForgery, OfAPointAgainstItsTrials) {
  expect_seen({
      {[](RunRecord& r) { r.scaling[0].points[0].trials[3].samples = 23; },
       "scaling[0].points[0].trials[3].samples: is 23, but the repetitions have 24"},
      {[](RunRecord& r) { r.scaling[0].points[0].trials[3].steps = 13; },
       "scaling[0].points[0].trials[3].steps: is 13, but the repetitions have 12"},
      {[](RunRecord& r) { r.trials[6].repetitions[0].discarded = "disturbed"; },
       "scaling[0].points[0].trials[3].samples_per_second.n: is 3"},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].speedup->mean = 1.81; },
       "points[1].trials[3].speedup: is 1.81, but of the rounds of both sizes it is 1.8"},
      {[](RunRecord& r) { (*on_two_ranks(r).trials[3].efficiency->ci95)[0] = 0.89; },
       "points[1].trials[3].efficiency.ci95: is 0.89"},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].efficiency.reset(); },
       "points[1].trials[3].efficiency: is null although the baseline has this trial"},
      {[](RunRecord& r) { r.scaling[0].points[0].trials[3].speedup->mean = 1.1; },
       "points[0].trials[3].speedup: is 1.1"},
      {[](RunRecord& r) { r.scaling[0].baseline_ranks = 3; },
       "scaling[0].baseline_ranks: is 3, but the smallest number of ranks is 1"},
      {[](RunRecord& r) { r.trials.erase(r.trials.begin() + 10); },
       "points[1].trials[3]: has no repetitions: trials[] lacks full of this series on 2 ranks"},
      {[](RunRecord& r) { r.trials.resize(3); }, "points[0].trials[0]: has no repetitions"},
      {[](RunRecord& r) { on_two_ranks(r).trials.erase(on_two_ranks(r).trials.begin()); },
       "points[1].trials: lack io, which was measured"},
      {[](RunRecord& r) { r.scaling[0].points.pop_back(); },
       "trials[11].series: is 'weak', of which scaling[] has no point of 4 ranks"},
  });
}

TEST(ScalingForgery, SeriesAndWhatIsConcludedFromThem) {
  expect_seen({
      {[](RunRecord& r) { r.scaling.push_back(r.scaling[0]); },
       "scaling[2]: is there twice: same mode, sweep and variant"},
      {[](RunRecord& r) {
         r.config.effective["mode"] = "weak,strong";
         r.scaling.pop_back();
       },
       "scaling: has no strong series, which the option mode asks for"},
      {[](RunRecord& r) {
         r.config.effective["mode"] = "weak";
         r.scaling.clear();
       },
       "scaling: has no weak series, which the option mode asks for"},
      {[](RunRecord& r) { r.scaling[0].projection[1] = r.scaling[0].projection[0]; },
       "scaling[0].projection[1].ranks: ranks do not ascend"},
      {[](RunRecord& r) { r.scaling[0].leave_largest_out->ranks = 7; },
       "leave_largest_out.ranks: is 7, but the largest measured number of ranks is 4"},
      {[](RunRecord& r) { r.scaling[0].fit->overhead_s = 1.0; },
       "scaling[0].fit.overhead_s: 1 is outside its interval"},
      {[](RunRecord& r) {
         r.scaling[0].fit->alpha_s_ci95 = IntervalRecord{1.0, 0.0};
       },
       "scaling[0].fit.alpha_s: interval [1, 0] is upside down"},
      {[](RunRecord& r) { r.scaling[0].fit->inside->beta_s_per_byte = 1.0; },
       "scaling[0].fit.inside.beta_s_per_byte: 1 is outside its interval"},
      {[](RunRecord& r) {
         r.scaling[0].buckets->caps[1].measured_step_time_s->ci95 = IntervalRecord{0.1, 0.2};
       },
       "buckets.caps[1].measured_step_time_s: 0.222 is outside its interval"},
      {[](RunRecord& r) { r.trials[3].batch_size_per_rank = 17; },
       "trials[3].batch_size_per_rank: is 17, more than 2 samples over 1 rank need"},
  });
}

TEST(ScalingForgery, TheHeadlineOfAPoint) {
  expect_seen({
      {[](RunRecord& r) { on_two_ranks(r).headline = "io"; },
       "points[1].headline: is 'io', but of these trials it is 'full'"},
      {[](RunRecord& r) { on_two_ranks(r).efficiency->mean = 0.99; },
       "points[1].efficiency: is not that of the trial 'full'"},
      {[](RunRecord& r) {
         on_two_ranks(r).samples_per_second->ci95 = IntervalRecord{17.0, 19.0};
       },
       "points[1].samples_per_second: is not that of the trial 'full'"},
      {[](RunRecord& r) { on_two_ranks(r).samples_per_second->median = 18.1; },
       "points[1].samples_per_second: is not that of the trial 'full'"},
      {[](RunRecord& r) { on_two_ranks(r).step_time_s->median = 1e-6; },
       "points[1].step_time_s: is not that of the trial 'full'"},
      {[](RunRecord& r) { on_two_ranks(r).step_time_s.reset(); },
       "points[1].step_time_s: is not that of the trial 'full'"},
      {[](RunRecord& r) { on_two_ranks(r).speedup->mean = 1.9; },
       "points[1].speedup: is not that of the trial 'full'"},
  });
}

// A launch may have no point of one rank.
TEST(ScalingForgery, ABaselineOfSeveralRanks) {
  RunRecord record = sample_record();
  std::vector<ScalingPointRecord>& points = record.scaling[0].points;
  points.erase(points.begin());
  std::erase_if(record.trials, [](const TrialRecord& trial) {
    return trial.series == "weak" && trial.ranks == 1;
  });
  record.scaling[0].baseline_ranks = 2;
  const auto rates_of = [&record](std::int64_t ranks) {
    std::vector<RoundRate> rates;
    for (const TrialRecord& trial : record.trials) {
      if (trial.series == "weak" && trial.ranks == ranks && trial.kind == TrialKind::kFull) {
        for (const RepetitionRecord& repetition : trial.repetitions) {
          rates.push_back({repetition.round, repetition.samples_per_second});
        }
      }
    }
    return rates;
  };
  const Interval ratio = paired_ratio_interval(rates_of(4), rates_of(2)).value();
  ScalingTrialRecord& full = points[1].trials[3];
  full.speedup = EstimateRecord{ratio.estimate, IntervalRecord{ratio.lower, ratio.upper}};
  full.efficiency =
      EstimateRecord{ratio.estimate / 2.0, IntervalRecord{ratio.lower / 2.0, ratio.upper / 2.0}};
  EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr("points[1].trials[3]"))));
  full.efficiency->mean *= 0.5;  // as if it were one of a single rank
  EXPECT_THAT(problems_of(record), Contains(HasSubstr("points[1].trials[3].efficiency: is ")));
}

TEST(ScalingForgery, StepsOfTheSlowestRank) {
  expect_seen({
      {[](RunRecord& r) { r.scaling[0].points[0].trials[3].step_time_s->p90 *= 1.001; },
       "points[0].trials[3].step_time_s.p90: is "},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].step_time_s->median *= 0.98; },
       "points[1].trials[3].step_time_s.median: is "},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].step_time_s->p95 *= 0.98; },
       "points[1].trials[3].step_time_s.p95: is "},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].step_time_s->p99 *= 0.98; },
       "points[1].trials[3].step_time_s.p99: is "},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].step_time_s->min *= 0.98; },
       "points[1].trials[3].step_time_s.min: is "},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].step_time_s->max *= 0.98; },
       "points[1].trials[3].step_time_s.max: is "},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].step_time_s->max *= 100.0; },
       "points[1].trials[3].step_time_s.max: is "},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].step_time_s->median *= 100.0; },
       "points[1].trials[3].step_time_s.median: is "},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].step_time_s->n = 11; },
       "points[1].trials[3].step_time_s: is not of the steps that the trial has timed"},
      {[](RunRecord& r) { on_two_ranks(r).trials[3].step_time_s.reset(); },
       "points[1].trials[3].step_time_s: is not of the steps that the trial has timed"},
  });
}

TEST(ScalingForgery, WhatCommunicationCosts) {
  expect_seen({
      {[](RunRecord& r) { *on_two_ranks(r).nocomm_s *= 1.5; },
       "points[1].nocomm_s: makes a step of 0.27 s, but those of nocomm took 0.18"},
      {[](RunRecord& r) { *on_two_ranks(r).nocomm_s *= 0.3; }, "points[1].nocomm_s: makes a step"},
      {[](RunRecord& r) { on_two_ranks(r).exposed_communication_s = 0.1; },
       "points[1].exposed_communication_s: makes a step of 0.28 s"},
      {[](RunRecord& r) { on_two_ranks(r).waiting_s = 0.02; },
       "points[1].waiting_s: makes a step of 0.1999"},
      {[](RunRecord& r) { (*on_two_ranks(r).exposed_communication_ci95)[0] = 0.0; },
       "points[1].exposed_communication_ci95: 0.02 is not the middle of its interval [0, 0.022]"},
      {[](RunRecord& r) { on_two_ranks(r).nocomm_s = 0.14; },  // the slack is one of a round
       "points[1].nocomm_s: makes a step of 0.14 s"},
      {[](RunRecord& r) { on_two_ranks(r).nocomm_s = 0.22; },
       "points[1].nocomm_s: makes a step of 0.22 s"},
      {[](RunRecord& r) {  // a rank takes its share of the slowest one's time at least
         for (TrialRecord& trial : r.trials) {
           trial.per_rank.clear();
         }
         *on_two_ranks(r).nocomm_s *= 0.3;
       },
       "points[1].nocomm_s: makes a step of 0.054 s"},
      {[](RunRecord& r) { (*on_two_ranks(r).in_step->all_reduce_s.ci95)[1] = 1.0; },
       "points[1].in_step.all_reduce_s: 0.032 is not the middle"},
      {[](RunRecord& r) { (*on_two_ranks(r).in_step->exposed_all_reduce_s.ci95)[1] = 1.0; },
       "points[1].in_step.exposed_all_reduce_s: 0.008 is not the middle"},
      {[](RunRecord& r) { (*on_two_ranks(r).in_step->waiting_s.ci95)[1] = 1.0; },
       "points[1].in_step.waiting_s: 0.006 is not the middle"},
      {[](RunRecord& r) { (*on_two_ranks(r).in_step->other_collectives_s.ci95)[1] = 1.0; },
       "points[1].in_step.other_collectives_s: 0.001 is not the middle"},
      {[](RunRecord& r) { (*on_two_ranks(r).waiting_ci95)[1] = 1.0; },
       "points[1].waiting_ci95: 0.005 is not the middle"},
      {[](RunRecord& r) { (*on_two_ranks(r).overlap_ci95)[1] = 1.0; },
       "points[1].overlap_ci95: 0.75 is not the middle"},
      {[](RunRecord& r) { (*on_two_ranks(r).in_step->contention_s.ci95)[1] = 0.01; },
       "points[1].in_step.contention_s: 0.005 is not the middle"},
      {[](RunRecord& r) { on_two_ranks(r).slowest_share = 0.4; },
       "points[1].slowest_share: is 0.4, which is not the largest of 2 ranks' shares of 12 steps"},
      {[](RunRecord& r) { on_two_ranks(r).slowest_share = 0.25; },  // 3 steps, but not most
       "points[1].slowest_share: is 0.25"},
      {[](RunRecord& r) { on_two_ranks(r).slowest_share = 1.25; },  // 15 of 12 steps
       "points[1].slowest_share: is 1.25"},
      {[](RunRecord& r) { on_two_ranks(r).slowest_share = 0.76; },
       "points[1].slowest_share: is 0.76"},
      {[](RunRecord& r) { on_two_ranks(r).slowest_lost_share = 0.9; },
       "points[1].slowest_lost_share: is 0.9 of the time of steps of "},
      {[](RunRecord& r) {
         std::erase_if(r.trials, [](const auto& trial) { return trial.variant == "nocomm"; });
       },
       "points[1]: has figures of communication, but not both synthetic trials"},
  });
}

TEST(ScalingForgery, FiguresThatAreMissingWithAReason) {
  expect_seen({
      {[](RunRecord& r) {
         ScalingPointRecord& alone = r.scaling[0].points[0];
         alone.missing.emplace()["nocomm_s"] = "one rank has no communication";
         alone.waiting_s = 1.5;
         alone.transfer_s = -1.0;
       },
       "points[0].waiting_s: is not null, but missing.nocomm_s says why there is none"},
      {[](RunRecord& r) { r.scaling[0].points[0].waiting_s = 1.5; },
       "points[0].waiting_s: is not null, but one rank has no communication"},
      {[](RunRecord& r) { r.scaling[0].points[0].all_reduce_s = 3.0; },
       "points[0].all_reduce_s: is not null, but one rank has no communication"},
      {[](RunRecord& r) { r.scaling[0].points[0].overlap = 0.9; },
       "points[0].overlap: is not null, but one rank has no communication"},
      {[](RunRecord& r) { on_two_ranks(r).missing.emplace()["attribution"] = "no trial"; },
       "points[1].attribution: is not null, but missing.attribution says why there is none"},
      {[](RunRecord& r) { on_two_ranks(r).missing.emplace()["slowest_rank"] = "no trial"; },
       "points[1].slowest_host: is not null, but missing.slowest_rank says why there is none"},
      {[](RunRecord& r) {
         std::erase_if(r.trials, [](const auto& trial) { return trial.variant == "nocomm"; });
         on_two_ranks(r).nocomm_s.reset();
         on_two_ranks(r).exposed_communication_s.reset();
         on_two_ranks(r).slowest_rank.reset();
       },
       "points[1]: has figures of communication, but not both synthetic trials"},
      {[](RunRecord& r) { r.scaling[0].buckets->ranks = 64; },
       "scaling[0].buckets.ranks: is 64, of which there is no point"},
      {[](RunRecord& r) { r.scaling[0].buckets->caps[1].bucket_cap_mib = 0.5; },
       "scaling[0].buckets.caps[1]: caps do not ascend"},
  });
}

// A loader that takes a third of what full loses if each of two ranks loads half of the samples,
// and two thirds where rank 0 loads all.
TEST(ScalingForgery, IsNoContentionWithTheLoaderOfASingleRoot) {
  const auto verdicts = [](const std::function<void(RunRecord&)>& change) {
    RunRecord record = sample_record();
    TrialRecord& io = record.trials.at(7);
    const double lost_s = record.scaling[0].points[1].attribution->components[0].s_per_sample;
    io.cpu_s_per_sample = 2.0 / 3.0 * lost_s;
    change(record);
    std::vector<std::string> found = problems_of(record);
    std::erase_if(found, [](const std::string& problem) {
      return problem.find("points[1].attribution.verdict") == std::string::npos;
    });
    return found;
  };
  const auto run_option = [](RunRecord& r) { r.config.effective["strategy"] = "data-parallel"; };
  EXPECT_THAT(verdicts([](RunRecord&) {}),
              ElementsAre(HasSubstr("is contention_bound, but the trials' rates make it unsure")));
  EXPECT_THAT(verdicts(run_option), IsEmpty());
  EXPECT_THAT(verdicts([](RunRecord& r) { r.scaling[0].options["strategy"] = "data-parallel"; }),
              IsEmpty());
  EXPECT_THAT(verdicts([&](RunRecord& r) {
                run_option(r);
                r.scaling[0].options["strategy"] = "ddp";
              }),
              SizeIs(1));
}

}  // namespace
}  // namespace dlbench::reports
