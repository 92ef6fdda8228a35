// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The algorithm and its threads, with ranks played by threads; over MPI: mpi/collectives_test.cpp.
#include "engine/comm/host_communicator.h"

#include "engine/backend/host_stream.h"
#include "engine/comm/check_pattern.h"
#include "engine/core/error.h"
#include "tests/engine/comm/thread_ranks.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::comm {
namespace {

using core::DType;

/// A rank with what its tests need.
struct Rank {
  Rank(ThreadNode& node, int rank, int size, int spins = 0)
      : communicator(ranks_of_node(node, rank, size, spins)) {}
  HostCommunicator communicator;
  backend::HostStream stream;
  std::unique_ptr<backend::Backend> backend = backend::create_backend("ref", {.threads = 1});
};

const std::vector<std::size_t> kCounts = {0, 1, 2, 5, 1009, 4097, 600011};

TEST(HostCommunicator, SumsOnAnyNumberOfRanks) {
  for (const int size : {1, 2, 3, 4, 8}) {
    ThreadNode node(size);
    run_ranks(size, [&](int rank) {
      // Ranks that spin take other ways through small calls than ranks that sleep.
      Rank self(node, rank, size, size % 2 == 0 ? 20 : 0);
      const auto window = self.communicator.allocate(*self.backend, 600011 * 4);
      for (const std::size_t count : kCounts) {
        std::vector<std::byte> own(count * 4 + 1);
        for (std::byte* data : {window->data(), own.data()}) {
          fill_pattern({.data = data, .end = count}, rank);
          self.communicator.all_reduce({.data = data, .count = count}, self.stream);
          EXPECT_EQ(count_wrong_sums({.data = data, .end = count}, size), 0U)
              << count << " on " << size;
        }
      }
    });
  }
}

TEST(HostCommunicator, ScattersGathersAndBroadcasts) {
  constexpr int kSize = 3;
  ThreadNode node(kSize);
  run_ranks(kSize, [&](int rank) {
    Rank self(node, rank, kSize);
    const auto window = self.communicator.allocate(*self.backend, 600011 * 4);
    for (const std::size_t count : kCounts) {
      std::vector<std::byte> own(count * 4 + 1);
      for (std::byte* data : {window->data(), own.data()}) {
        const auto share = [&](int owner) {
          return PatternRange{.data = data,
                              .begin = share_begin(count, owner, kSize),
                              .end = share_begin(count, owner + 1, kSize)};
        };
        fill_pattern({.data = data, .end = count}, rank);
        self.communicator.reduce_scatter({.data = data, .count = count}, self.stream);
        EXPECT_EQ(count_wrong_sums(share(rank), kSize), 0U) << count;

        fill_pattern(share(rank), rank);
        self.communicator.all_gather(data, count, DType::kF32, self.stream);
        for (int owner = 0; owner < kSize; ++owner) {
          EXPECT_EQ(count_wrong_copies(share(owner), owner), 0U) << count;
        }

        fill_pattern({.data = data, .end = count}, rank);
        self.communicator.broadcast(data, count * 4, 1, self.stream);
        EXPECT_EQ(count_wrong_copies({.data = data, .end = count}, 1), 0U) << count;
      }
    }
  });
}

TEST(HostCommunicator, ReducesToOneRankScattersAndGathersAgain) {
  constexpr int kSize = 3;
  constexpr int kRoot = 1;
  ThreadNode node(kSize);
  run_ranks(kSize, [&](int rank) {
    Rank self(node, rank, kSize);
    const auto window = self.communicator.allocate(*self.backend, 600011 * 4);
    for (const std::size_t count : kCounts) {
      std::vector<std::byte> own(count * 4 + 1);
      for (std::byte* data : {window->data(), own.data()}) {
        fill_pattern({.data = data, .end = count}, rank);
        self.communicator.reduce({.data = data, .count = count}, kRoot, self.stream);
        if (rank == kRoot) {
          EXPECT_EQ(count_wrong_sums({.data = data, .end = count}, kSize), 0U) << count;
        }

        // Uneven parts, the second of which may be empty.
        const std::vector<std::size_t> elements = {0, count / 2, count / 2 + count % 2, count};
        std::vector<std::size_t> bounds;
        for (const std::size_t element : elements) {
          bounds.push_back(element * 4);
        }
        fill_pattern({.data = data, .end = count}, rank);
        self.communicator.scatter(data, bounds, kRoot, self.stream);
        for (int part = 0; part < kSize; ++part) {
          const auto index = static_cast<std::size_t>(part);
          const int sender = part == rank ? kRoot : rank;  // the other parts stay as they were
          EXPECT_EQ(
              count_wrong_copies(
                  {.data = data, .begin = elements[index], .end = elements[index + 1]}, sender),
              0U)
              << count << ", part " << part << " on rank " << rank;
        }

        fill_pattern({.data = data, .end = count}, rank);
        self.communicator.gather(data, bounds, kRoot, self.stream);
        for (int part = 0; part < kSize; ++part) {
          const auto index = static_cast<std::size_t>(part);
          const int sender = rank == kRoot ? part : rank;
          EXPECT_EQ(
              count_wrong_copies(
                  {.data = data, .begin = elements[index], .end = elements[index + 1]}, sender),
              0U)
              << count << ", part " << part << " on rank " << rank;
        }
      }
    }
  });
}

TEST(HostCommunicator, StartedCollectivesRunBesideTheCallerInOrder) {
  constexpr int kSize = 4;
  constexpr std::size_t kCount = 30011;
  constexpr std::size_t kInFlight = 5;
  ThreadNode node(kSize);
  std::vector<std::vector<double>> ahead_s(kSize);
  run_ranks(kSize, [&](int rank) {
    Rank self(node, rank, kSize);
    const auto window = self.communicator.allocate(*self.backend, kInFlight * kCount * 4);
    for (int round = 0; round < 10; ++round) {
      std::vector<Ticket> tickets;
      for (std::size_t index = 0; index < kInFlight; ++index) {
        std::byte* data = window->data() + index * kCount * 4;
        fill_pattern({.data = data, .end = kCount}, rank);
        tickets.push_back(
            self.communicator.start_all_reduce({.data = data, .count = kCount}, self.stream));
      }
      for (std::size_t index = 0; index < kInFlight; ++index) {
        self.communicator.wait(tickets[index], self.stream);
        const PatternRange all{.data = window->data() + index * kCount * 4, .end = kCount};
        EXPECT_EQ(count_wrong_sums(all, kSize), 0U);
      }
    }
    const CommunicationTotals totals = self.communicator.take_totals();
    EXPECT_EQ(totals.collectives, 10 * static_cast<std::int64_t>(kInFlight));
    EXPECT_EQ(totals.bytes, totals.collectives * static_cast<std::int64_t>(kCount) * 4);
    EXPECT_DOUBLE_EQ(totals.all_reduce_s, totals.transfer_s);
    EXPECT_LE(totals.exposed_all_reduce_s, totals.all_reduce_s);
    EXPECT_EQ(self.communicator.take_totals().collectives, 0);
    ahead_s[static_cast<std::size_t>(rank)] = self.communicator.take_arrivals();
    EXPECT_THAT(self.communicator.take_arrivals(), testing::IsEmpty());
  });
  std::size_t last = 0;
  for (const std::vector<double>& of_rank : ahead_s) {
    EXPECT_EQ(of_rank.size(), 10 * kInFlight);
    last += static_cast<std::size_t>(std::count(of_rank.begin(), of_rank.end(), 0.0));
  }
  EXPECT_EQ(last, 10 * kInFlight) << "one rank each time";
}

TEST(HostCommunicator, WorksWhereWindowsHaveNoRoom) {
  constexpr int kSize = 2;
  ThreadNode node(kSize, std::size_t{4} << 20);  // staging fits, the window does not
  run_ranks(kSize, [&](int rank) {
    Rank self(node, rank, kSize);
    constexpr std::size_t kCount = std::size_t{2} << 20;
    const auto buffer = self.communicator.allocate(*self.backend, kCount * 4);
    const PatternRange all{.data = buffer->data(), .end = kCount};
    fill_pattern(all, rank);
    self.communicator.all_reduce({.data = buffer->data(), .count = kCount}, self.stream);
    EXPECT_EQ(count_wrong_sums(all, kSize), 0U);
  });
}

TEST(HostCommunicator, RefusesToStartWithoutRoomForStaging) {
  ThreadNode node(1, 4096);
  try {
    const Rank self(node, 0, 1);
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kMemory);
    EXPECT_THAT(error.what(), testing::HasSubstr("/dev/shm"));
  }
}

TEST(HostCommunicator, ReducesWithinNodesAndBetweenThem) {
  constexpr int kNodes = 3;
  constexpr int kPerNode = 2;
  constexpr int kSize = kNodes * kPerNode;
  ThreadNetwork network(kNodes, kPerNode);
  std::vector<std::unique_ptr<ThreadNode>> nodes;
  for (int node = 0; node < kNodes; ++node) {
    nodes.push_back(std::make_unique<ThreadNode>(kPerNode));
  }
  run_ranks(kSize, [&](int rank) {
    const int node = rank / kPerNode;
    HostRanks ranks{.rank = rank, .size = kSize, .timeout_s = 30.0};
    ranks.node_ranks = {node * kPerNode, node * kPerNode + 1};
    ranks.memory = nodes[static_cast<std::size_t>(node)]->memory(rank % kPerNode);
    ranks.links = network.links(rank);
    HostCommunicator communicator(std::move(ranks));
    backend::HostStream stream;
    for (const std::size_t count : kCounts) {
      for (const DType dtype : {DType::kF32, DType::kBF16}) {
        std::vector<std::byte> data(count * 4 + 1);
        const PatternRange all{.data = data.data(), .dtype = dtype, .end = count};
        fill_pattern(all, rank);
        communicator.all_reduce({.data = data.data(), .count = count, .dtype = dtype}, stream);
        EXPECT_EQ(count_wrong_sums(all, kSize), 0U) << count;
      }
    }
  });
}

/// Each rank's take_arrivals() after collectives to which `slow` comes 60 ms late. `nodes`: the
/// size of each; as many lanes as the smallest has ranks.
std::vector<std::vector<double>> arrivals_on_nodes(const std::vector<int>& sizes, int slow) {
  const int lanes = *std::min_element(sizes.begin(), sizes.end());
  ThreadNetwork network(static_cast<int>(sizes.size()), lanes);
  std::vector<std::unique_ptr<ThreadNode>> nodes;
  std::vector<int> node_of;
  std::vector<int> first_of;
  for (const int size : sizes) {
    first_of.push_back(static_cast<int>(node_of.size()));
    node_of.insert(node_of.end(), static_cast<std::size_t>(size), static_cast<int>(nodes.size()));
    nodes.push_back(std::make_unique<ThreadNode>(size));
  }
  const int size = static_cast<int>(node_of.size());
  std::vector<std::vector<double>> ahead_s(node_of.size());
  run_ranks(size, [&](int rank) {
    const auto node = static_cast<std::size_t>(node_of[static_cast<std::size_t>(rank)]);
    const int local = rank - first_of[node];
    HostRanks ranks{.rank = rank, .size = size, .timeout_s = 30.0};
    for (int other = 0; other < sizes[node]; ++other) {
      ranks.node_ranks.push_back(first_of[node] + other);
    }
    ranks.memory = nodes[node]->memory(local);
    ranks.links = network.links(static_cast<int>(node) * lanes + std::min(local, lanes - 1));
    HostCommunicator communicator(std::move(ranks));
    backend::HostStream stream;
    std::vector<std::byte> data(4000);
    for (int step = 0; step < 5; ++step) {
      if (rank == slow) {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
      }
      communicator.all_reduce({.data = data.data(), .count = 1000}, stream);
    }
    if (rank != slow) {
      EXPECT_GT(communicator.take_totals().waiting_s, 0.15) << "rank " << rank;
    }
    ahead_s[static_cast<std::size_t>(rank)] = communicator.take_arrivals();
  });
  return ahead_s;
}

TEST(HostCommunicator, TheRankThatComesLastOfAllNodesIsTheLeastAhead) {
  // One rank per node, several, and ranks that are in no lane.
  for (const std::vector<int>& sizes : std::vector<std::vector<int>>{{1, 1, 1}, {2, 2}, {2, 1}}) {
    const int ranks = std::accumulate(sizes.begin(), sizes.end(), 0);
    for (int slow = 0; slow < ranks; ++slow) {
      std::vector<std::vector<double>> ahead_s = arrivals_on_nodes(sizes, slow);
      for (int rank = 0; rank < ranks; ++rank) {
        std::vector<double>& of_rank = ahead_s[static_cast<std::size_t>(rank)];
        ASSERT_EQ(of_rank.size(), 5U);
        std::sort(of_rank.begin(), of_rank.end());  // a thread may lose its processor for a while
        EXPECT_EQ(of_rank[2] < 0.03, rank == slow)
            << "rank " << rank << " of " << ranks << ", slow is " << slow << ": " << of_rank[2];
      }
    }
  }
}

TEST(HostCommunicator, TimeOutNamesTheMissingRankAndTheCollective) {
  constexpr int kSize = 3;
  ThreadNode node(kSize);
  std::barrier<> end(kSize);
  run_ranks(kSize, [&](int rank) {
    HostRanks ranks = ranks_of_node(node, rank, kSize);
    ranks.timeout_s = 3.0;  // of the first, good one too
    HostCommunicator communicator(std::move(ranks));
    backend::HostStream stream;
    std::vector<float> value(1, 1.0F);
    const ReduceRequest request{.data = reinterpret_cast<std::byte*>(value.data()), .count = 1};
    communicator.all_reduce(request, stream);
    if (rank != 1) {
      try {
        communicator.wait(communicator.start_all_reduce(request, stream), stream);
        ADD_FAILURE() << "no time-out";
      } catch (const core::Error& error) {
        EXPECT_EQ(error.code(), core::ErrorCode::kTimeout);
        EXPECT_THAT(error.what(), testing::HasSubstr("all_reduce (collective 1)"));
        EXPECT_THAT(error.what(), testing::HasSubstr("in vain for rank 1 (process"));
      }
      // What follows fails at once: the ranks are out of step.
      EXPECT_THROW(communicator.all_reduce(request, stream), core::Error);
    }
    end.arrive_and_wait();
  });
}

// What one rank does in each case is another collective than what the other rank does.
TEST(HostCommunicator, RanksInDifferentCollectivesAreTold) {
  using Call = std::function<void(Rank & self, std::byte * data)>;
  const auto all_reduce = [](ReduceRequest request) -> Call {
    return [request](Rank& self, std::byte* data) {
      ReduceRequest own = request;
      own.data = data;
      self.communicator.all_reduce(own, self.stream);
    };
  };
  const auto broadcast = [](int root) -> Call {
    return [root](Rank& self, std::byte* data) {
      self.communicator.broadcast(data, 8, root, self.stream);
    };
  };
  const Call reduce_scatter = [](Rank& self, std::byte* data) {
    self.communicator.reduce_scatter({.data = data, .count = 2}, self.stream);
  };
  const Call all_gather = [](Rank& self, std::byte* data) {
    self.communicator.all_gather(data, 2, DType::kF32, self.stream);
  };
  const std::vector<std::array<Call, 2>> cases = {
      {all_reduce({.count = 2}), all_reduce({.count = 1})},
      {all_reduce({.count = 2}), all_reduce({.count = 2, .dtype = DType::kI32})},
      {all_reduce({.count = 2}), all_reduce({.count = 2, .op = ReduceOp::kMax})},
      {broadcast(0), broadcast(1)},
      {reduce_scatter, all_gather}};
  for (std::size_t number = 0; number < cases.size(); ++number) {
    ThreadNode node(2);
    std::barrier<> end(2);
    run_ranks(2, [&](int rank) {
      Rank self(node, rank, 2);
      std::array<std::byte, 8> data{};
      try {
        cases[number][static_cast<std::size_t>(rank)](self, data.data());
        ADD_FAILURE() << "case " << number << ": no error on rank " << rank;
      } catch (const core::Error& error) {
        EXPECT_EQ(error.code(), core::ErrorCode::kRun);
        EXPECT_THAT(
            error.what(),
            testing::HasSubstr("rank " + std::to_string(1 - rank) + " is in another collective"));
      }
      end.arrive_and_wait();
    });
  }
}

TEST(HostCommunicator, TotalsHaveTheBytesOfEachCollective) {
  ThreadNode node(2);
  run_ranks(2, [&](int rank) {
    Rank self(node, rank, 2);
    std::vector<std::byte> data(80);
    const auto take_bytes = [&self] {
      const auto totals = self.communicator.take_totals();
      EXPECT_EQ(totals.collectives, 1);
      return totals.bytes;
    };
    self.communicator.all_reduce({.data = data.data(), .count = 10}, self.stream);
    EXPECT_EQ(take_bytes(), 40);
    self.communicator.all_gather(data.data(), 10, DType::kF64, self.stream);
    EXPECT_EQ(take_bytes(), 80);
    self.communicator.reduce_scatter({.data = data.data(), .count = 20}, self.stream);
    EXPECT_EQ(take_bytes(), 80);
    self.communicator.broadcast(data.data(), 7, 0, self.stream);
    EXPECT_EQ(take_bytes(), 7);
    self.communicator.all_reduce({.data = data.data(), .count = 1}, self.stream);
    const auto totals = self.communicator.take_totals();
    EXPECT_EQ(totals.all_reduce_s, totals.transfer_s);
    EXPECT_EQ(totals.exposed_all_reduce_s, totals.transfer_s) << "the caller made it itself";
  });
}

TEST(HostCommunicator, RankThatLeftIsNoticedAtOnce) {
  constexpr int kSize = 2;
  ThreadNode node(kSize);
  run_ranks(kSize, [&](int rank) {
    Rank self(node, rank, kSize);
    if (rank == 0) {
      return;
    }
    std::vector<float> value(1, 1.0F);
    try {
      self.communicator.all_reduce({.data = reinterpret_cast<std::byte*>(value.data()), .count = 1},
                                   self.stream);
      ADD_FAILURE() << "no error";
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kRun);
      EXPECT_THAT(error.what(), testing::HasSubstr("rank 0 (process"));
    }
  });
}

TEST(HostCommunicator, EndsWithACollectiveInFlight) {
  // As after an error of this rank between start and wait: the destructor must not wait for others.
  constexpr int kSize = 2;
  ThreadNode node(kSize);
  std::barrier<> end(kSize);
  std::vector<float> value(1, 1.0F);
  run_ranks(kSize, [&](int rank) {
    {
      HostRanks ranks = ranks_of_node(node, rank, kSize);
      ranks.timeout_s = 1e6;
      HostCommunicator communicator(std::move(ranks));
      backend::HostStream stream;
      if (rank == 0) {
        (void)communicator.start_all_reduce(
            {.data = reinterpret_cast<std::byte*>(value.data()), .count = 1}, stream);
      } else {
        end.arrive_and_wait();
      }
    }
    if (rank == 0) {
      end.arrive_and_wait();
    }
  });
}

TEST(HostCommunicator, OrderOfAdditionIsThatOfTheRanks) {
  // (1e8 + 1) - 1e8 = 0 in f32, 1e8 - 1e8 + 1 = 1: whoever adds, the result is the same.
  constexpr int kSize = 3;
  constexpr std::size_t kCount = 100000;
  const std::vector<float> per_rank = {1e8F, 1.0F, -1e8F};
  ThreadNode node(kSize);
  run_ranks(kSize, [&](int rank) {
    Rank self(node, rank, kSize);
    for (const std::size_t count : {std::size_t{10}, kCount}) {
      std::vector<float> values(count, per_rank[static_cast<std::size_t>(rank)]);
      self.communicator.all_reduce(
          {.data = reinterpret_cast<std::byte*>(values.data()), .count = count}, self.stream);
      EXPECT_THAT(values, testing::Each(0.0F));
    }
  });
}

}  // namespace
}  // namespace dlbench::comm
