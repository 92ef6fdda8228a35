// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/job_record.h"

#include "probes/node/system_info.h"
#include "tests/harness/chorus.h"

#include <gmock/gmock.h>

namespace dlbench::harness {
namespace {

using ::testing::SizeIs;

TEST(OwnJob, CountsThisProcessAgainstTheCoresItMayUse) {
  comm::LoneRank alone;
  const reports::JobRecord job = own_job(alone, "FAILED", 2.0);
  EXPECT_EQ(job.state, "FAILED");
  EXPECT_EQ(job.cores, probes::usable_cpus());
  EXPECT_GT(job.cpu_time_s.value(), 0.0);
  EXPECT_DOUBLE_EQ(job.cpu_efficiency.value(), *job.cpu_time_s / (2.0 * job.cpu_capacity.value()));
  EXPECT_LE(*job.cpu_capacity, static_cast<double>(*job.cores));
  EXPECT_GT(job.memory_used_bytes.value(), 1 << 20);
  ASSERT_THAT(job.per_rank, SizeIs(1));
  EXPECT_EQ(job.per_rank[0].host, alone.places()[0].host);
}

// Two ranks that share CPUs 0 to 3, and two on a second node that have two CPUs each.
TEST(GatherJob, SumsUseAndCountsSharedCoresOnce) {
  Chorus ranks(
      {{.host = "a", .node = 0},
       {.host = "a", .node = 0},
       {.host = "b", .node = 1, .machine = 1},
       {.host = "b", .node = 1, .machine = 1}},
      {"10.5 1000 9000 0 0-3", "0.5 1000 9000 0 0-3", "2 3000 8000 0 0-1", "3 4000 8000 0 2-3"});
  const reports::JobRecord job = gather_job(ranks, "COMPLETED", 4.0);
  EXPECT_EQ(job.cores, 8);
  EXPECT_DOUBLE_EQ(job.cpu_time_s.value(), 16.0);
  EXPECT_DOUBLE_EQ(job.cpu_efficiency.value(), 0.5);
  EXPECT_EQ(job.memory_used_bytes, 9000);
  EXPECT_EQ(job.memory_limit_bytes, 17000);
  ASSERT_THAT(job.per_rank, SizeIs(4));
  EXPECT_EQ(job.per_rank[3].rank, 3);
  EXPECT_EQ(job.per_rank[3].host, "b");
  EXPECT_DOUBLE_EQ(job.per_rank[3].cpu_time_s.value(), 3.0);
}

TEST(GatherJob, AQuotaOrAMissingLimitIsHonoured) {
  Chorus ranks({{.host = "a", .node = 0}, {.host = "b", .node = 1, .machine = 1}},
               {"1 1 9000 1.5 0-63", "1 1 0 0 0-63"});
  const reports::JobRecord job = gather_job(ranks, "COMPLETED", 1.0);
  EXPECT_EQ(job.cores, 66);
  EXPECT_EQ(job.cpu_capacity, 65.5);
  EXPECT_DOUBLE_EQ(job.cpu_efficiency.value(), 2.0 / 65.5);
  EXPECT_EQ(job.memory_limit_bytes, std::nullopt);
}

TEST(GatherJob, AQuotaIsThatOfAllRanksOfANode) {
  Chorus ranks({{.host = "a", .node = 0}, {.host = "a", .node = 0}}, {"1 1 0 1 0", "1 1 0 1 1"});
  EXPECT_EQ(gather_job(ranks, "COMPLETED", 1.0).cores, 1);
}

TEST(JobState, IsASchedulersWord) {
  EXPECT_EQ(job_state(core::ErrorCode::kTimeout), "TIMEOUT");
  EXPECT_EQ(job_state(core::ErrorCode::kInterrupted), "CANCELLED");
  EXPECT_EQ(job_state(core::ErrorCode::kMemory), "OUT_OF_MEMORY");
  EXPECT_EQ(job_state(core::ErrorCode::kRun), "FAILED");
}

}  // namespace
}  // namespace dlbench::harness
