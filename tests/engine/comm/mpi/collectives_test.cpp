// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/host_stream.h"
#include "engine/comm/check_pattern.h"
#include "engine/core/error.h"
#include "tests/engine/comm/mpi/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::comm::mpi {
namespace {

using core::DType;

/// Nothing, one, fewer than ranks, primes, one slot of a small call and one more, several pieces.
const std::vector<std::size_t> kCounts = {0, 1, 3, 7, 1009, 2048, 4096, 4097, 100003, 1500007};
constexpr std::size_t kLargestBytes = std::size_t{1500007} * 8;
const std::vector<DType> kTypes = {
    DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI32, DType::kI64};

class Collectives : public testing::Test {
 protected:
  // One communicator for all tests: making one takes tenths of a second where ranks share cores.
  static void SetUpTestSuite() { shared_communicator() = ranks().create_host_communicator(); }
  static void TearDownTestSuite() { shared_communicator().reset(); }

  [[nodiscard]] static int rank() { return ranks().rank(); }
  [[nodiscard]] static int size() { return ranks().size(); }

  /// Two buffers of kLargestBytes: one in a shared window, one that is not.
  std::vector<std::unique_ptr<backend::Buffer>> shared_and_own_buffer() {
    std::vector<std::unique_ptr<backend::Buffer>> buffers;
    buffers.push_back(communicator_->allocate(*backend_, kLargestBytes));
    buffers.push_back(backend_->allocate(kLargestBytes));
    return buffers;
  }

  std::unique_ptr<backend::Backend> backend_ = backend::create_backend("ref", {.threads = 1});
  backend::HostStream stream_;
  Communicator* communicator_ = shared_communicator().get();

 private:
  static std::unique_ptr<Communicator>& shared_communicator() {
    static std::unique_ptr<Communicator> communicator;
    return communicator;
  }
};

std::string describe(std::size_t count, DType dtype) {
  return std::to_string(count) + " x " + std::string(core::name(dtype));
}

TEST_F(Collectives, KnowTheirRanks) {
  EXPECT_EQ(communicator_->rank(), rank());
  EXPECT_EQ(communicator_->size(), size());
}

TEST_F(Collectives, AllReduceSumsMemoryOfAnyOwner) {
  for (const DType dtype : kTypes) {
    for (const std::size_t count : kCounts) {
      std::vector<std::byte> data(count * core::size_of(dtype) + 1);
      const PatternRange all{.data = data.data(), .dtype = dtype, .end = count};
      fill_pattern(all, rank());
      communicator_->all_reduce({.data = data.data(), .count = count, .dtype = dtype}, stream_);
      EXPECT_EQ(count_wrong_sums(all, size()), 0U) << describe(count, dtype);
    }
  }
}

TEST_F(Collectives, AllReduceSumsInPlaceInSharedWindows) {
  const auto buffer = communicator_->allocate(*backend_, kLargestBytes + 4096);
  ASSERT_EQ(buffer->bytes(), kLargestBytes + 4096);
  for (const DType dtype : kTypes) {
    for (const std::size_t count : kCounts) {
      const std::size_t bytes = count * core::size_of(dtype);
      std::fill_n(buffer->data(), buffer->bytes(), std::byte{0});
      // From the middle of the window.
      const PatternRange all{.data = buffer->data() + 64, .dtype = dtype, .end = count};
      fill_pattern(all, rank());
      communicator_->all_reduce({.data = all.data, .count = count, .dtype = dtype}, stream_);
      EXPECT_EQ(count_wrong_sums(all, size()), 0U) << describe(count, dtype);
      EXPECT_EQ(buffer->data()[63], std::byte{0}) << "written before the data";
      EXPECT_EQ(buffer->data()[64 + bytes], std::byte{0}) << "written behind the data";
    }
  }
}

TEST_F(Collectives, AllReduceMixesSharedAndOtherMemory) {
  constexpr std::size_t kCount = 1500007;
  const auto buffer = communicator_->allocate(*backend_, kCount * 4);
  std::vector<std::byte> own(kCount * 4);
  std::byte* data = rank() % 2 == 0 ? buffer->data() : own.data();
  const PatternRange all{.data = data, .end = kCount};
  fill_pattern(all, rank());
  communicator_->all_reduce({.data = data, .count = kCount}, stream_);
  EXPECT_EQ(count_wrong_sums(all, size()), 0U);
}

TEST_F(Collectives, RandomSumsAreTheSameBitsOnAllRanks) {
  for (const std::size_t count : kCounts) {
    std::vector<float> values(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
      // Of many magnitudes: every other order of additions would round otherwise.
      values[i] = std::ldexp(
          static_cast<float>((i * 7919U + 31U * static_cast<unsigned>(rank())) % 1013U) - 500.3F,
          static_cast<int>((i + static_cast<std::size_t>(rank())) % 24U));
    }
    communicator_->all_reduce({.data = reinterpret_cast<std::byte*>(values.data()), .count = count},
                              stream_);
    const std::string mine(reinterpret_cast<const char*>(values.data()), count * 4);
    EXPECT_EQ(mine, ranks().broadcast_text(mine)) << count;
  }
}

TEST_F(Collectives, MaximumKeepsNaN) {
  std::vector<float> values = {static_cast<float>(rank()), rank() == 0 ? NAN : 1.0F};
  communicator_->all_reduce(
      {.data = reinterpret_cast<std::byte*>(values.data()), .count = 2, .op = ReduceOp::kMax},
      stream_);
  EXPECT_EQ(values[0], static_cast<float>(size() - 1));
  EXPECT_TRUE(std::isnan(values[1]));
}

TEST_F(Collectives, SeveralAllReducesInFlight) {
  constexpr std::size_t kCount = 60001;
  constexpr std::size_t kInFlight = 6;
  const auto buffer = communicator_->allocate(*backend_, kInFlight * kCount * 4);
  for (int round = 0; round < 3; ++round) {
    std::vector<Ticket> tickets;
    for (std::size_t index = 0; index < kInFlight; ++index) {
      std::byte* data = buffer->data() + index * kCount * 4;
      fill_pattern({.data = data, .end = kCount}, rank());
      tickets.push_back(communicator_->start_all_reduce({.data = data, .count = kCount}, stream_));
    }
    for (std::size_t index = 0; index < kInFlight; ++index) {
      communicator_->wait(tickets[index], stream_);
      const PatternRange all{.data = buffer->data() + index * kCount * 4, .end = kCount};
      EXPECT_EQ(count_wrong_sums(all, size()), 0U) << index;
    }
  }
}

TEST_F(Collectives, BlockingCallsWaitForStartedOnes) {
  constexpr std::size_t kCount = 300001;
  std::vector<std::byte> first(kCount * 4);
  std::vector<std::byte> second(kCount * 4);
  fill_pattern({.data = first.data(), .end = kCount}, rank());
  fill_pattern({.data = second.data(), .end = kCount}, rank());
  const Ticket ticket =
      communicator_->start_all_reduce({.data = first.data(), .count = kCount}, stream_);
  communicator_->all_reduce({.data = second.data(), .count = kCount}, stream_);
  communicator_->wait(ticket, stream_);
  EXPECT_EQ(count_wrong_sums({.data = first.data(), .end = kCount}, size()), 0U);
  EXPECT_EQ(count_wrong_sums({.data = second.data(), .end = kCount}, size()), 0U);
}

TEST_F(Collectives, ReduceScatterLeavesEachRankItsShare) {
  const auto buffers = shared_and_own_buffer();
  for (const DType dtype : kTypes) {
    for (const std::size_t count : kCounts) {
      for (const auto& buffer : buffers) {
        fill_pattern({.data = buffer->data(), .dtype = dtype, .end = count}, rank());
        communicator_->reduce_scatter({.data = buffer->data(), .count = count, .dtype = dtype},
                                      stream_);
        const PatternRange share{.data = buffer->data(),
                                 .dtype = dtype,
                                 .begin = share_begin(count, rank(), size()),
                                 .end = share_begin(count, rank() + 1, size())};
        EXPECT_EQ(count_wrong_sums(share, size()), 0U) << describe(count, dtype);
      }
    }
  }
}

TEST_F(Collectives, AllGatherCollectsTheShares) {
  const auto buffers = shared_and_own_buffer();
  for (const DType dtype : kTypes) {
    for (const std::size_t count : kCounts) {
      for (const auto& buffer : buffers) {
        const auto share = [&](int owner) {
          return PatternRange{.data = buffer->data(),
                              .dtype = dtype,
                              .begin = share_begin(count, owner, size()),
                              .end = share_begin(count, owner + 1, size())};
        };
        fill_pattern(share(rank()), rank());
        communicator_->all_gather(buffer->data(), count, dtype, stream_);
        for (int owner = 0; owner < size(); ++owner) {
          EXPECT_EQ(count_wrong_copies(share(owner), owner), 0U) << describe(count, dtype);
        }
      }
    }
  }
}

TEST_F(Collectives, BroadcastCopiesFromAnyRoot) {
  const auto buffers = shared_and_own_buffer();
  for (int root = 0; root < size(); ++root) {
    for (const std::size_t count : kCounts) {
      for (const auto& buffer : buffers) {
        fill_pattern({.data = buffer->data(), .end = count}, rank());
        communicator_->broadcast(buffer->data(), count * 4, root, stream_);
        EXPECT_EQ(count_wrong_copies({.data = buffer->data(), .end = count}, root), 0U)
            << count << " from " << root;
      }
    }
  }
}

TEST_F(Collectives, TotalsAddUpAndStartAfresh) {
  constexpr std::size_t kCount = 5000;
  (void)communicator_->take_totals();
  (void)communicator_->take_arrivals();
  std::vector<std::byte> data(kCount * 4);
  communicator_->all_reduce({.data = data.data(), .count = kCount}, stream_);
  communicator_->wait(
      communicator_->start_all_reduce({.data = data.data(), .count = kCount}, stream_), stream_);
  const CommunicationTotals totals = communicator_->take_totals();
  if (size() > 1) {
    EXPECT_EQ(totals.collectives, 2);
    EXPECT_EQ(totals.bytes, 2 * static_cast<std::int64_t>(kCount) * 4);
    EXPECT_GT(totals.waiting_s + totals.transfer_s, 0.0);
    EXPECT_GT(totals.exposed_s, 0.0);
  }
  EXPECT_EQ(communicator_->take_totals().collectives, 0);
  EXPECT_EQ(communicator_->take_arrivals().size(), size() > 1 ? 2U : 0U);
}

TEST_F(Collectives, CheckerSeesOneWrongElement) {
  constexpr std::size_t kCount = 10007;
  std::vector<std::byte> data(kCount * 4);
  const PatternRange all{.data = data.data(), .end = kCount};
  fill_pattern(all, rank());
  if (rank() == size() - 1) {
    // A rank that sends one wrong number: all ranks must notice.
    const float wrong = 100.0F;
    std::memcpy(data.data() + 4 * 5003, &wrong, 4);
  }
  communicator_->all_reduce({.data = data.data(), .count = kCount}, stream_);
  EXPECT_EQ(count_wrong_sums(all, size()), 1U);
}

TEST_F(Collectives, DifferentCallsOnDifferentRanksAreRefused) {
  if (size() == 1 || ranks().places().back().node > 0) {
    GTEST_SKIP() << "needs several ranks on one node";
  }
  const std::unique_ptr<Communicator> communicator = ranks().create_host_communicator();
  std::vector<std::byte> data(8000);
  const std::size_t count = rank() == 0 ? 2000 : 1999;
  EXPECT_THROW(communicator->all_reduce({.data = data.data(), .count = count}, stream_),
               core::Error);
}

}  // namespace
}  // namespace dlbench::comm::mpi
