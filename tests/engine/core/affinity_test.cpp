// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/affinity.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <vector>

namespace dlbench::core {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(Affinity, OfAThreadIsWhatWasSet) {
  const std::vector<int> all = affinity_cpus();
  ASSERT_FALSE(all.empty());
  std::thread([&all] {
    EXPECT_EQ(set_affinity(0, std::vector{all.back()}), 0);
    EXPECT_THAT(affinity_cpus(), ElementsAre(all.back()));
    EXPECT_EQ(set_affinity(0, all), 0);
    EXPECT_EQ(affinity_cpus(), all);
  }).join();
  EXPECT_EQ(affinity_cpus(), all) << "of the other thread";
}

TEST(Affinity, OfCpusThatAreNotThereIsRefused) {
  EXPECT_EQ(set_affinity(0, std::vector{100'000}), EINVAL);
}

TEST(ProcessThreads, HasEach) {
  std::thread([] { EXPECT_THAT(process_threads(), Contains(gettid())); }).join();
  EXPECT_THAT(process_threads(), Contains(getpid()));
}

TEST(EachHasACpu, WhereNoRanksShareOne) {
  using Masks = std::vector<std::vector<int>>;
  EXPECT_TRUE(each_has_a_cpu(Masks{{0, 1}, {0, 1}}));
  EXPECT_FALSE(each_has_a_cpu(Masks{{0, 1}, {0, 1}, {0, 1}}));
  EXPECT_TRUE(each_has_a_cpu(Masks{{0}, {1}, {2, 3}}));
  EXPECT_FALSE(each_has_a_cpu(Masks{{0}, {0}, {2, 3}})) << "bound to one";
  EXPECT_FALSE(each_has_a_cpu(Masks{{0}, {1}, {0, 1}})) << "one may run where the others are";
  EXPECT_TRUE(each_has_a_cpu(Masks{{0}, {1}, {0, 1, 2}}));
  EXPECT_FALSE(each_has_a_cpu(Masks{{}, {1}})) << "not told";
}

}  // namespace
}  // namespace dlbench::core
