// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/run_report.h"

#include "engine/comm/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> places(RunReport& report) {
  std::vector<std::string> places;
  for (const reports::TaintRecord& taint : report.record().run.taints) {
    places.push_back(taint.where);
  }
  return places;
}

reports::TaintRecord disturbed(const char* where) {
  return {reports::Taint::kDisturbed, where, ""};
}

TEST(RunReport, TaintsOfTrialsReplaceEachOtherAndNoOthers) {
  comm::LoneRank alone;
  RunReport report({}, "unused.json", alone);
  report.taint_trials({});
  EXPECT_THAT(places(report), IsEmpty());
  report.taint(reports::Taint::kGeneratedData, "data set", "");
  report.taint_trials({disturbed("io"), disturbed("full")});
  EXPECT_THAT(places(report), ElementsAre("data set", "io", "full"));
  report.taint(reports::Taint::kCacheStateUnknown, "cache", "");
  report.taint_trials({disturbed("io")});
  EXPECT_THAT(places(report), ElementsAre("data set", "io", "cache"));
  report.taint_trials({});
  report.taint(std::vector{disturbed("bucket caps")});
  report.taint_trials({disturbed("full")});
  EXPECT_THAT(places(report), ElementsAre("data set", "cache", "bucket caps", "full"));
}

}  // namespace
}  // namespace dlbench::harness
