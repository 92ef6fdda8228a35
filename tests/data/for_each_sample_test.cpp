// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/for_each_sample.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <set>

namespace dlbench::data {
namespace {

/// Leaves the calling thread, and those that it starts, the first of its processors.
class OneProcessor {
 public:
  OneProcessor() {
    EXPECT_EQ(sched_getaffinity(0, sizeof(before_), &before_), 0);
    int first = 0;
    while (first + 1 < CPU_SETSIZE && !CPU_ISSET(first, &before_)) {
      ++first;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;
  ~OneProcessor() { EXPECT_EQ(sched_setaffinity(0, sizeof(before_), &before_), 0); }

 private:
  cpu_set_t before_{};
};

TEST(ForEachSample, StartsNoThreadForAProcessorItMayNotUse) {
  constexpr std::int64_t kItems = 20;
  const OneProcessor one;
  const int threads = set_up_threads(0, kItems);
  EXPECT_EQ(threads, 1);
  std::set<std::int64_t> items;
  for_each_sample(kItems, threads, "samples", [&](std::int64_t item, int thread) {
    EXPECT_EQ(thread, 0);
    items.insert(item);
  });
  EXPECT_EQ(items.size(), static_cast<std::size_t>(kItems));
}

TEST(ForEachSample, HasTheThreadsThatWereAskedForButNoIdleOnes) {
  const OneProcessor one;
  EXPECT_EQ(set_up_threads(3, 20), 3);
  EXPECT_EQ(set_up_threads(3, 2), 2);
  EXPECT_EQ(set_up_threads(3, 0), 1);
}

}  // namespace
}  // namespace dlbench::data
