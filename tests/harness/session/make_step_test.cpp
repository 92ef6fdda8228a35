// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/make_step.h"

#include "engine/core/error.h"
#include "tests/engine/comm/thread_rendezvous.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using Decisions = std::map<std::string, std::string>;

// Six, five, five and six samples: what suits five is no kernel for six.
TEST(LowerTogether, RanksOfEqualSharesTakeTheDecisionsOfTheFirstOfThem) {
  constexpr std::array<std::int64_t, 4> kSamples{6, 5, 5, 6};
  std::mutex mutex;
  std::vector<int> order;
  std::array<Decisions, 4> given;
  std::array<std::string, 4> caches;
  dlbench::testing::on_ranks(4, [&](comm::Rendezvous& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const auto lower = [&](const backend::LoweringOptions& options) {
      const std::scoped_lock lock(mutex);
      order.push_back(ranks.rank());
      given[rank] = options.decisions;
      caches[rank] = options.tuning_cache;
      return Decisions{{"conv|forward", "kernel " + std::to_string(rank)}, {"fc|forward", "a b"}};
    };
    lower_together(ranks, {.tuning_cache = "cache"}, kSamples[rank], false, lower);
  });
  EXPECT_EQ(order, (std::vector{1, 2, 0, 3})) << "one after the other";
  EXPECT_TRUE(given[0].empty());
  EXPECT_TRUE(given[1].empty());
  EXPECT_EQ(given[3], (Decisions{{"conv|forward", "kernel 0"}, {"fc|forward", "a b"}}));
  EXPECT_EQ(given[2], (Decisions{{"conv|forward", "kernel 1"}, {"fc|forward", "a b"}}));
  EXPECT_EQ(caches, (std::array<std::string, 4>{"cache", "cache", "", ""}));
}

TEST(LowerTogether, AFailureOfOneShareIsOneOfAll) {
  dlbench::testing::on_ranks(3, [](comm::Rendezvous& ranks) {
    const auto lower = [&](const backend::LoweringOptions& /*options*/) -> Decisions {
      if (ranks.rank() == 2) {
        throw core::Error(core::ErrorCode::kUnavailable, "no kernel");
      }
      return {};
    };
    EXPECT_THROW(lower_together(ranks, {}, ranks.rank() == 2 ? 1 : 2, false, lower), core::Error);
  });
}

// The last batch of an epoch is what some ranks have in all of them.
TEST(LowerTogether, WhoDidSoBeforeLeads) {
  std::array<Decisions, 3> given;
  dlbench::testing::on_ranks(3, [&](comm::Rendezvous& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const auto lower = [&](const backend::LoweringOptions& options) {
      given[rank] = options.decisions;
      return Decisions{{"conv|forward", "kernel " + std::to_string(rank)}};
    };
    lower_together(ranks, {}, 5, rank > 0, lower);
  });
  EXPECT_EQ(given[0], (Decisions{{"conv|forward", "kernel 1"}}));
  EXPECT_TRUE(given[1].empty());
}

}  // namespace
}  // namespace dlbench::harness
