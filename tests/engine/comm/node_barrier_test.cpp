// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/node_barrier.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

namespace dlbench::comm {
namespace {

using core::ErrorCode;
using ::testing::HasSubstr;

/// Two ranks, of which the first has left before it came to the barrier.
class LeftAlone {
 public:
  LeftAlone() {
    memory_.fill(std::byte{0});
    second_ = std::make_unique<NodeBarrier>(memory_.data(), options(1));
    const NodeBarrier first(memory_.data(), options(0));
  }

  /// What the second one's wait throws.
  std::string wait(ErrorCode wanted) {
    try {
      second_->wait({.name = "all_reduce", .number = 3});
    } catch (const core::Error& error) {
      return error.code() == wanted ? error.what() : "another code: " + std::string(error.what());
    }
    return "nothing";
  }

 private:
  static NodeBarrier::Options options(int rank) {
    return {.rank = rank, .world_ranks = {4, 7}, .timeout_s = 60.0, .spins = 0};
  }

  static constexpr std::size_t kEnough = 4096;
  alignas(64) std::array<std::byte, kEnough> memory_{};
  std::unique_ptr<NodeBarrier> second_;
};

TEST(NodeBarrier, NamesARankThatLeft) {
  LeftAlone ranks;
  EXPECT_THAT(ranks.wait(ErrorCode::kRun), HasSubstr("all_reduce (collective 3): rank 4"));
}

// A rank that was told to end leaves its collectives first and says why then.
// In a process of its own: a launch that has ended stays so.
TEST(NodeBarrierDeathTest, TheReasonOfARankThatLeftIsWaitedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto told = [] {
    LeftAlone ranks;
    std::jthread other([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      end_waits(ErrorCode::kTimeout, "SIGTERM (walltime?)");
    });
    return ranks.wait(ErrorCode::kTimeout);
  };
  EXPECT_EXIT(_exit(told() == "SIGTERM (walltime?)" ? 17 : 1), ::testing::ExitedWithCode(17), "");
}

}  // namespace
}  // namespace dlbench::comm
