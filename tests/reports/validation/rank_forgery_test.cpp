// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What ranks say of themselves, falsified in one place each: validation names the place.
#include "tests/reports/validation/forgery.h"

#include <string>

namespace dlbench::reports {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kFull = 2;

/// The sample on two ranks of one host, each with half of the work of all trials.
RunRecord on_two_ranks() {
  RunRecord record = sample_record();
  record.scaling.clear();
  record.trials.resize(kFull + 1);
  record.system.hosts[0].ranks = {0, 1};
  record.workload->global_batch_size = 2 * record.workload->batch_size_per_rank;
  for (TrialRecord& trial : record.trials) {
    trial.ranks = 2;
    trial.global_batch_size = 2 * trial.batch_size_per_rank;
    RankRecord rank = record.trials[kFull].per_rank[0];
    double wall_s = 0.0;
    double cpu_s = 0.0;
    double samples = 0.0;
    for (const RepetitionRecord& repetition : trial.repetitions) {
      wall_s += repetition.wall_s;
      cpu_s += *repetition.cpu_s;
      samples += static_cast<double>(repetition.samples);
    }
    rank.wall_s = wall_s;
    rank.cpu_s = 0.5 * cpu_s;
    rank.samples_per_second = 0.5 * samples / wall_s;
    rank.late_share = 0.5;
    trial.per_rank = {rank, rank};
    trial.per_rank[1].rank = 1;
  }
  JobRankRecord job = record.job->per_rank[0];
  job.rank = 1;
  record.job->per_rank.push_back(job);
  *record.job->cpu_time_s *= 2.0;
  *record.job->memory_used_bytes *= 2;
  *record.job->cpu_efficiency *= 2.0;
  return record;
}

void expect_seen_on_two_ranks(const std::vector<Forgery>& forgeries) {
  for (const Forgery& forgery : forgeries) {
    RunRecord record = on_two_ranks();
    forgery.change(record);
    EXPECT_THAT(problems_of(record), Contains(HasSubstr(forgery.problem)));
  }
}

TEST(RankForgery, TheSampleOnTwoRanksIsRight) {
  EXPECT_THAT(problems_of(on_two_ranks()), Not(Contains(HasSubstr("rank"))));
}

TEST(RankForgery, WhatRanksTookOfATrial) {
  expect_seen_on_two_ranks({
      {[](RunRecord& r) { *r.trials[kFull].per_rank[0].cpu_s *= 10.0; },
       "trials[2].per_rank: cpu_s sum to "},
      {[](RunRecord& r) {
         // As many samples as before, but later than the slowest rank.
         *r.trials[kFull].per_rank[0].wall_s *= 3.0;
         r.trials[kFull].per_rank[0].samples_per_second /= 3.0;
       },
       "trials[2].per_rank: rank 0 took "},
      {[](RunRecord& r) {
         for (RankRecord& rank : r.trials[kFull].per_rank) {
           rank.late_share = 1.0;
         }
       },
       "trials[2].per_rank: late_share of the ranks on 'node1' sum to 2, more than all "
       "collectives"},
  });
}

TEST(RankForgery, RanksThatAreNotListed) {
  expect_seen_on_two_ranks({
      {[](RunRecord& r) { r.trials[0].per_rank.pop_back(); },
       "trials[0].per_rank: has 1 of the 2 ranks whose repetitions count"},
      {[](RunRecord& r) { r.trials[1].per_rank.clear(); },
       "trials[1].per_rank: has 0 of the 2 ranks whose repetitions count"},
      {[](RunRecord& r) { r.job->per_rank.clear(); },
       "job.per_rank: rank 0 is missing, which is one of system.hosts"},
      {[](RunRecord& r) { r.system.hosts.clear(); },
       "system.hosts: is without ranks, but the run is complete"},
  });
}

TEST(RankForgery, WhereRanksRan) {
  expect_seen_on_two_ranks({
      {[](RunRecord& r) {
         r.system.hosts[0].ranks = {7, 7};
       },
       "system.hosts[0].ranks: rank 7 is there twice, or not one of the 2 of system.hosts"},
      {[](RunRecord& r) {
         r.system.hosts[0].ranks = {0, 0};
       },
       "system.hosts[0].ranks: rank 0 is there twice"},
      {[](RunRecord& r) { r.job->per_rank[1].rank = 0; }, "job.per_rank: rank 0 is there twice"},
      {[](RunRecord& r) { r.job->per_rank[1].rank = 0; },
       "job.per_rank: rank 1 is missing, which is one of system.hosts"},
      {[](RunRecord& r) { r.job->per_rank[1].host = "elsewhere"; },
       "job.per_rank: rank 1 is on 'elsewhere', but system.hosts have it on 'node1'"},
      {[](RunRecord& r) { r.trials[kFull].per_rank[0].host = "elsewhere"; },
       "trials[2].per_rank: rank 0 is on 'elsewhere', but system.hosts have it on 'node1'"},
  });
}

TEST(RankForgery, OnWhichGpusTheyComputed) {
  const auto on_gpu = [](RunRecord& r) {
    RankRecord& rank = r.trials[kFull].per_rank[1];
    rank.device_address = "0000:41:00.0";
    rank.device_uuid = "GPU-0";
  };
  RunRecord right = on_two_ranks();
  on_gpu(right);
  EXPECT_THAT(problems_of(right), Not(Contains(HasSubstr("GPU"))));
  expect_seen_on_two_ranks({
      {[&](RunRecord& r) {
         on_gpu(r);
         r.trials[kFull].per_rank[1].device_uuid = "GPU-7";
       },
       "trials[2].per_rank: rank 1 is on GPU-7 at 0000:41:00.0, but system.hosts have no such GPU "
       "on 'node1'"},
      {[&](RunRecord& r) {
         on_gpu(r);
         r.trials[kFull].per_rank[1].device_address = "0000:42:00.0";
       },
       "rank 1 is on GPU-0 at 0000:42:00.0, but"},
      {[](RunRecord& r) { r.system.hosts[0].gpus.push_back(r.system.hosts[0].gpus[0]); },
       "system.hosts[0].gpus: index 0 is there twice"},
      {[](RunRecord& r) {
         r.system.hosts[0].gpus.push_back(r.system.hosts[0].gpus[0]);
         r.system.hosts[0].gpus[1].index = 1;
       },
       "system.hosts[0].gpus: GPU-0 is there twice"},
      {[](RunRecord& r) {
         r.system.hosts[0].gpus.push_back(r.system.hosts[0].gpus[0]);
         r.system.hosts[0].gpus[1].uuid = "GPU-1";
       },
       "system.hosts[0].gpus: 0000:41:00.0 is there twice"},
  });
}

// Older reports have a last rank of each node, as clocks of two nodes tell no order. Both may be
// called alike.
TEST(RankForgery, IsNoneOfOneLateRankPerNode) {
  RunRecord record = on_two_ranks();
  record.system.hosts.push_back(record.system.hosts[0]);
  record.system.hosts[0].ranks = {0};
  record.system.hosts[1].ranks = {1};
  for (RankRecord& rank : record.trials[kFull].per_rank) {
    rank.late_share = 1.0;
  }
  EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr("late_share"))));
}

// The rank that failed may be the only one that is left to tell of the job.
TEST(RankForgery, IsNoneOfAJobThatOneRankTellsOf) {
  RunRecord record = on_two_ranks();
  record.job->per_rank.erase(record.job->per_rank.begin());
  EXPECT_THAT(problems_of(record), Contains(HasSubstr("job.per_rank: rank 0 is missing")));
  record.run.status = RunStatus::kFailed;
  EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr("job.per_rank"))));
}

TEST(RankForgery, LoadersAndTheirTrials) {
  expect_seen({
      {[](RunRecord& r) { r.trials[0].loader.reset(); },
       "trials[0].loader: is null, but repetitions of this trial, which loads, count"},
      {[](RunRecord& r) { r.trials[kFull].loader.reset(); }, "trials[2].loader: is null, but"},
      {[](RunRecord& r) { r.trials[1].loader = r.trials[0].loader; },
       "trials[1].loader: is not null, but this trial has no loader"},
      {[](RunRecord& r) {
         r.trials[kFull].kind = TrialKind::kInterference;
         r.trials[kFull].variant = "step_beside_loader";
         r.trials[kFull].loader.reset();
       },
       "trials[2].loader: is null, but"},
  });
  RunRecord disturbed = sample_record();
  disturbed.trials[0].loader.reset();
  for (RepetitionRecord& repetition : disturbed.trials[0].repetitions) {
    repetition.discarded = "disturbed";
  }
  EXPECT_THAT(problems_of(disturbed), Not(Contains(HasSubstr("trials[0].loader"))));
}

TEST(RankForgery, SharesOfAPeakThatNothingReached) {
  expect_seen({
      {[](RunRecord& r) { r.trials[0].mfu_measured = 1.5; },
       "trials[0].mfu_measured: is not null, but achieved_flop_per_s is"},
      {[](RunRecord& r) { r.trials[0].mfu = 1.5; },
       "trials[0].mfu: is not null, but achieved_flop_per_s is"},
  });
}

TEST(RankForgery, AJobShorterThanWhatItTimed) {
  expect_seen({
      {[](RunRecord& r) {
         r.job->wall_s = 1.0;
         r.job->cpu_efficiency = 90.0;  // goes with it
       },
       "job.wall_s: is 1, but repetitions and epochs took 76.35"},
  });
  RunRecord record = sample_record();
  record.history.clear();
  record.job->wall_s = 1.0;
  for (TrialRecord& trial : record.trials) {
    for (RepetitionRecord& repetition : trial.repetitions) {
      repetition.invocation = 1;  // the job's is 0
    }
  }
  EXPECT_THAT(problems_of(record), Not(Contains(HasSubstr("job.wall_s"))));
}

}  // namespace
}  // namespace dlbench::reports
