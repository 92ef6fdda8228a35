// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/host_stream.h"
#include "engine/comm/check_pattern.h"
#include "tests/engine/comm/mpi/ranks.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::comm::mpi {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(MpiRendezvous, NamesItsLibrary) {
  EXPECT_THAT(ranks().library(), testing::ContainsRegex("^(MPICH|Open MPI) [0-9]"));
}

TEST(MpiRendezvous, PlacesAreTheSameEverywhereAndDistinct) {
  const std::vector<RankPlace>& places = ranks().places();
  ASSERT_EQ(places.size(), static_cast<std::size_t>(ranks().size()));
  std::set<std::pair<int, int>> seats;
  std::string text;
  for (const RankPlace& place : places) {
    seats.emplace(place.node, place.local_rank);
    EXPECT_LT(place.local_rank, place.local_size);
    text += place.host + ' ' + std::to_string(place.node) + ' ' + std::to_string(place.local_size);
  }
  EXPECT_EQ(seats.size(), places.size());
  EXPECT_EQ(ranks().broadcast_text(text), text);
  EXPECT_EQ(places[0].node, 0);
}

TEST(MpiRendezvous, FakeNodesHaveTheAskedSize) {
  const char* asked = std::getenv("DLBENCH_TEST_RANKS_PER_NODE");
  const int per_node = asked == nullptr ? ranks().size() : std::atoi(asked);
  for (int rank = 0; rank < ranks().size(); ++rank) {
    const RankPlace& place = ranks().places()[static_cast<std::size_t>(rank)];
    EXPECT_EQ(place.node, rank / per_node);
    EXPECT_EQ(place.machine, rank / per_node);
    EXPECT_EQ(place.local_rank, rank % per_node);
    EXPECT_EQ(place.local_size, std::min(per_node, ranks().size() - rank / per_node * per_node));
  }
}

TEST(MpiRendezvous, GathersTextsOfDifferentLengthOnRankZero) {
  const std::string mine(static_cast<std::size_t>(ranks().rank()) * 7, 'x');
  const std::vector<std::string> texts = ranks().gather(mine);
  if (ranks().rank() > 0) {
    EXPECT_TRUE(texts.empty());
    return;
  }
  ASSERT_EQ(texts.size(), static_cast<std::size_t>(ranks().size()));
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    EXPECT_EQ(texts[rank], std::string(rank * 7, 'x'));
  }
}

TEST(MpiRendezvous, GathersTextsOfDifferentLengthEverywhere) {
  const auto text_of = [](std::size_t rank) { return std::string(rank * 7, 'x') + "\n"; };
  const std::vector<std::string> texts =
      ranks().all_gather_text(text_of(static_cast<std::size_t>(ranks().rank())));
  ASSERT_EQ(texts.size(), static_cast<std::size_t>(ranks().size()));
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    EXPECT_EQ(texts[rank], text_of(rank));
  }
}

TEST(MpiRendezvous, GathersNumbersEverywhere) {
  const std::vector<double> values = ranks().all_gather(0.5 + ranks().rank());
  ASSERT_EQ(values.size(), static_cast<std::size_t>(ranks().size()));
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    EXPECT_EQ(values[rank], 0.5 + static_cast<double>(rank));
  }
}

TEST(MpiRendezvous, SubsetsWorkWhileTheOthersSleep) {
  for (int count = 1; count <= ranks().size(); ++count) {
    const std::unique_ptr<Rendezvous> subset = ranks().first(count);
    ASSERT_EQ(subset != nullptr, ranks().rank() < count);
    if (subset != nullptr) {
      EXPECT_EQ(subset->rank(), ranks().rank());
      EXPECT_EQ(subset->size(), count);
      EXPECT_EQ(subset->places().size(), static_cast<std::size_t>(count));
      EXPECT_EQ(subset->broadcast_text(std::to_string(count)), std::to_string(count));
      backend::HostStream stream;
      const std::unique_ptr<Communicator> communicator = subset->create_host_communicator();
      std::vector<std::byte> data(4 * 5000);
      const PatternRange all{.data = data.data(), .end = 5000};
      fill_pattern(all, ranks().rank());
      communicator->all_reduce({.data = data.data(), .count = 5000}, stream);
      EXPECT_EQ(count_wrong_sums(all, count), 0U);
    }
    ranks().barrier();
  }
}

TEST(MpiRendezvous, ASubsetMayTakeLongerThanACallWaits) {
  const double usual_s = ranks().timeout_s();
  ranks().barrier();
  ranks().set_timeout(0.05);
  if (ranks().rank() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  EXPECT_NO_THROW(ranks().await_subset());
  EXPECT_EQ(ranks().timeout_s(), 0.05);
  ranks().set_timeout(usual_s);
  ranks().barrier();
}

TEST(MpiRendezvous, WaitingTakesHardlyAnyProcessorTime) {
  using std::chrono::milliseconds;
  double least = 1.0;  // other programs on the machine only add to it
  for (int round = 0; round < 3; ++round) {
    ranks().barrier();
    const double before = cpu_seconds();
    if (ranks().rank() == 0) {
      std::this_thread::sleep_for(milliseconds(700));
    }
    ranks().barrier();
    least = std::min(least, cpu_seconds() - before);
  }
  // Polling would take 0.7 s, or a rank's share of the cores. Not a measurement: an order of
  // magnitude between the two.
  EXPECT_LT(least, 0.1);
}

}  // namespace
}  // namespace dlbench::comm::mpi
