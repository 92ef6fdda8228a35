// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/arrival_log.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace dlbench::comm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ArrivalLog, KeepsWhatIsKnownAndStartsAfresh) {
  ArrivalLog log;
  log.add(0.5);
  log.add(std::nullopt);
  log.add(0.25);
  EXPECT_THAT(log.take(), ElementsAre(0.5, 0.25));
  EXPECT_THAT(log.take(), IsEmpty());
}

TEST(ArrivalLog, AfterManyItStartsAfreshToo) {
  ArrivalLog log;
  ArrivalLog fresh;
  for (int number = 0; number < 100000; ++number) {
    log.add(number);
  }
  static_cast<void>(log.take());
  for (int number = 0; number < 20000; ++number) {
    log.add(number);
    fresh.add(number);
  }
  EXPECT_EQ(log.take(), fresh.take());
  for (const double ahead_s : {0.5, 0.25, 0.125}) {
    log.add(ahead_s);
  }
  EXPECT_THAT(log.take(), ElementsAre(0.5, 0.25, 0.125)) << "few are all kept";
}

TEST(ArrivalLog, OfManyItKeepsTheSameOnesOnAllRanks) {
  constexpr int kCollectives = 100000;
  constexpr int kOfAStep = 4;
  ArrivalLog log;
  ArrivalLog other;
  for (int number = 0; number < kCollectives; ++number) {
    log.add(number);
    other.add(-number);
  }
  const std::vector<double> kept = log.take();
  EXPECT_LE(kept.size(), ArrivalLog::kMax);
  EXPECT_GT(kept.size(), ArrivalLog::kMax / 4);
  const std::vector<double> others = other.take();
  ASSERT_EQ(others.size(), kept.size());
  std::vector<int> of_step(kOfAStep);
  int second_half = 0;
  for (std::size_t index = 0; index < kept.size(); ++index) {
    EXPECT_EQ(others[index], -kept[index]);
    ++of_step[static_cast<std::size_t>(kept[index]) % kOfAStep];
    second_half += kept[index] >= kCollectives / 2.0 ? 1 : 0;
  }
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  // Of each collective of a step as many, and as many of late steps as of early ones.
  const auto count = static_cast<double>(kept.size());
  for (const int each : of_step) {
    EXPECT_NEAR(each, count / kOfAStep, count / kOfAStep / 2);
  }
  EXPECT_NEAR(second_half, count / 2, count / 8);
}

}  // namespace
}  // namespace dlbench::comm
