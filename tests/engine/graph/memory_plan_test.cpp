// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/memory_plan.h"

#include "engine/core/check.h"
#include "engine/core/rng.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dlbench::graph {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kAlignment = 256;

std::vector<BlockRequest> random_requests(std::uint64_t seed, std::uint32_t blocks) {
  core::RandomStream random(seed, 7);
  const std::uint32_t steps = 1 + random.below(80);
  std::vector<BlockRequest> requests;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const auto first = static_cast<int>(random.below(steps));
    const auto length = static_cast<int>(random.below(1 + steps / 4));
    requests.push_back({random.below(10) == 0 ? 0 : random.below(1U << 20U),
                        first,
                        std::min(first + length, static_cast<int>(steps) - 1)});
  }
  return requests;
}

// Empty if no two blocks overlap in both time and space and all lie inside the arena; otherwise a
// sentence that names the first pair found.
std::string check_memory_plan(const std::vector<BlockRequest>& requests, const MemoryPlan& plan) {
  for (std::size_t a = 0; a < requests.size(); ++a) {
    if (plan.offsets[a] + requests[a].bytes > plan.peak_bytes) {
      return "block " + std::to_string(a) + " ends outside the arena";
    }
    for (std::size_t b = a + 1; b < requests.size(); ++b) {
      const bool in_space = plan.offsets[a] < plan.offsets[b] + requests[b].bytes &&
                            plan.offsets[b] < plan.offsets[a] + requests[a].bytes;
      const bool in_time =
          requests[a].first <= requests[b].last && requests[b].first <= requests[a].last;
      if (in_space && in_time) {
        return "blocks " + std::to_string(a) + " and " + std::to_string(b) + " overlap";
      }
    }
  }
  return {};
}

// Marks the bytes of an arena step by step: nothing in common with the planner.
bool bytes_collide(const std::vector<BlockRequest>& requests, const MemoryPlan& plan) {
  constexpr std::size_t kGrain = 64;
  for (int step = 0; step < 80; ++step) {
    std::vector<bool> used(plan.peak_bytes / kGrain + 1, false);
    for (std::size_t block = 0; block < requests.size(); ++block) {
      if (requests[block].first > step || requests[block].last < step) {
        continue;
      }
      const std::size_t end = plan.offsets[block] + requests[block].bytes;
      for (std::size_t grain = plan.offsets[block] / kGrain; grain * kGrain < end; ++grain) {
        if (used.at(grain)) {
          return true;
        }
        used[grain] = true;
      }
    }
  }
  return false;
}

TEST(MemoryPlan, NoTwoLiveValuesOverlap) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto requests = random_requests(seed, 1 + static_cast<std::uint32_t>(seed) * 3);
    const MemoryPlan plan = plan_memory(requests, kAlignment);
    ASSERT_EQ(check_memory_plan(requests, plan), "") << "seed " << seed;
    ASSERT_FALSE(bytes_collide(requests, plan)) << "seed " << seed;
    for (const std::size_t offset : plan.offsets) {
      ASSERT_EQ(offset % kAlignment, 0U) << "seed " << seed;
    }
  }
}

TEST(MemoryPlan, StaysNearTheLowerBound) {
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto requests = random_requests(seed, 150);
    const MemoryPlan plan = plan_memory(requests, kAlignment);
    ASSERT_GE(plan.peak_bytes, plan.lower_bound_bytes) << "seed " << seed;
    worst = std::max(
        worst, static_cast<double>(plan.peak_bytes) / static_cast<double>(plan.lower_bound_bytes));
  }
  EXPECT_LT(worst, 1.30);
}

TEST(MemoryPlan, StackOfLifetimesReachesTheBound) {
  // As a forward and backward pass: block i lives from i to 2 n - 1 - i.
  std::vector<BlockRequest> requests;
  constexpr int kLayers = 20;
  for (int layer = 0; layer < kLayers; ++layer) {
    requests.push_back({std::size_t{4096} + 512U * static_cast<std::size_t>(layer % 3),
                        layer,
                        2 * kLayers - 1 - layer});
  }
  const MemoryPlan plan = plan_memory(requests, kAlignment);
  EXPECT_EQ(plan.peak_bytes, plan.lower_bound_bytes);
}

TEST(MemoryPlan, ReusesMemoryOfTheDead) {
  const std::vector<BlockRequest> chain{{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}, {1000, 3, 4}};
  EXPECT_EQ(plan_memory(chain, kAlignment).peak_bytes, 2048U);
}

TEST(MemoryPlan, NothingNeedsNothing) {
  EXPECT_EQ(plan_memory({}, kAlignment).peak_bytes, 0U);
  EXPECT_EQ(plan_memory({{0, 0, 3}, {0, 0, 3}}, kAlignment).peak_bytes, 0U);
}

TEST(MemoryPlan, BackwardLifetimeIsAProgrammerError) {
  EXPECT_THROW((void)plan_memory({{64, 3, 2}}, kAlignment), core::CheckFailure);
  EXPECT_THROW((void)plan_memory({{64, -1, 2}}, kAlignment), core::CheckFailure);
}

TEST(CheckMemoryPlan, CatchesAnOverlap) {
  const std::vector<BlockRequest> requests{{1000, 0, 3}, {1000, 3, 5}, {1000, 6, 7}};
  MemoryPlan plan = plan_memory(requests, kAlignment);
  ASSERT_EQ(check_memory_plan(requests, plan), "");
  plan.offsets[1] = plan.offsets[0] + 512;
  plan.peak_bytes = 4096;
  EXPECT_EQ(check_memory_plan(requests, plan), "blocks 0 and 1 overlap");
  EXPECT_TRUE(bytes_collide(requests, plan));
}

TEST(CheckMemoryPlan, CatchesEveryPlantedOverlap) {
  const auto requests = random_requests(11, 60);
  const MemoryPlan good = plan_memory(requests, kAlignment);
  int planted = 0;
  for (std::size_t a = 0; a < requests.size(); ++a) {
    for (std::size_t b = a + 1; b < requests.size(); ++b) {
      const bool together =
          requests[a].first <= requests[b].last && requests[b].first <= requests[a].last;
      if (!together || requests[a].bytes == 0 || requests[b].bytes == 0) {
        continue;
      }
      MemoryPlan bad = good;
      bad.offsets[b] = bad.offsets[a];
      bad.peak_bytes = std::max(bad.peak_bytes, bad.offsets[b] + requests[b].bytes);
      ASSERT_NE(check_memory_plan(requests, bad), "") << a << " and " << b;
      ++planted;
    }
  }
  EXPECT_GT(planted, 50);
}

TEST(CheckMemoryPlan, CatchesABlockOutsideTheArena) {
  const std::vector<BlockRequest> requests{{1000, 0, 3}};
  MemoryPlan plan = plan_memory(requests, kAlignment);
  plan.offsets[0] = plan.peak_bytes;
  EXPECT_THAT(check_memory_plan(requests, plan), HasSubstr("outside the arena"));
}

}  // namespace
}  // namespace dlbench::graph
