// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/rank_progress.h"

#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace dlbench::comm {
namespace {

class RankProgressTest : public ::testing::Test {
 protected:
  RankProgressTest() { publish_progress(shared_); }
  ~RankProgressTest() override { publish_progress(before_); }

  RankProgress& before_ = own_progress();
  RankProgress shared_;
};

TEST_F(RankProgressTest, StepsAreCountedAndTheLongestIsKept) {
  step_done(0.5);
  step_done(2.0);
  step_done(1.0);
  EXPECT_EQ(shared_.steps.load(), 3);
  EXPECT_EQ(shared_.longest_step_ns.load(), 2'000'000'000);
  EXPECT_EQ(shared_.beats.load(), 3U);
}

TEST_F(RankProgressTest, TheFirstLossThatIsUnseenIsNumberedFromOne) {
  losses_seen(0, 1);
  EXPECT_EQ(shared_.unseen_loss.load(), 1);
  losses_seen(4, 6);
  EXPECT_EQ(shared_.unseen_loss.load(), 5);
  losses_seen(6, 6);
  EXPECT_EQ(shared_.unseen_loss.load(), 0) << "all are seen";
}

TEST_F(RankProgressTest, WhatARankIsInEndsWithItsScope) {
  {
    const InCollective inside("broadcast", 6);
    EXPECT_EQ(shared_.in_collective.load(), 1U);
    EXPECT_EQ(shared_.collectives.load(), 7) << "entered so far";
    EXPECT_EQ(shared_.collective.load(), "broadcast");
    EXPECT_EQ(shared_.collective_beats.load(), 0U);
  }
  EXPECT_EQ(shared_.in_collective.load(), 0U);
  EXPECT_EQ(shared_.collective_beats.load(), 1U);
  const auto expect_ends = [](const std::atomic<std::uint32_t>& flag, const auto& make) {
    {
      const auto scope = make();
      EXPECT_EQ(flag.load(), 1U);
    }
    EXPECT_EQ(flag.load(), 0U);
  };
  expect_ends(shared_.awaits_message, [] { return AwaitingMessage("barrier of ranks"); });
  expect_ends(shared_.awaits_device, [] { return AwaitingDevice(); });
  expect_ends(shared_.first_step, [] { return FirstStep(); });
  expect_ends(shared_.stepping, [] { return Stepping(); });
  EXPECT_EQ(shared_.message.load(), "barrier of ranks");
  EXPECT_EQ(shared_.beats.load(), 3U) << "a wait for the device is no sign of life";
}

// In a process of its own: it lasts.
TEST(RankProgressDeathTest, TheFirstReasonWhyALaunchEndedCounts) {
  EXPECT_EXIT(
      {
        end_waits(core::ErrorCode::kTimeout, "the first reason");
        end_waits(core::ErrorCode::kRun, "the second reason");
        try {
          check_launch();
        } catch (const core::Error& error) {
          std::fputs(error.what(), stderr);
          std::exit(error.code() == core::ErrorCode::kTimeout ? 7 : 8);
        }
      },
      ::testing::ExitedWithCode(7),
      "the first reason");
}

}  // namespace
}  // namespace dlbench::comm
