// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/link_model.h"

#include "engine/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace dlbench::comm {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMegabyte = 1'000'000;

LinkModel one_level() { return parse_link_model("latency_us=10,gbit_per_s=8"); }

LinkModel two_levels() {
  return parse_link_model("latency_us=10,gbit_per_s=8,inside_latency_us=1,inside_gbit_per_s=80", 4);
}

/// A ring all-reduce as it happens: in each of 2 (n - 1) steps every rank sends one of n parts to
/// its right neighbour; a step ends when the largest part has arrived.
double simulated_ring_s(std::int64_t bytes, std::int64_t ranks, double alpha, double bandwidth) {
  double clock_s = 0.0;
  for (std::int64_t step = 0; step < 2 * (ranks - 1); ++step) {
    clock_s += alpha + static_cast<double>(bytes) / static_cast<double>(ranks) / bandwidth;
  }
  return clock_s;
}

TEST(LinkModel, ARingCostsWhatItsStepsCost) {
  for (const std::int64_t ranks : {1, 2, 3, 8, 17, 1024}) {
    EXPECT_NEAR(collective_s(one_level(), Collective::kAllReduce, kMegabyte, ranks),
                simulated_ring_s(kMegabyte, ranks, 1e-5, 1e9),
                1e-12)
        << ranks;
  }
}

TEST(LinkModel, TwoLevelsAreARingInTheNodeAndOneOverNodes) {
  const LinkModel link = two_levels();
  // 8 ranks: 4 in a node at 10 GB/s and 1 us, 2 nodes at 1 GB/s and 10 us.
  const double inside = simulated_ring_s(kMegabyte, 4, 1e-6, 1e10);
  const double between = simulated_ring_s(kMegabyte, 2, 1e-5, 1e9);
  EXPECT_NEAR(collective_s(link, Collective::kAllReduce, kMegabyte, 8), inside + between, 1e-12);
  EXPECT_NEAR(collective_s(link, Collective::kAllReduce, kMegabyte, 4), inside, 1e-12);
  // Fewer ranks than a node has, and a last node that is not full.
  EXPECT_NEAR(collective_s(link, Collective::kAllReduce, kMegabyte, 3),
              simulated_ring_s(kMegabyte, 3, 1e-6, 1e10),
              1e-12);
  EXPECT_NEAR(collective_s(link, Collective::kAllReduce, kMegabyte, 9),
              inside + simulated_ring_s(kMegabyte, 3, 1e-5, 1e9),
              1e-12);
}

TEST(LinkModel, ASingleRootTalksToEachOtherRankInTurn) {
  const LinkModel link{.between = {.latency_s = 1e-3, .bytes_per_s = 1e9}};
  EXPECT_NEAR(root_exchange_s(link, kMegabyte, 5), 4 * (1e-3 + kMegabyte / 1e9), 1e-12);
  EXPECT_EQ(root_exchange_s(link, kMegabyte, 1), 0.0);
  LinkModel nodes = link;
  nodes.node_ranks = 2;
  nodes.inside = {.latency_s = 1e-6, .bytes_per_s = 1e10};
  EXPECT_NEAR(root_exchange_s(nodes, kMegabyte, 5),
              3 * (1e-3 + kMegabyte / 1e9) + (1e-6 + kMegabyte / 1e10),
              1e-12);
  nodes.node_ranks = 4;
  EXPECT_NEAR(root_exchange_s(nodes, kMegabyte, 5),
              (1e-3 + kMegabyte / 1e9) + 3 * (1e-6 + kMegabyte / 1e10),
              1e-12);
  EXPECT_NEAR(root_exchange_s(nodes, kMegabyte, 3), 2 * (1e-6 + kMegabyte / 1e10), 1e-12)
      << "fewer than a node has";
}

TEST(LinkModel, AnAllReduceIsAReduceScatterAndAnAllGather) {
  for (const std::int64_t ranks : {1, 2, 4, 6, 12}) {
    EXPECT_NEAR(collective_s(two_levels(), Collective::kReduceScatter, kMegabyte, ranks) +
                    collective_s(two_levels(), Collective::kAllGather, kMegabyte, ranks),
                collective_s(two_levels(), Collective::kAllReduce, kMegabyte, ranks),
                1e-12);
  }
  EXPECT_NEAR(
      collective_s(one_level(), Collective::kBroadcast, kMegabyte, 5), 4.0 * 1e-5 + 1e-3, 1e-12);
  EXPECT_EQ(collective_s(one_level(), Collective::kBroadcast, kMegabyte, 1), 0.0);
}

TEST(LinkModel, ALevelWithoutLimitsCostsNothing) {
  const LinkModel link = parse_link_model("gbit_per_s=8", 4);
  EXPECT_EQ(collective_s(link, Collective::kAllReduce, kMegabyte, 4), 0.0);
  EXPECT_NEAR(collective_s(link, Collective::kAllReduce, kMegabyte, 8), 1e-3, 1e-12);
}

TEST(LinkModel, SaysWhyItDelaysNothing) {
  EXPECT_EQ(idle_reason(one_level(), 2), "");
  EXPECT_EQ(idle_reason(one_level(), 1), "there is one rank");
  EXPECT_EQ(idle_reason(two_levels(), 3), "");
  const LinkModel between_alone = parse_link_model("latency_us=10", 3);
  EXPECT_THAT(idle_reason(between_alone, 2), HasSubstr("one node (--link-node-ranks 3)"));
  EXPECT_THAT(idle_reason(between_alone, 3), HasSubstr("all 3 ranks are of one node"));
  EXPECT_EQ(idle_reason(between_alone, 4), "");
  EXPECT_EQ(idle_reason(parse_link_model("latency_us=10,jitter_us=1", 3), 2), "");
  const LinkModel ideal = parse_link_model("latency_us=0");
  EXPECT_THAT(idle_reason(ideal, 8), HasSubstr("its latency is 0"));
  EXPECT_EQ(ideal.to_string(), "latency_us=0");
  EXPECT_EQ(idle_reason(parse_link_model("latency_us=0,gbit_per_s=10"), 8), "");
}

TEST(LinkModel, JitterIsExponentialAndTheSameOnEveryRank) {
  LinkModel link = one_level();
  EXPECT_EQ(jitter_s(link, 1, 5), 0.0);
  link.jitter_s = 2e-3;
  EXPECT_EQ(jitter_s(link, 1, 5), jitter_s(link, 1, 5));
  EXPECT_NE(jitter_s(link, 1, 5), jitter_s(link, 1, 6));
  EXPECT_NE(jitter_s(link, 1, 5), jitter_s(link, 2, 5));
  constexpr std::uint64_t kUpper = std::uint64_t{1} << 32U;  // all bits of both count
  EXPECT_NE(jitter_s(link, 1, 5), jitter_s(link, 1 + kUpper, 5));
  EXPECT_NE(jitter_s(link, 1, 5), jitter_s(link, 1, 5 + static_cast<std::int64_t>(kUpper)));
  std::vector<double> draws;
  for (std::int64_t sequence = 0; sequence < 20'000; ++sequence) {
    draws.push_back(jitter_s(link, 7, sequence));
  }
  const double mean = std::accumulate(draws.begin(), draws.end(), 0.0) / 20'000.0;
  EXPECT_NEAR(mean, 2e-3, 5e-5);  // 3.5 standard errors
  std::sort(draws.begin(), draws.end());
  EXPECT_GE(draws.front(), 0.0);
  EXPECT_NEAR(draws[10'000], 2e-3 * std::log(2.0), 5e-5);  // the median of an exponential
}

TEST(LinkModel, ReadsWhatItWrites) {
  const std::string level = "latency_us=10,gbit_per_s=8,jitter_us=50";
  EXPECT_EQ(parse_link_model(level).to_string(), level);
  EXPECT_EQ(parse_link_model("latency_us=10").to_string(), "latency_us=10");
  const std::string inside = "inside_latency_us=1,inside_gbit_per_s=80";
  const LinkModel link = parse_link_model(level + "," + inside, 4);
  EXPECT_EQ(link.to_string(), level + ",node_ranks=4," + inside);
  EXPECT_DOUBLE_EQ(link.between.latency_s, 1e-5);
  EXPECT_DOUBLE_EQ(link.between.bytes_per_s, 1e9);
  EXPECT_DOUBLE_EQ(link.jitter_s, 5e-5);
  EXPECT_EQ(link.node_ranks, 4);
  EXPECT_DOUBLE_EQ(link.inside.bytes_per_s, 1e10);
}

TEST(LinkModel, ASyntaxErrorNamesTheItem) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& entry : {Case{"", "unknown item ''"},
                            Case{"latency=1", "unknown item 'latency=1'"},
                            Case{"latency_us", "unknown item 'latency_us'"},
                            Case{"gbit_per_s=0", "'gbit_per_s=0' is not a number in (0, 1e9]"},
                            Case{"latency_us=-1", "'latency_us=-1' is not a number in [0, 1e9]"},
                            Case{"latency_us=-1", "is not a number"},
                            Case{"latency_us=nan", "is not a number"},
                            Case{"latency_us=1us", "is not a number"},
                            Case{"latency_us=1,latency_us=2", "'latency_us' is given twice"},
                            Case{"latency_us=1,", "ends with a comma"},
                            Case{"gbit_per_s=1e-300", "gbit_per_s is less than 1e-06"},
                            Case{"jitter_us=1", "neither latency_us nor gbit_per_s"},
                            Case{"latency_us=1,inside_latency_us=1", "needs --link-node-ranks"}}) {
    try {
      (void)parse_link_model(entry.text);
      ADD_FAILURE() << entry.text;
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(entry.message)) << entry.text;
      EXPECT_THAT(error.what(), HasSubstr("wanted latency_us=NUMBER")) << entry.text;
    }
  }
}

}  // namespace
}  // namespace dlbench::comm
