// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/hang_rule.h"

#include <gmock/gmock.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::HasSubstr;

constexpr double kInterval = 0.25;

/// Ranks under the rule, on a clock of their own.
class Watched {
 public:
  explicit Watched(std::size_t ranks) : ranks_(ranks) {
    for (RankSign& rank : ranks_) {
      rank.stepping = true;
      rank.longest_step_s = 0.1;
    }
  }
  RankSign& operator[](std::size_t index) { return ranks_[index]; }

  /// Looks on for `seconds`; `live` changes the ranks before each look. What was found, if
  /// anything.
  std::optional<Hang> watch(
      double seconds, const std::function<void()>& live = [] {}) {
    for (const double end = now_s_ + seconds; now_s_ < end; now_s_ += kInterval) {
      live();
      if (const std::optional<Hang> hang = rule_.look(now_s_, ranks_, others_run)) {
        return hang;
      }
    }
    return std::nullopt;
  }
  bool others_run = false;  ///< on other nodes
  void sleep(double seconds) { now_s_ += seconds; }
  [[nodiscard]] double now_s() const { return now_s_; }

 private:
  HangRule rule_{HangLimits{}};
  std::vector<RankSign> ranks_;
  double now_s_ = 1000.0;
};

TEST(HangRule, NamesTheSilentRankAndNotThoseThatWaitForIt) {
  Watched ranks(3);
  ranks[0].waits = true;
  ranks[2].waits = true;
  const std::optional<Hang> hang = ranks.watch(60.0);
  ASSERT_TRUE(hang.has_value());
  EXPECT_EQ(hang->index, 1U);
  EXPECT_LT(ranks.now_s(), 1000.0 + 10.0) << "time must be left for the run to end within 10 s";
}

TEST(HangRule, LetsRanksThatMoveBe) {
  Watched ranks(2);
  ranks[1].waits = true;  // outside of the group that measures, for as long as it takes
  EXPECT_FALSE(ranks.watch(600.0, [&] { ++ranks[0].beats; }).has_value());
}

TEST(HangRule, GivesLongStepsFiveTimesTheirLength) {
  Watched ranks(2);
  ranks[0].waits = true;
  ranks[1].longest_step_s = 20.0;
  EXPECT_FALSE(ranks.watch(75.0).has_value());
  EXPECT_TRUE(ranks.watch(10.0).has_value());
}

TEST(HangRule, HasPatienceWithARankThatPrepares) {
  Watched ranks(2);
  ranks[0].stepping = false;
  ranks[1].waits = true;
  EXPECT_FALSE(ranks.watch(250.0).has_value());
  EXPECT_EQ(ranks.watch(60.0).value_or(Hang{9, ""}).index, 0U);
}

TEST(HangRule, BlamesNobodyWhereAllWaitForTheirDevices) {
  Watched ranks(3);
  ranks[0].ended = true;
  ranks[1].waits_for_device = true;
  ranks[2].waits_for_device = true;
  const std::optional<Hang> hang = ranks.watch(60.0);
  ASSERT_TRUE(hang.has_value());
  EXPECT_EQ(hang->index, 1U) << "the lowest that runs";
  EXPECT_THAT(hang->why, HasSubstr("all ranks of the node wait for their GPUs"));
  EXPECT_THAT(hang->why, HasSubstr("no rank stands out"));
  EXPECT_LT(ranks.now_s(), 1000.0 + 7.0);
}

TEST(HangRule, OfSeveralThatWaitForTheirDevicesNoneStandsOut) {
  Watched ranks(3);
  ranks[0].waits = true;
  ranks[1].waits_for_device = true;
  ranks[2].waits_for_device = true;
  const std::optional<Hang> hang = ranks.watch(60.0);
  ASSERT_TRUE(hang.has_value());
  EXPECT_EQ(hang->index, 1U);
  EXPECT_THAT(hang->why, HasSubstr("2 of 3 ranks of the node"));
}

TEST(HangRule, NamesTheRankThatAloneWaitsForItsDevice) {
  Watched ranks(3);
  ranks[0].waits = true;
  ranks[1].waits_for_device = true;
  const std::optional<Hang> hang = ranks.watch(60.0, [&] { ++ranks[2].beats; });
  ASSERT_TRUE(hang.has_value());
  EXPECT_EQ(hang->index, 1U);
  EXPECT_THAT(hang->why, HasSubstr("it alone waits for its GPU"));
}

// It came one step further than those that wait for a collective with it.
TEST(HangRule, NamesTheSilentRankAndNotThoseThatWaitForTheirDevices) {
  Watched ranks(2);
  ranks[0].waits_for_device = true;
  EXPECT_FALSE(ranks.watch(3.0, [&] { ++ranks[1].beats; }).has_value());
  EXPECT_EQ(ranks.watch(60.0).value_or(Hang{9, ""}).index, 1U);
}

TEST(HangRule, LeavesRanksThatWaitForTheirDevicesAloneWhileAnotherPrepares) {
  Watched ranks(3);
  ranks[0].waits_for_device = true;
  ranks[1].waits_for_device = true;
  ranks[2].stepping = false;
  EXPECT_FALSE(ranks.watch(299.0).has_value());
  EXPECT_EQ(ranks.watch(10.0).value_or(Hang{9, ""}).index, 2U);
}

TEST(HangRule, HasPatienceWithADeviceBeforeTheFirstStepIsDone) {
  for (const auto& [first_step, patience_s] : {std::pair(true, 60.0), {false, 300.0}}) {
    Watched ranks(2);
    for (std::size_t i = 0; i < 2; ++i) {
      ranks[i] = {.first_step = first_step, .waits_for_device = true};
    }
    EXPECT_FALSE(ranks.watch(patience_s).has_value());
    EXPECT_TRUE(ranks.watch(2.0).has_value());
  }
}

TEST(HangRule, GivesTheHostAllItsTimeInAFirstStep) {
  Watched ranks(2);
  ranks[0] = {.first_step = true, .waits_for_device = true};
  ranks[1] = {.first_step = true};
  EXPECT_FALSE(ranks.watch(299.0).has_value());
  EXPECT_EQ(ranks.watch(10.0).value_or(Hang{9, ""}).index, 1U);
}

TEST(HangRule, NamesAStoppedRankWithinSeconds) {
  Watched ranks(2);
  ranks[1].stopped = true;
  ranks[1].waits = true;  // stopped within a collective
  const std::optional<Hang> hang = ranks.watch(5.0, [&] { ++ranks[0].beats; });
  ASSERT_TRUE(hang.has_value());
  EXPECT_EQ(hang->index, 1U);
}

TEST(HangRule, TakesASuspendedJobForNoFault) {
  Watched ranks(2);
  ranks[0].stopped = true;
  ranks[1].stopped = true;
  EXPECT_FALSE(ranks.watch(100.0).has_value());
  ranks[0].stopped = false;
  ranks[1].stopped = false;
  EXPECT_FALSE(ranks.watch(5.0).has_value()) << "they start afresh";
}

TEST(HangRule, NamesARankThatIsStoppedAloneOnItsNode) {
  Watched ranks(1);
  ranks[0].stopped = true;
  EXPECT_FALSE(ranks.watch(30.0).has_value()) << "all nodes are stopped";
  ranks.others_run = true;
  EXPECT_FALSE(ranks.watch(4.5).has_value()) << "what stops a job may reach this node first";
  const std::optional<Hang> hang = ranks.watch(1.5);
  ASSERT_TRUE(hang.has_value());
  EXPECT_THAT(hang->why, testing::HasSubstr("is stopped (SIGSTOP)"));
}

TEST(HangRule, TakesASleepOfTheMachineForNoFault) {
  Watched ranks(2);
  EXPECT_FALSE(ranks.watch(5.0).has_value());
  ranks.sleep(3600.0);
  EXPECT_FALSE(ranks.watch(5.0).has_value());
}

TEST(HangRule, LeavesARankInADebuggerAlone) {
  Watched ranks(2);
  ranks[0].waits = true;
  ranks[1].traced = true;
  EXPECT_FALSE(ranks.watch(600.0).has_value());
}

TEST(HangRule, OfRanksThatWaitForEachOtherTheOneBehindIsNamed) {
  Watched ranks(2);
  ranks[0] = {.stepping = true, .waits = true, .collectives = 18};
  ranks[1] = {.stepping = true, .waits = true, .collectives = 17};
  EXPECT_EQ(ranks.watch(60.0).value_or(Hang{9, ""}).index, 1U);
}

TEST(HangRule, RanksThatHaveEndedAreNotMissed) {
  Watched ranks(2);
  ranks[1].ended = true;
  EXPECT_FALSE(ranks.watch(600.0, [&] { ++ranks[0].beats; }).has_value());
}

}  // namespace
}  // namespace dlbench::harness
