// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sleeping takes at least as long as asked for, never exactly: these tests assert lower bounds, and
// the figures that the link itself reports, which follow from time stamps alone.
#include "engine/comm/simulated_link.h"

#include "engine/backend/host_stream.h"
#include "engine/comm/check_pattern.h"
#include "engine/comm/host_communicator.h"
#include "engine/comm/self.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "tests/engine/comm/thread_ranks.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace dlbench::comm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// An all-reduce on two ranks takes two latencies: 40 ms.
const LinkModel kSlowLink{.between = {.latency_s = 0.02}};
constexpr double kCost = 0.04;
constexpr std::size_t kCount = 5000;

ReduceRequest request_for(std::vector<std::byte>& data) {
  return {.data = data.data(), .count = kCount};
}

TEST(SimulatedLink, CollectivesGiveTheRightResultAfterTheCostOfTheLink) {
  constexpr int kSize = 2;
  ThreadNode node(kSize);
  run_ranks(kSize, [&](int rank) {
    SimulatedLinkCommunicator link(
        std::make_unique<HostCommunicator>(ranks_of_node(node, rank, kSize)), kSlowLink, 1);
    backend::HostStream stream;
    std::vector<std::byte> data(kCount * 4);
    const PatternRange all{.data = data.data(), .end = kCount};
    const PatternRange own{.data = data.data(),
                           .begin = share_begin(kCount, rank, kSize),
                           .end = share_begin(kCount, rank + 1, kSize)};
    auto start = Clock::now();
    fill_pattern(all, rank);
    link.all_reduce(request_for(data), stream);
    EXPECT_EQ(count_wrong_sums(all, kSize), 0U);
    EXPECT_GE(core::seconds_since(start), kCost);

    start = Clock::now();
    fill_pattern(all, rank);
    link.reduce_scatter(request_for(data), stream);
    EXPECT_EQ(count_wrong_sums(own, kSize), 0U);
    fill_pattern(own, rank);
    link.all_gather(data.data(), kCount, core::DType::kF32, stream);
    link.broadcast(data.data(), data.size(), 0, stream);
    EXPECT_EQ(count_wrong_copies({.data = data.data(), .end = kCount / 2}, 0), 0U);
    EXPECT_EQ(count_wrong_copies({.data = data.data(), .begin = kCount / 2, .end = kCount}, 1), 0U);
    EXPECT_GE(core::seconds_since(start), 1.5 * kCost) << "three of one latency each";
    const CommunicationTotals totals = link.take_totals();
    EXPECT_EQ(totals.collectives, 4);
    EXPECT_GE(totals.transfer_s, 2.5 * kCost * 0.999);
    EXPECT_GE(totals.all_reduce_s, kCost * 0.999);
    EXPECT_LE(totals.all_reduce_s, totals.transfer_s - 1.5 * kCost * 0.999);
    EXPECT_DOUBLE_EQ(totals.exposed_transfer_s, totals.transfer_s) << "all of them block";
    EXPECT_DOUBLE_EQ(totals.exposed_all_reduce_s, totals.all_reduce_s);
    EXPECT_GE(totals.exposed_s, totals.exposed_transfer_s);

    const std::vector<std::size_t> bounds = {0, data.size() / 2, data.size()};
    fill_pattern(all, rank);
    link.reduce(request_for(data), 0, stream);
    if (rank == 0) {
      EXPECT_EQ(count_wrong_sums(all, kSize), 0U);
      fill_pattern(all, 0);
    }
    link.scatter(data.data(), bounds, 0, stream);
    EXPECT_EQ(count_wrong_copies(own, 0), 0U);
    fill_pattern(all, rank);
    link.gather(data.data(), bounds, 1, stream);
    EXPECT_EQ(count_wrong_copies({.data = data.data(), .end = kCount / 2}, rank == 1 ? 0 : rank),
              0U);
    EXPECT_GE(link.take_totals().transfer_s, 1.5 * kCost * 0.999) << "three of one latency each";
  });
}

TEST(SimulatedLink, StartedCollectivesQueueForTheLinkBesideTheCaller) {
  constexpr int kSize = 2;
  ThreadNode node(kSize);
  run_ranks(kSize, [&](int rank) {
    SimulatedLinkCommunicator link(
        std::make_unique<HostCommunicator>(ranks_of_node(node, rank, kSize)), kSlowLink, 1);
    backend::HostStream stream;
    std::vector<std::byte> first(kCount * 4);
    std::vector<std::byte> second(kCount * 4);
    fill_pattern({.data = first.data(), .end = kCount}, rank);
    fill_pattern({.data = second.data(), .end = kCount}, rank);
    const auto start = Clock::now();
    const Ticket one = link.start_all_reduce(request_for(first), stream);
    const Ticket two = link.start_all_reduce(request_for(second), stream);
    // They run without anybody waiting for them.
    CommunicationTotals totals;
    while (totals.collectives < 2 && core::seconds_since(start) < 60.0) {
      std::this_thread::sleep_for(milliseconds(5));
      totals += link.take_totals();
    }
    EXPECT_EQ(totals.collectives, 2);
    EXPECT_GE(totals.all_reduce_s, 2 * kCost * 0.999);
    EXPECT_EQ(totals.exposed_all_reduce_s, 0.0) << "nobody waited";
    EXPECT_GE(core::seconds_since(start), 2 * kCost);
    link.wait(one, stream);
    link.wait(two, stream);
    EXPECT_EQ(count_wrong_sums({.data = first.data(), .end = kCount}, kSize), 0U);
    EXPECT_EQ(count_wrong_sums({.data = second.data(), .end = kCount}, kSize), 0U);
  });
}

TEST(SimulatedLink, TheLinkBeginsWhenTheLastRankArrives) {
  constexpr int kSize = 2;
  std::atomic<Clock::time_point> arrival{Clock::time_point{}};
  std::vector<std::vector<double>> ahead_s(kSize);
  ThreadNode node(kSize);
  run_ranks(kSize, [&](int rank) {
    SimulatedLinkCommunicator link(
        std::make_unique<HostCommunicator>(ranks_of_node(node, rank, kSize)), kSlowLink, 1);
    backend::HostStream stream;
    std::vector<std::byte> data(kCount * 4);
    if (rank == 1) {
      std::this_thread::sleep_for(milliseconds(100));
      arrival = Clock::now();
    }
    link.all_reduce(request_for(data), stream);
    EXPECT_GE(core::seconds_since(arrival.load()), kCost);
    ahead_s[static_cast<std::size_t>(rank)] = link.take_arrivals();
  });
  EXPECT_THAT(ahead_s[0], ::testing::ElementsAre(::testing::Gt(0.09)));
  EXPECT_THAT(ahead_s[1], ::testing::ElementsAre(0.0)) << "it came last";
}

TEST(SimulatedLink, CostsNothingAtOneRank) {
  SimulatedLinkCommunicator link(
      std::make_unique<SelfCommunicator>(), {.between = {.latency_s = 3600.0}}, 1);
  backend::HostStream stream;
  std::vector<std::byte> data(kCount * 4);
  fill_pattern({.data = data.data(), .end = kCount}, 0);
  link.all_reduce(request_for(data), stream);
  link.wait(link.start_all_reduce(request_for(data), stream), stream);
  EXPECT_EQ(count_wrong_copies({.data = data.data(), .end = kCount}, 0), 0U);
  EXPECT_EQ(link.name(), "self, simulated link");
}

TEST(SimulatedLink, EndsWhileACollectiveIsUnderWay) {
  constexpr int kSize = 2;
  ThreadNode node(kSize);
  std::vector<std::vector<std::byte>> data(kSize, std::vector<std::byte>(kCount * 4));
  run_ranks(kSize, [&](int rank) {
    SimulatedLinkCommunicator link(
        std::make_unique<HostCommunicator>(ranks_of_node(node, rank, kSize)),
        {.between = {.latency_s = 3600.0}},
        1);
    backend::HostStream stream;
    (void)link.start_all_reduce(request_for(data[static_cast<std::size_t>(rank)]), stream);
    std::this_thread::sleep_for(milliseconds(50));
  });
}

}  // namespace
}  // namespace dlbench::comm
