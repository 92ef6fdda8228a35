// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/fault_notes.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

namespace dlbench::harness {
namespace {

Fault fault_of(int rank, double noticed_s) {
  Fault fault{.rank = rank, .host = "node " + std::to_string(rank), .phase = "trial full, round 2"};
  fault.collective = 17;
  fault.detail = "its process 7 was killed by SIGKILL";
  fault.code = core::ErrorCode::kTimeout;
  fault.noticed_s = noticed_s;
  return fault;
}

TEST(FaultNotes, TheEarliestOfTheOtherNodesIsFound) {
  const tests::TemporaryFolder folder;
  const std::string report = folder.file("report.json");
  const auto notes = [&](int node) {
    return FaultNotes({.node = node, .nodes = 3, .launch = 4711}, report);
  };
  EXPECT_FALSE(notes(0).find().has_value());
  notes(2).leave(fault_of(5, 1700000000.25));
  notes(1).leave(fault_of(3, 1700000000.75));
  const std::optional<Fault> found = notes(0).find();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->text(), fault_of(5, 0.0).text());
  EXPECT_EQ(found->collective, 17);
  EXPECT_EQ(found->code, core::ErrorCode::kTimeout);
  EXPECT_DOUBLE_EQ(found->noticed_s, 1700000000.25);
  EXPECT_EQ(notes(2).find()->rank, 3) << "not its own";
  notes(0).clear();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace dlbench::harness
