// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives of a device that runs later than it is told, through host memory. Ranks are threads.
#include "engine/comm/host_staged.h"

#include "engine/comm/check_pattern.h"
#include "engine/comm/host_communicator.h"
#include "engine/comm/shared_device.h"
#include "tests/engine/comm/thread_ranks.h"
#include "tests/engine/exec/deferred_backend.h"

#include <gmock/gmock.h>

#include <barrier>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace dlbench::comm {
namespace {

using exec::testing::Copies;
using exec::testing::DeferredBackend;
using exec::testing::DeferredStream;

constexpr std::size_t kLargest = 20011;
const std::vector<std::size_t> kStagedCounts = {0, 1, 5, kLargest};

/// A rank whose device gets its data by kernels that run as late as they may.
class StagedRank {
 public:
  StagedRank(ThreadNode& node, int rank, int size, Copies copies)
      : rank_(rank),
        backend_(copies),
        stream_(copies),
        memory_(backend_.allocate(kLargest * sizeof(float))),
        communicator_(std::make_unique<HostCommunicator>(ranks_of_node(node, rank, size)),
                      backend_) {}

  [[nodiscard]] Communicator& communicator() { return communicator_; }
  [[nodiscard]] DeferredStream& stream() { return stream_; }
  [[nodiscard]] ReduceRequest request(std::size_t count) {
    return {.data = memory_->data(), .count = count};
  }
  /// Enqueues what makes this rank's pattern.
  void fill(std::size_t count) {
    stream_.enqueue_kernel(
        [this, count] { fill_pattern({.data = memory_->data(), .end = count}, rank_); });
  }
  /// What a kernel finds there that is enqueued now.
  [[nodiscard]] PatternRange seen(std::size_t count) {
    stream_.enqueue_kernel([this] {
      std::memcpy(seen_.data(), memory_->data(), seen_.size());
      std::memset(memory_->data(), 0, seen_.size());
    });
    stream_.synchronize();
    return {.data = seen_.data(), .end = count};
  }

 private:
  int rank_;
  DeferredBackend backend_;
  DeferredStream stream_;
  std::unique_ptr<backend::Buffer> memory_;
  std::vector<std::byte> seen_ = std::vector<std::byte>(kLargest * sizeof(float));
  HostStagedCommunicator communicator_;  // last: what is in flight uses all of the above
};

PatternRange share(PatternRange all, int rank, int size) {
  all.begin = share_begin(all.end, rank, size);
  all.end = share_begin(all.end, rank + 1, size);
  return all;
}

class HostStaged : public testing::TestWithParam<Copies> {
 protected:
  /// Runs `work(self, rank)` on `size` ranks.
  template <typename Work>
  static void on_ranks(int size, Work work) {
    ThreadNode node(size);
    run_ranks(size, [&](int rank) {
      StagedRank self(node, rank, size, GetParam());
      work(self, rank);
    });
  }
};

INSTANTIATE_TEST_SUITE_P(
    , HostStaged, testing::Values(Copies::kAtFirst, Copies::kAtLast), [](const auto& instance) {
      return instance.param == Copies::kAtFirst ? "CopiesAtFirst" : "CopiesAtLast";
    });

TEST_P(HostStaged, SumsWhatKernelsMadeForKernelsThatFollow) {
  for (const int size : {1, 2, 3}) {
    on_ranks(size, [&](StagedRank& self, int /*rank*/) {
      EXPECT_EQ(self.communicator().name(), "shared-window, host-staged");
      EXPECT_FALSE(self.communicator().capturable());
      for (const std::size_t count : kStagedCounts) {
        self.fill(count);
        self.communicator().all_reduce(self.request(count), self.stream());
        EXPECT_EQ(count_wrong_sums(self.seen(count), size), 0U) << count << " on " << size;
      }
    });
  }
}

TEST_P(HostStaged, ScattersGathersAndBroadcasts) {
  constexpr int kSize = 3;
  on_ranks(kSize, [](StagedRank& self, int rank) {
    for (const std::size_t count : kStagedCounts) {
      const ReduceRequest request = self.request(count);
      self.fill(count);
      self.communicator().reduce_scatter(request, self.stream());
      EXPECT_EQ(count_wrong_sums(share(self.seen(count), rank, kSize), kSize), 0U) << count;

      self.fill(count);
      self.communicator().all_gather(request.data, count, request.dtype, self.stream());
      const PatternRange gathered = self.seen(count);
      for (int owner = 0; owner < kSize; ++owner) {
        EXPECT_EQ(count_wrong_copies(share(gathered, owner, kSize), owner), 0U) << count;
      }

      self.fill(count);
      self.communicator().broadcast(request.data, count * sizeof(float), 1, self.stream());
      EXPECT_EQ(count_wrong_copies(self.seen(count), 1), 0U) << count;
    }
  });
}

TEST_P(HostStaged, ReducesToOneRankScattersAndGathersAgain) {
  constexpr int kSize = 3;
  constexpr int kRoot = 1;
  on_ranks(kSize, [](StagedRank& self, int rank) {
    for (const std::size_t count : kStagedCounts) {
      const ReduceRequest request = self.request(count);
      self.fill(count);
      self.communicator().reduce(request, kRoot, self.stream());
      const PatternRange reduced = self.seen(count);
      if (rank == kRoot) {
        EXPECT_EQ(count_wrong_sums(reduced, kSize), 0U) << count;
      }

      std::vector<std::size_t> bounds;
      for (int part = 0; part <= kSize; ++part) {
        bounds.push_back(share_begin(count, part, kSize) * sizeof(float));
      }
      self.fill(count);
      self.communicator().scatter(request.data, bounds, kRoot, self.stream());
      const PatternRange scattered = self.seen(count);
      for (int part = 0; part < kSize; ++part) {
        const int sender = part == rank ? kRoot : rank;  // the other parts stay as they were
        EXPECT_EQ(count_wrong_copies(share(scattered, part, kSize), sender), 0U)
            << count << ", part " << part << " on rank " << rank;
      }
      self.fill(count);
      self.communicator().gather(request.data, bounds, kRoot, self.stream());
      const PatternRange gathered = self.seen(count);
      for (int part = 0; part < kSize; ++part) {
        const int sender = rank == kRoot ? part : rank;
        EXPECT_EQ(count_wrong_copies(share(gathered, part, kSize), sender), 0U)
            << count << ", part " << part << " on rank " << rank;
      }
    }
  });
}

// As in a backward pass: the next bucket is filled while the one before is reduced.
TEST_P(HostStaged, StartedOnesAreEachBehindTheirOwnKernels) {
  constexpr int kSize = 2;
  constexpr std::size_t kBuckets = 4;
  constexpr std::size_t kCount = kLargest / kBuckets;
  on_ranks(kSize, [](StagedRank& self, int rank) {
    for (int step = 0; step < 5; ++step) {
      std::vector<Ticket> tickets;
      for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        ReduceRequest request = self.request(kCount);
        request.data += bucket * kCount * sizeof(float);
        self.stream().enqueue_kernel(
            [data = request.data, rank] { fill_pattern({.data = data, .end = kCount}, rank); });
        tickets.push_back(self.communicator().start_all_reduce(request, self.stream()));
      }
      for (const Ticket ticket : tickets) {
        self.communicator().wait(ticket, self.stream());
      }
      PatternRange bucket = self.seen(kCount);
      for (std::size_t index = 0; index < kBuckets; ++index) {
        EXPECT_EQ(count_wrong_sums(bucket, kSize), 0U) << "step " << step << ", bucket " << index;
        bucket.data += kCount * sizeof(float);
      }
    }
    EXPECT_EQ(self.communicator().take_totals().collectives, 0) << "the host cannot time them";
    EXPECT_TRUE(self.communicator().take_arrivals().empty()) << "nor say who came last";
  });
}

// Two streams know nothing of each other: the memory on the host is free when the last copy from it
// is done.
TEST_P(HostStaged, BlockingOnesOnSeveralStreamsDoNotMeetOnTheHost) {
  constexpr int kSize = 2;
  on_ranks(kSize, [](StagedRank& self, int /*rank*/) {
    DeferredStream other(GetParam());
    DeferredBackend backend(GetParam());
    const auto memory = backend.allocate(kLargest * sizeof(float));
    self.fill(kLargest);
    const ReduceRequest request = self.request(kLargest);
    self.communicator().broadcast(request.data, kLargest * sizeof(float), 1, self.stream());
    self.communicator().broadcast(memory->data(), kLargest * sizeof(float), 0, other);
    EXPECT_EQ(count_wrong_copies(self.seen(kLargest), 1), 0U);
    other.synchronize();
  });
}

TEST_P(HostStaged, EndsWithACollectiveInFlight) {
  constexpr int kSize = 2;
  ThreadNode node(kSize);
  std::barrier<> end(kSize);
  run_ranks(kSize, [&](int rank) {
    {
      StagedRank self(node, rank, kSize, GetParam());
      if (rank == 0) {
        self.fill(1);
        (void)self.communicator().start_all_reduce(self.request(1), self.stream());
      } else {
        end.arrive_and_wait();
      }
    }
    if (rank == 0) {
      end.arrive_and_wait();
    }
  });
}

TEST(SharedDevice, NamesTheFirstTwoRanksOnOneGpu) {
  const std::vector<RankPlace> places = {
      {.host = "a"}, {.host = "a"}, {.host = "b", .node = 1, .machine = 1}};
  EXPECT_EQ(shared_device(places, {"0000:17:00.0", "0000:65:00.0", "0000:17:00.0"}), "");
  EXPECT_EQ(shared_device(places, {"0000:65:00.0", "0000:65:00.0", "0000:65:00.0"}),
            "ranks 0 and 1 use one GPU (a 0000:65:00.0)");
  EXPECT_EQ(shared_device(places, {}), "");
  // In containers of one machine that share no memory.
  const std::vector<RankPlace> containers = {{.host = "a"}, {.host = "b", .node = 1}};
  EXPECT_EQ(shared_device(containers, {"0000:17:00.0", "0000:17:00.0"}),
            "ranks 0 and 1 use one GPU (b 0000:17:00.0)");
}

TEST(SharedDevice, NamesSlicesOfAGpu) {
  const std::vector<RankPlace> places(2, {.host = "a", .node = 0});
  const std::string slice =
      shown_address({.name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb", .address = "0000:65:00.0"});
  EXPECT_EQ(refusal_to_share(shared_device(places, {slice, slice})),
            "ranks 0 and 1 use one GPU (a 0000:65:00.0 in MIG slices), which NCCL does not do: "
            "start at most one rank per GPU, or give --share-gpu to reduce gradients in host "
            "memory");
  EXPECT_EQ(shown_address({.name = "NVIDIA H200", .address = "0000:65:00.0"}), "0000:65:00.0");
}

TEST(SharedDevice, CountsTheRanksOnOneGpu) {
  const std::vector<RankPlace> places = {
      {.host = "a"}, {.host = "a"}, {.host = "b", .node = 1, .machine = 1}};
  const std::vector<std::string> one_each_node(3, "0000:65:00.0");
  EXPECT_EQ(ranks_on_device(places, one_each_node, 0), 2);
  EXPECT_EQ(ranks_on_device(places, one_each_node, 2), 1);
  EXPECT_EQ(ranks_on_device(places, {"0000:17:00.0", "0000:65:00.0", "0000:17:00.0"}, 0), 1);
  EXPECT_EQ(ranks_on_device(places, {}, 0), 1);
}

}  // namespace
}  // namespace dlbench::comm
