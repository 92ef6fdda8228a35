// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/job_text.h"

#include <gtest/gtest.h>

namespace dlbench::reports {
namespace {

// The figures of a course's job as seff printed them: 53 s of 56 s, 1.31 of 8 GB.
RunRecord course_job() {
  RunRecord record;
  record.system.scheduler = SchedulerRecord{.name = "slurm", .job_id = "4711"};
  record.system.hosts.resize(1);
  record.run.exit_code = 0;
  record.job = JobRecord{.state = "COMPLETED",
                         .cpu_time_s = 53.0,
                         .wall_s = 56.0,
                         .cores = 1,
                         .cpu_efficiency = 53.0 / 56.0,
                         .memory_used_bytes = 1'410'000'000,
                         .memory_limit_bytes = std::int64_t{8} << 30};
  return record;
}

TEST(JobText, ReadsAsSeffDoes) {
  EXPECT_EQ(job_text(course_job(), 0),
            "Job ID: 4711\n"
            "State: COMPLETED (exit code 0)\n"
            "Nodes: 1\n"
            "Cores: 1\n"
            "CPU Utilized: 00:00:53\n"
            "CPU Efficiency: 94.64% of 00:00:56 core-walltime\n"
            "Job Wall-clock time: 00:00:56\n"
            "Memory Utilized: 1.31 GiB\n"
            "Memory Efficiency: 16.41% of 8.00 GiB\n");
}

TEST(JobText, CoreWalltimeCountsAllCores) {
  RunRecord record = course_job();
  record.job->cores = 128;
  record.job->wall_s = 3725.4;
  record.job->cpu_efficiency = 0.5;
  EXPECT_NE(job_text(record).find("50.00% of 132:27:31 core-walltime"), std::string::npos)
      << job_text(record);
}

TEST(JobText, SeveralRanksGetATable) {
  RunRecord record = course_job();
  record.job->per_rank = {{.rank = 0, .host = "n1", .cpu_time_s = 20.0, .memory_used_bytes = 1024},
                          {.rank = 1, .host = "n2"}};
  EXPECT_NE(job_text(record, 2).find("  rank  host     CPU    memory\n"
                                     "  0     n1    20.0 s  1.00 KiB\n"
                                     "  1     n2         -         -\n"),
            std::string::npos)
      << job_text(record, 2);
}

TEST(JobText, SaysOfHowManyRanksItIs) {
  RunRecord record = course_job();
  record.job->per_rank = {{.rank = 0, .host = "n1"}};
  record.system.hosts[0].ranks = {0};
  EXPECT_EQ(job_text(record).find("Ranks"), std::string::npos) << job_text(record);
  record.system.hosts[0].ranks = {0, 1, 2};  // two of them were gone when the report was written
  EXPECT_NE(job_text(record).find("  Ranks: 1 of 3, of which all below is\n  Cores"),
            std::string::npos)
      << job_text(record);
}

TEST(JobText, CountsTheNodesThatTheSchedulerGave) {
  RunRecord record = course_job();
  record.system.scheduler->nodes = 3;
  EXPECT_NE(job_text(record).find("Nodes: 3\n"), std::string::npos);
}

TEST(JobText, LeavesOutWhatIsNotKnown) {
  RunRecord record;
  EXPECT_EQ(job_text(record), "");
  record.job = JobRecord{.state = "FAILED", .wall_s = 1.0};
  EXPECT_EQ(job_text(record), "  State: FAILED\n  Job Wall-clock time: 00:00:01\n");
  record.run.exit_code = 5;
  EXPECT_EQ(job_text(record), "  State: FAILED (exit code 5)\n  Job Wall-clock time: 00:00:01\n");
}

}  // namespace
}  // namespace dlbench::reports
