// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fake NCCL computes.
#include "engine/core/dtype.h"
#include "tests/engine/backend/cuda/fake/nccl_test_ranks.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlbench::fake {
namespace {

using testing::DeviceArray;
using testing::end_with_processes;
using testing::Rank;
using testing::settled;
using testing::sleep;
using testing::with_ranks;

/// Stored numbers of each dtype that the plug-in reduces.
template <typename Stored>
struct Same {
  using Type = Stored;
  static Stored store(double number) { return static_cast<Stored>(number); }
};
template <ncclDataType_t kDType>
struct Numbers;
template <>
struct Numbers<ncclUint8> : Same<std::uint8_t> {};
template <>
struct Numbers<ncclInt32> : Same<std::int32_t> {};
template <>
struct Numbers<ncclInt64> : Same<std::int64_t> {};
template <>
struct Numbers<ncclFloat32> : Same<float> {};
template <>
struct Numbers<ncclFloat64> : Same<double> {};
template <>
struct Numbers<ncclFloat16> {
  using Type = std::uint16_t;
  static Type store(double number) { return core::f32_to_f16(static_cast<float>(number)); }
};
template <>
struct Numbers<ncclBfloat16> {
  using Type = std::uint16_t;
  static Type store(double number) { return core::f32_to_bf16(static_cast<float>(number)); }
};

/// What rank `rank` has at `place`: small whole numbers that all dtypes hold, and their sums.
double number_at(std::size_t place, int rank) {
  return static_cast<double>((place * 7 + static_cast<std::size_t>(rank) * 3) % 30);
}

double reduced_at(std::size_t place, int size, ncclRedOp_t op) {
  double result = number_at(place, 0);
  for (int rank = 1; rank < size; ++rank) {
    const double next = number_at(place, rank);
    result = op == ncclSum ? result + next : std::max(result, next);
  }
  return result;
}

template <ncclDataType_t kDType, typename Value>
std::vector<typename Numbers<kDType>::Type> filled(std::size_t count, const Value& value) {
  std::vector<typename Numbers<kDType>::Type> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = Numbers<kDType>::store(value(i));
  }
  return numbers;
}

template <ncclDataType_t kDType>
void expect_reductions(Rank& rank, std::size_t count) {
  const auto ranks = static_cast<std::size_t>(rank.size());
  const std::size_t first = count * static_cast<std::size_t>(rank.rank());
  const auto own = [&](std::size_t i) { return number_at(i, rank.rank()); };
  const auto nothing = [](std::size_t) { return 77.0; };
  for (const ncclRedOp_t op : {ncclSum, ncclMax}) {
    const auto wanted =
        filled<kDType>(count, [&](auto i) { return reduced_at(i, rank.size(), op); });
    const auto share =
        filled<kDType>(count, [&](auto i) { return reduced_at(first + i, rank.size(), op); });
    const DeviceArray send(filled<kDType>(count, own), rank.stream());
    const DeviceArray recv(filled<kDType>(count, nothing), rank.stream());
    const DeviceArray all(filled<kDType>(ranks * count, own), rank.stream());
    auto* const comm = rank.communicator();
    auto* const stream = rank.stream();
    rank.expect(ncclAllReduce(send.data(), recv.data(), count, kDType, op, comm, stream));
    EXPECT_TRUE(recv.read() == wanted) << kDType;
    rank.expect(ncclAllReduce(send.data(), send.data(), count, kDType, op, comm, stream));
    EXPECT_TRUE(send.read() == wanted) << kDType;
    rank.expect(ncclReduceScatter(all.data(), recv.data(), count, kDType, op, comm, stream));
    EXPECT_TRUE(recv.read() == share) << kDType;
    rank.expect(ncclReduceScatter(all.data(), all.data() + first, count, kDType, op, comm, stream));
    const auto in_place = all.read();
    EXPECT_TRUE(std::equal(share.begin(), share.end(), in_place.data() + first)) << kDType;
  }
}

void expect_all_reductions(Rank& rank, std::size_t count) {
  expect_reductions<ncclUint8>(rank, count);
  expect_reductions<ncclInt32>(rank, count);
  expect_reductions<ncclInt64>(rank, count);
  expect_reductions<ncclFloat16>(rank, count);
  expect_reductions<ncclBfloat16>(rank, count);
  expect_reductions<ncclFloat32>(rank, count);
  expect_reductions<ncclFloat64>(rank, count);
}

TEST(FakeNccl, ReducesEveryDTypeInPlaceAndNot) {
  with_ranks(3, [](Rank& rank) {
    expect_all_reductions(rank, 1);
    expect_all_reductions(rank, 1009);
    EXPECT_GT(rank.late(), 10);
  });
  with_ranks(
      2, [](Rank& rank) { expect_all_reductions(rank, 5); }, 1);
  with_ranks(1, [](Rank& rank) { expect_all_reductions(rank, 5); });
}

TEST(FakeNccl, ReducesMoreThanAChunk) {
  with_ranks(2, [](Rank& rank) {
    expect_reductions<ncclFloat32>(rank, 600'011);
    expect_reductions<ncclFloat16>(rank, (std::size_t{1} << 19) + 1);
  });
}

TEST(FakeNccl, RoundsOnceAndAddsInTheOrderOfTheRanks) {
  with_ranks(3, [](Rank& rank) {
    const double half = rank.rank() == 0 ? 2048.0 : 1.0;  // 2049 is no f16, 2050 is one
    const DeviceArray<std::uint16_t> halves({Numbers<ncclFloat16>::store(half)}, rank.stream());
    rank.expect(ncclAllReduce(
        halves.data(), halves.data(), 1, ncclFloat16, ncclSum, rank.communicator(), rank.stream()));
    EXPECT_EQ(halves.read().front(), Numbers<ncclFloat16>::store(2050.0));
    const float single =
        std::vector<float>{1e8F, -1e8F, 1.0F}[static_cast<std::size_t>(rank.rank())];
    const DeviceArray<float> singles({single}, rank.stream());
    rank.expect(rank.all_reduce(singles.data(), 1));
    EXPECT_EQ(singles.read().front(), 1.0F);
  });
}

TEST(FakeNccl, GathersAndBroadcasts) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{13}, std::size_t{400'003}}) {
    with_ranks(3, [count](Rank& rank) {
      const auto of = [&](int number) {
        return filled<ncclInt32>(count, [&](auto i) { return number_at(i, number); });
      };
      std::vector<std::int32_t> wanted;
      for (int number = 0; number < rank.size(); ++number) {
        const auto part = of(number);
        wanted.insert(wanted.end(), part.begin(), part.end());
      }
      std::vector<std::int32_t> before(wanted.size(), -1);
      const DeviceArray own(of(rank.rank()), rank.stream());
      const DeviceArray all(before, rank.stream());
      auto* const comm = rank.communicator();
      auto* const stream = rank.stream();
      rank.expect(ncclAllGather(own.data(), all.data(), count, ncclInt32, comm, stream));
      EXPECT_TRUE(all.read() == wanted);
      const std::size_t first = count * static_cast<std::size_t>(rank.rank());
      const auto part = of(rank.rank());
      std::copy(part.begin(), part.end(), before.begin() + static_cast<std::ptrdiff_t>(first));
      const DeviceArray place(before, rank.stream());
      rank.expect(
          ncclAllGather(place.data() + first, place.data(), count, ncclInt32, comm, stream));
      EXPECT_TRUE(place.read() == wanted);
      rank.expect(ncclBroadcast(own.data(), place.data(), count, ncclInt32, 1, comm, stream));
      rank.expect(ncclBroadcast(own.data(), own.data(), count, ncclInt32, 2, comm, stream));
      const auto second = place.read();
      EXPECT_TRUE(std::equal(
          second.begin(), second.begin() + static_cast<std::ptrdiff_t>(count), of(1).begin()));
      EXPECT_TRUE(own.read() == of(2));
    });
  }
}

// As the plug-in gathers shares that differ, some of them empty.
TEST(FakeNccl, EnqueuesAGroupAtItsEnd) {
  with_ranks(3, [](Rank& rank) {
    const std::vector<std::size_t> begins{0, 5, 5, 9};
    std::vector<float> before(9, -1.0F);
    const auto own = static_cast<std::size_t>(rank.rank());
    std::fill(before.begin() + static_cast<std::ptrdiff_t>(begins[own]),
              before.begin() + static_cast<std::ptrdiff_t>(begins[own + 1]),
              static_cast<float>(rank.rank()));
    const DeviceArray data(before, rank.stream());
    for (int repetition = 0; repetition < 4; ++repetition) {
      ASSERT_EQ(ncclGroupStart(), ncclSuccess);
      for (std::size_t root = 0; root < 3; ++root) {
        float* const share = data.data() + begins[root];
        EXPECT_EQ(ncclBroadcast(share,
                                share,
                                begins[root + 1] - begins[root],
                                ncclFloat32,
                                static_cast<int>(root),
                                rank.communicator(),
                                rank.stream()),
                  ncclSuccess);
      }
      EXPECT_EQ(cudaStreamSynchronize(rank.stream()), cudaSuccess);  // nothing is there yet
      rank.expect(ncclGroupEnd());
      EXPECT_EQ(data.read(), (std::vector<float>{0, 0, 0, 0, 0, 2, 2, 2, 2}));
    }
    EXPECT_EQ(rank.late(), 1 + 2) << "connecting, and every second group";
  });
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
}

TEST(FakeNccl, ReplaysWhatWasRecordedAndEndsAfterIt) {
  with_ranks(2, [](Rank& rank) {
    const DeviceArray<float> data({1.0F}, rank.stream());
    for (int late = 0; late < 2; ++late) {
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t replay = nullptr;
      ASSERT_EQ(cudaStreamBeginCapture(rank.stream(), cudaStreamCaptureModeThreadLocal),
                cudaSuccess);
      rank.expect(rank.all_reduce(data.data(), 1));
      rank.expect(rank.all_reduce(data.data(), 1));
      ASSERT_EQ(cudaStreamEndCapture(rank.stream(), &graph), cudaSuccess);
      ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
      const float before = data.read().front();
      ASSERT_EQ(cudaGraphLaunch(replay, rank.stream()), cudaSuccess);
      ASSERT_EQ(cudaGraphLaunch(replay, rank.stream()), cudaSuccess);
      EXPECT_EQ(data.read().front(), before * 16.0F);
      rank.synchronize();
      if (late == 1) {  // a recorded collective holds the communicator
        const ncclResult_t begun = ncclCommFinalize(rank.communicator());
        sleep();
        ncclResult_t state = ncclSuccess;
        EXPECT_EQ(ncclCommGetAsyncError(rank.communicator(), &state), ncclSuccess);
        EXPECT_EQ(begun, ncclInProgress);
        EXPECT_EQ(state, ncclInProgress);
      }
      ASSERT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
      ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    }
    EXPECT_EQ(settled(rank.communicator()), ncclSuccess);
    EXPECT_EQ(ncclCommFinalize(rank.communicator()), ncclInvalidArgument) << "a second time";
    rank.abort();
  });
}

TEST(FakeNcclDeathTest, ReducesBetweenProcesses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_with_processes(3,
                                 [](Rank& rank) {
                                   expect_all_reductions(rank, 101);
                                   expect_reductions<ncclFloat32>(rank, 300'001);
                                   rank.end();
                                 }),
              ::testing::ExitedWithCode(0),
              "");
}

}  // namespace
}  // namespace dlbench::fake
