// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/fault.h"

#include "harness/utc_time.h"
#include "reports/json_reader.h"
#include "reports/json_writer.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace dlbench::harness {
namespace {

// As where the sentinel of another node tells of the fault.
TEST(RecordFault, NoReportEndsBeforeItsStart) {
  const auto now = std::chrono::system_clock::now();
  reports::RunRecord record;
  record.run.started_at = UtcClock(now + std::chrono::hours(1)).now();
  record_fault({.detail = "its node is gone"}, record);
  EXPECT_EQ(record.run.finished_at, record.run.started_at);
  record.run.started_at = UtcClock(now - std::chrono::hours(1)).now();
  record_fault({.detail = "its node is gone"}, record);
  EXPECT_GT(record.run.finished_at, record.run.started_at);
}

TEST(NameInReport, WhyThereIsNoJobRecord) {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("report.json");
  reports::RunRecord begun;
  begun.run.started_at = utc_now();
  reports::write_report(begun, path);
  name_in_report({.detail = "killed by SIGKILL"}, path);
  const reports::RunRecord ended = reports::read_report(path);
  EXPECT_FALSE(ended.job.has_value());
  ASSERT_EQ(ended.run.skipped.size(), 1U);
  EXPECT_EQ(ended.run.skipped[0].what, "job record");
  ASSERT_TRUE(ended.run.failure.has_value());
  EXPECT_EQ(ended.run.failure->detail, "killed by SIGKILL");
}

}  // namespace
}  // namespace dlbench::harness
