// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/run_report.h"

#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"
#include "reports/json_reader.h"
#include "tests/engine/comm/thread_rendezvous.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

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

// Of a machine without one nobody expects a GPU.
TEST(RunReport, KeepsWhyAutoTookNoGpuWhereThereIsOneWithADriverOrWithout) {
  comm::LoneRank alone;
  RunReport without({}, "unused.json", alone);
  ::setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1);
  without.keep_device_choice("no NVIDIA driver");
  ::unsetenv("HWLOC_SYNTHETIC");
  EXPECT_THAT(without.record().run.skipped, IsEmpty());
  RunReport with({}, "unused.json", alone);
  ::setenv("HWLOC_XMLFILE", DLBENCH_TOPOLOGY_WITH_GPUS, 1);
  with.keep_device_choice("");
  with.keep_device_choice("no NVIDIA driver");
  ::unsetenv("HWLOC_XMLFILE");
  ASSERT_EQ(with.record().run.skipped.size(), 1U);
  EXPECT_EQ(with.record().run.skipped[0].what, "first choice of --device auto");
  EXPECT_EQ(with.record().run.skipped[0].reason, "no NVIDIA driver");
}

// A launcher that finds ranks at odds with each other, or with the report, has no code to go by.
TEST(RunReport, AllRanksEndWithTheCodeOfTheReport) {
  const tests::TemporaryFolder folder;
  const std::string output = folder.file("report.json");
  for (const int tainted : {0, 1}) {
    testing::on_ranks(2, [&](comm::Rendezvous& ranks) {
      RunReport report({}, output, ranks);
      if (ranks.rank() == tainted) {
        report.taint(reports::Taint::kThrottled, "trial full", "");
      }
      EXPECT_EQ(report.finish({.strict = true}), tainted == 0 ? core::kTaintedExitCode : 0)
          << "of rank " << ranks.rank();
    });
    const reports::RunRecord written = reports::read_report(output);
    EXPECT_EQ(written.run.exit_code, tainted == 0 ? core::kTaintedExitCode : 0);
    EXPECT_EQ(written.run.taints.empty(), tainted != 0);
  }
}

}  // namespace
}  // namespace dlbench::harness
