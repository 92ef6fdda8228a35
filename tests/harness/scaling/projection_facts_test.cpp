// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/projection_facts.h"

#include "tests/engine/comm/thread_rendezvous.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace dlbench::harness {
namespace {

TEST(OnlyNodeRanks, ANetworkBetweenNodesIsMeasuredOrSimulatedOrNot) {
  const std::vector<comm::RankPlace> one = {{.host = "a", .node = 0}, {.host = "a", .node = 0}};
  const std::vector<comm::RankPlace> two = {{.host = "a", .node = 0}, {.host = "b", .node = 1}};
  EXPECT_EQ(only_node_ranks(one, std::nullopt), 2);
  EXPECT_EQ(only_node_ranks(two, std::nullopt), std::nullopt);
  EXPECT_EQ(only_node_ranks(one, comm::parse_link_model("latency_us=5")), std::nullopt);
  EXPECT_EQ(only_node_ranks(one, comm::parse_link_model("latency_us=5", 1)), std::nullopt);
  EXPECT_EQ(only_node_ranks(one, comm::parse_link_model("latency_us=5", 4)), 4);
}

std::vector<comm::RankPlace> on_nodes(const std::vector<int>& nodes) {
  std::vector<comm::RankPlace> places;
  for (const int node : nodes) {
    places.push_back({.host = "n", .node = node});
  }
  return places;
}

TEST(KnownNodeRanks, AreThoseOfAllNodesAlike) {
  EXPECT_EQ(known_node_ranks(on_nodes({0, 0, 0}), std::nullopt), 0) << "one node: one level";
  EXPECT_EQ(known_node_ranks(on_nodes({0, 1, 2}), std::nullopt), 0);
  EXPECT_EQ(known_node_ranks(on_nodes({0, 0, 0, 1, 1, 1}), std::nullopt), 3);
  EXPECT_EQ(known_node_ranks(on_nodes({0, 1, 0, 1}), std::nullopt), 2) << "dealt out in turn";
  EXPECT_TRUE(are_dealt_out(on_nodes({0, 1, 0, 1})));
  EXPECT_FALSE(are_dealt_out(on_nodes({0, 0, 1, 1, 1, 2})));
  EXPECT_EQ(known_node_ranks(on_nodes({0, 0, 1}), std::nullopt), std::nullopt);
}

TEST(KnownNodeRanks, OfASimulatedLinkAreItsNodes) {
  const std::vector<comm::RankPlace> four = on_nodes({0, 0, 0, 0});
  EXPECT_EQ(known_node_ranks(four, comm::parse_link_model("latency_us=5")), 0);
  EXPECT_EQ(known_node_ranks(four, comm::parse_link_model("latency_us=5", 2)), 2);
  EXPECT_EQ(known_node_ranks(four, comm::parse_link_model("latency_us=5", 4)), 0);
}

TEST(CallsOfSize, AreFewOnASlowLink) {
  const auto after = [](double bytes, double time_s) {
    return std::vector<CollectiveTime>{{.bytes = bytes, .time_s = time_s}};
  };
  EXPECT_EQ(calls_of_size({}, 1 << 20), 10) << "nothing is known";
  EXPECT_EQ(calls_of_size(after(1 << 20, 0.001), 16 << 20), 10);
  EXPECT_EQ(calls_of_size(after(1 << 20, 0.01), 16 << 20), 6) << "of 0.16 s each, for a second";
  EXPECT_EQ(calls_of_size(after(1 << 20, 1.0), 16 << 20), 3) << "for an interval";
  EXPECT_EQ(calls_of_size(after(1 << 20, 0.1), 1 << 20), 10) << "a second just";
}

TEST(SecondsOfFacts, AreThoseOfTheStepsThatAreMeasured) {
  EXPECT_DOUBLE_EQ(seconds_of_facts(1.5, 1.5, 1), 3 * 1.5) << "the timeline alone";
  EXPECT_DOUBLE_EQ(seconds_of_facts(1.0, 1.5, 2), 3 * 1.0 + 4 * 1.5) << "as few as may be";
  EXPECT_DOUBLE_EQ(seconds_of_facts(0.1, 0.25, 8), 3 * 0.1 + 2.0) << "for two seconds";
  EXPECT_DOUBLE_EQ(seconds_of_facts(0.01, 0.02, 8), 3 * 0.01 + 11 * 0.02) << "as many as may be";
  EXPECT_DOUBLE_EQ(seconds_of_facts(0.0, 0.0, 2), 0.0);
}

TEST(MeasureAllReduces, OfCompressedGradientsCountWhatTravels) {
  constexpr std::int64_t kBytes = 65536;
  const auto bytes_of = [](GradientCompression compression) {
    double bytes = 0.0;
    testing::on_ranks(2, [&](comm::Rendezvous& ranks) {
      SessionOptions options;
      options.workload = "mnist_cnn";
      options.device = "cpu";
      options.batch_size = 1;
      options.threads = 1;
      options.workers = 1;
      options.autotune = false;
      options.compression = compression;
      SessionPlan plan(options, ranks);
      Session session(plan);
      RunGuard guard(std::nullopt);
      const std::vector<CollectiveTime> measured = measure_all_reduces(session, guard, {kBytes});
      if (ranks.rank() == 0) {
        ASSERT_EQ(measured.size(), 1U);
        bytes = measured[0].bytes;
      }
    });
    return bytes;
  };
  EXPECT_EQ(bytes_of(std::nullopt), kBytes);
  EXPECT_EQ(bytes_of(core::DType::kBF16), kBytes / 2);
}

}  // namespace
}  // namespace dlbench::harness
