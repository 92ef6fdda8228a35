// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/fault.h"

#include "harness/utc_time.h"

#include <gtest/gtest.h>

#include <chrono>

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

}  // namespace
}  // namespace dlbench::harness
