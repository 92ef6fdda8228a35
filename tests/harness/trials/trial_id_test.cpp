// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/trial_id.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::ElementsAre;

TEST(Trials, WithoutCommunicationAndWithCopyBringTheStepWithoutCopy) {
  const std::string host_and_nocomm = "io,synthetic/host,synthetic/nocomm,full";
  std::vector<std::string> names;
  for (const TrialId& trial : parse_trials(host_and_nocomm, SyntheticTrials::kByMemory)) {
    names.push_back(trial.to_string());
  }
  EXPECT_THAT(names,
              ElementsAre("io", "synthetic/host", "synthetic/device", "synthetic/nocomm", "full"));
  EXPECT_EQ(parse_trials("synthetic/nocomm", SyntheticTrials::kByMemory).size(), 1U);
  EXPECT_EQ(parse_trials(host_and_nocomm, SyntheticTrials::kOne).size(), 4U);
}

}  // namespace
}  // namespace dlbench::harness
