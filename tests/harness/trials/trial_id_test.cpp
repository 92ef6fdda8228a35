// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/trial_id.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(const std::vector<TrialId>& trials) {
  std::vector<std::string> names;
  for (const TrialId& trial : trials) {
    names.push_back(trial.to_string());
  }
  return names;
}

TEST(Trials, WithoutCommunicationAndWithCopyBringTheStepWithoutCopy) {
  const std::string host_and_nocomm = "io,synthetic/host,synthetic/nocomm,full";
  EXPECT_THAT(names_of(parse_trials(host_and_nocomm, SyntheticTrials::kByMemory)),
              ElementsAre("io", "synthetic/host", "synthetic/device", "synthetic/nocomm", "full"));
  EXPECT_EQ(parse_trials("synthetic/nocomm", SyntheticTrials::kByMemory).size(), 1U);
  EXPECT_EQ(parse_trials(host_and_nocomm, SyntheticTrials::kOne).size(), 4U);
}

TEST(Trials, AVerdictOfSeveralRanksNeedsAStepWithoutCommunication) {
  const auto of = [](const std::string& text, SyntheticTrials synthetic, int ranks) {
    return names_of(with_nocomm_for_verdict(parse_trials(text, synthetic), ranks));
  };
  EXPECT_THAT(of("io,synthetic,full", SyntheticTrials::kOne, 2),
              ElementsAre("io", "synthetic", "synthetic/nocomm", "full"));
  EXPECT_THAT(of("full,synthetic,io", SyntheticTrials::kByMemory, 8),
              ElementsAre("full", "synthetic/device", "synthetic/host", "synthetic/nocomm", "io"));
  EXPECT_THAT(of("io,synthetic/nocomm,synthetic,full", SyntheticTrials::kOne, 2),
              ElementsAre("io", "synthetic/nocomm", "synthetic", "full"))
      << "it is there";
  EXPECT_THAT(of("io,synthetic/host,full", SyntheticTrials::kByMemory, 2),
              ElementsAre("io", "synthetic/host", "synthetic/device", "synthetic/nocomm", "full"))
      << "or the copy would look like communication";
  EXPECT_THAT(of("io,synthetic,full", SyntheticTrials::kOne, 1),
              ElementsAre("io", "synthetic", "full"));
  EXPECT_THAT(of("synthetic,full", SyntheticTrials::kOne, 2), ElementsAre("synthetic", "full"))
      << "no verdict";
  EXPECT_THAT(of("io,synthetic", SyntheticTrials::kOne, 2), ElementsAre("io", "synthetic"));
  EXPECT_THAT(of("io,full", SyntheticTrials::kOne, 2), ElementsAre("io", "full"));
}

}  // namespace
}  // namespace dlbench::harness
