// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communication_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <thread>

namespace dlbench::comm {
namespace {

using ::testing::ElementsAre;
using Kind = CommunicationThread::Kind;

/// A collective that says it took far longer than any of these tests.
constexpr double kLongS = 1000.0;

class CommunicationThreadTest : public ::testing::Test {
 protected:
  /// What was booked since the last call, once one collective is.
  CommunicationTotals next_totals() {
    CommunicationTotals totals;
    while (totals.collectives == 0) {
      std::this_thread::yield();
      totals += thread_.take_totals();
    }
    return totals;
  }

  std::array<std::byte, 16> data_{};
  ReduceRequest request_{.data = data_.data(), .count = 4};
  CommunicationThread thread_{{.run =
                                   [](const ReduceRequest& /*request*/, auto /*started*/) {
                                     return CollectiveTimes{
                                         .waiting_s = 0.25, .transfer_s = kLongS, .ahead_s = 0.5};
                                   },
                               .idle = {}}};
};

TEST_F(CommunicationThreadTest, BooksWhatAStartedCollectiveTookAndKeptTheCaller) {
  thread_.wait(thread_.start(request_));
  const CommunicationTotals totals = thread_.take_totals();
  EXPECT_EQ(totals.collectives, 1);
  EXPECT_EQ(totals.bytes, 16);
  EXPECT_EQ(totals.waiting_s, 0.25);
  EXPECT_EQ(totals.transfer_s, kLongS);
  EXPECT_EQ(totals.all_reduce_s, kLongS);
  EXPECT_GT(totals.exposed_s, 0.0);
  EXPECT_LT(totals.exposed_all_reduce_s, kLongS) << "the caller did not wait that long";
  EXPECT_EQ(totals.exposed_transfer_s, totals.exposed_all_reduce_s);
  EXPECT_THAT(thread_.take_arrivals(), ElementsAre(0.5));
  EXPECT_EQ(thread_.take_totals().collectives, 0) << "taken";
}

TEST_F(CommunicationThreadTest, SeveralThatACallerWaitsForKeepItOnce) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    static_cast<void>(thread_.start(request_));
    static_cast<void>(thread_.start(request_));
    thread_.wait(thread_.start(request_));
    const CommunicationTotals totals = thread_.take_totals();
    EXPECT_LE(totals.exposed_transfer_s, totals.exposed_s) << "each of them says it took long";
  }
}

TEST_F(CommunicationThreadTest, NothingIsExposedWhereNobodyWaits) {
  EXPECT_EQ((static_cast<void>(thread_.start(request_)), next_totals().exposed_all_reduce_s), 0.0);
  thread_.wait(thread_.start(request_));
  static_cast<void>(thread_.take_totals());
  EXPECT_EQ((static_cast<void>(thread_.start(request_)), next_totals().exposed_all_reduce_s), 0.0)
      << "the caller waited before";
  thread_.run_here(16, [] { return CollectiveTimes{}; });
  static_cast<void>(thread_.take_totals());
  EXPECT_EQ((static_cast<void>(thread_.start(request_)), next_totals().exposed_transfer_s), 0.0)
      << "the caller ran one itself before";
}

TEST_F(CommunicationThreadTest, BooksWhatTheCallerRunsItself) {
  const auto collective = [] { return CollectiveTimes{.waiting_s = 0.5, .transfer_s = 2.0}; };
  thread_.run_here(24, collective);
  const CommunicationTotals other = thread_.take_totals();
  EXPECT_EQ(other.bytes, 24);
  EXPECT_EQ(other.waiting_s, 0.5);
  EXPECT_EQ(other.transfer_s, 2.0);
  EXPECT_EQ(other.exposed_transfer_s, 2.0);
  EXPECT_GT(other.exposed_s, 0.0);
  EXPECT_EQ(other.all_reduce_s, 0.0);
  EXPECT_EQ(other.exposed_all_reduce_s, 0.0);
  thread_.run_here(24, collective, Kind::kAllReduce);
  const CommunicationTotals all_reduce = thread_.take_totals();
  EXPECT_EQ(all_reduce.exposed_transfer_s, 2.0);
  EXPECT_EQ(all_reduce.all_reduce_s, 2.0);
  EXPECT_EQ(all_reduce.exposed_all_reduce_s, 2.0);
}

TEST(CommunicationThread, AfterAFailureEveryCallThrowsIt) {
  std::array<std::byte, 4> data{};
  const ReduceRequest request{.data = data.data(), .count = 1};
  int runs = 0;
  CommunicationThread thread(
      {.run = [&runs](const ReduceRequest& /*request*/, auto /*started*/) -> CollectiveTimes {
         if (++runs == 2) {
           throw std::runtime_error("the second");
         }
         return {};
       },
       .idle = {}});
  const Ticket first = thread.start(request);
  thread.wait(first);
  const Ticket second = thread.start(request);
  EXPECT_THROW(thread.wait(second), std::runtime_error);
  EXPECT_NO_THROW(thread.wait(first)) << "that one was done before";
  EXPECT_THROW(static_cast<void>(thread.start(request)), std::runtime_error);
  bool ran = false;
  const auto collective = [&ran] {
    ran = true;
    return CollectiveTimes{};
  };
  EXPECT_THROW(thread.run_here(4, collective), std::runtime_error);
  EXPECT_FALSE(ran);
  EXPECT_EQ(thread.take_totals().collectives, 1);
}

TEST(CommunicationThread, AFailureOnTheCallersThreadIsOneToo) {
  std::array<std::byte, 4> data{};
  CommunicationThread thread(
      {.run = [](const ReduceRequest& /*request*/, auto /*started*/) { return CollectiveTimes{}; },
       .idle = {}});
  const auto fails = []() -> CollectiveTimes { throw std::runtime_error("here"); };
  EXPECT_THROW(thread.run_here(4, fails), std::runtime_error);
  EXPECT_THROW(static_cast<void>(thread.start({.data = data.data(), .count = 1})),
               std::runtime_error);
}

}  // namespace
}  // namespace dlbench::comm
