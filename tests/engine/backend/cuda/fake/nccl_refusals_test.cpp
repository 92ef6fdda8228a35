// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fake NCCL has to notice, and how its communicators end: tests on it are worth what
// it refuses.
#include "tests/engine/backend/cuda/fake/nccl_test_ranks.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

namespace dlbench::fake {
namespace {

using testing::DeviceArray;
using testing::end_with_processes;
using testing::first_error;
using testing::new_id;
using testing::Rank;
using testing::settled;
using testing::sleep;
using testing::with_ranks;

TEST(FakeNcclRefusals, ConnectsOnceAllHaveComeAndRefusesCallsBefore) {
  const ncclUniqueId id = new_id();
  Rank first(id, 0, 2);
  EXPECT_EQ(first.started(), ncclInProgress);
  sleep();
  ncclResult_t state = ncclSuccess;
  EXPECT_EQ(ncclCommGetAsyncError(first.communicator(), &state), ncclSuccess);
  EXPECT_EQ(state, ncclInProgress);
  const DeviceArray<float> data({1.0F}, first.stream());
  EXPECT_EQ(first.all_reduce(data.data(), 1), ncclInvalidUsage);
  EXPECT_NE(std::string_view(ncclGetLastError(nullptr)).find("in progress"),
            std::string_view::npos);
  Rank again(id, 0, 2);
  EXPECT_EQ(again.started(), ncclInvalidUsage);
  EXPECT_EQ(again.communicator(), nullptr);
  first.abort();
}

TEST(FakeNcclRefusals, RefusesTwoRanksOnOneDevice) {
  for (const int blocking : {0, 1}) {
    const ncclUniqueId id = new_id();
    std::vector<std::thread> threads;
    for (int number = 0; number < 2; ++number) {
      threads.emplace_back([&, number] {
        const Rank rank(id, number, 2, blocking, 3);
        EXPECT_EQ(blocking == 1 ? rank.started() : settled(rank.communicator()), ncclInvalidUsage);
        EXPECT_NE(std::string_view(ncclGetLastError(nullptr)).find("Duplicate GPU detected"),
                  std::string_view::npos);
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
}

TEST(FakeNcclRefusals, NoticesRanksInDifferentCollectives) {
  for (const int kind : {0, 1, 2, 3}) {
    with_ranks(2, [kind](Rank& rank) {
      const bool other = rank.rank() == 1;
      const DeviceArray<float> data(std::vector<float>(8), rank.stream());
      auto* const comm = rank.communicator();
      auto* const stream = rank.stream();
      float* const all = data.data();
      ncclResult_t result = ncclSuccess;
      if (kind == 0) {
        result = rank.all_reduce(all, other ? 7 : 8);
      } else if (kind == 1) {
        result = ncclAllReduce(all, all, 2, ncclFloat32, other ? ncclMax : ncclSum, comm, stream);
      } else if (kind == 2) {
        result = ncclBroadcast(all, all, 2, other ? ncclInt32 : ncclFloat32, 0, comm, stream);
      } else {
        result = ncclBroadcast(all, all, 2, ncclFloat32, rank.rank(), comm, stream);
      }
      EXPECT_EQ(result, ncclSuccess) << "the ranks have not met yet";
      EXPECT_EQ(first_error(comm), ncclInvalidUsage);
      rank.abort();
    });
  }
}

TEST(FakeNcclRefusals, NoticesACollectiveThatOneRankRecordedAndAnotherDidNot) {
  with_ranks(2, [](Rank& rank) {
    const DeviceArray<float> data({1.0F}, rank.stream());
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    const bool records = rank.rank() == 0;
    if (records) {
      ASSERT_EQ(cudaStreamBeginCapture(rank.stream(), cudaStreamCaptureModeThreadLocal),
                cudaSuccess);
    }
    rank.expect(rank.all_reduce(data.data(), 1));
    if (records) {
      ASSERT_EQ(cudaStreamEndCapture(rank.stream(), &graph), cudaSuccess);
      ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
      ASSERT_EQ(cudaGraphLaunch(replay, rank.stream()), cudaSuccess);
    }
    EXPECT_EQ(first_error(rank.communicator()), ncclInvalidUsage);
    if (records) {  // else it would hold the communicator
      ASSERT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
      ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    }
    rank.abort();
  });
}

TEST(FakeNcclRefusals, NoticesCollectivesThatNoStreamOrders) {
  std::atomic<bool> done{false};
  with_ranks(2, [&done](Rank& rank) {
    if (rank.rank() == 1) {
      while (!done) {
        sleep();
      }
      return rank.abort();
    }
    const DeviceArray<float> data({1.0F, 2.0F}, rank.stream());
    cudaStream_t other = nullptr;
    ASSERT_EQ(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, 0), cudaSuccess);
    rank.expect(rank.all_reduce(data.data(), 1));
    sleep();
    EXPECT_EQ(
        ncclAllReduce(
            data.data() + 1, data.data() + 1, 1, ncclFloat32, ncclSum, rank.communicator(), other),
        ncclInProgress);
    EXPECT_EQ(first_error(rank.communicator()), ncclInvalidUsage);
    rank.abort();
    EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
    done = true;
  });
}

TEST(FakeNcclRefusals, AbortEndsTheWaitOfItsOwnRankOnly) {
  std::atomic<bool> first_ended{false};
  with_ranks(3, [&](Rank& rank) {
    if (rank.rank() == 2) {  // never comes
      while (!first_ended) {
        sleep();
      }
      sleep();
      return rank.abort();
    }
    const DeviceArray<float> data({1.0F}, rank.stream());
    for (int call = 0; call < 4; ++call) {
      rank.expect(rank.all_reduce(data.data(), 1));
    }
    std::atomic<bool> ended{false};
    std::thread waiting([&] {
      rank.synchronize();
      ended = true;
    });
    if (rank.rank() == 1) {
      while (!first_ended) {
        sleep();
      }
    }
    sleep();
    EXPECT_FALSE(ended);
    auto* const comm = rank.communicator();
    rank.abort();
    waiting.join();
    first_ended = true;
    ncclResult_t state = ncclSuccess;
    EXPECT_EQ(ncclCommGetAsyncError(comm, &state), ncclInvalidArgument) << "it is gone";
    EXPECT_EQ(ncclCommAbort(comm), ncclInvalidArgument);
  });
}

TEST(FakeNcclRefusals, FinalizeWaitsForWorkAndForAllRanks) {
  std::atomic<bool> looked{false};
  with_ranks(2, [&](Rank& rank) {
    const DeviceArray<float> data({1.0F}, rank.stream());
    if (rank.rank() == 1) {
      while (!looked) {
        sleep();
      }
      rank.expect(rank.all_reduce(data.data(), 1));
      return;  // with_ranks() ends it
    }
    rank.expect(rank.all_reduce(data.data(), 1));
    EXPECT_EQ(ncclCommFinalize(rank.communicator()), ncclInProgress);
    EXPECT_EQ(ncclCommDestroy(rank.communicator()), ncclInvalidUsage);
    sleep();
    ncclResult_t state = ncclSuccess;
    EXPECT_EQ(ncclCommGetAsyncError(rank.communicator(), &state), ncclSuccess);
    EXPECT_EQ(state, ncclInProgress);
    looked = true;
    EXPECT_EQ(settled(rank.communicator()), ncclSuccess);
    EXPECT_EQ(data.read().front(), 2.0F);
    EXPECT_EQ(rank.all_reduce(data.data(), 1), ncclInvalidUsage);
    rank.abort();
  });
  with_ranks(2, [](Rank& rank) {  // without ncclCommFinalize
    auto* const comm = rank.release();
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
    EXPECT_EQ(ncclCommDestroy(comm), ncclInvalidArgument);
  });
}

// A communicator that is not blocking keeps the error of a call, a blocking one does not.
TEST(FakeNcclRefusals, RefusesArgumentsWithoutMeaning) {
  const ncclUniqueId id = new_id();
  Rank rank(id, 0, 1, 1);
  auto* const comm = rank.communicator();
  auto* const stream = rank.stream();
  const DeviceArray<float> memory(std::vector<float>(8), stream);
  float* const data = memory.data();
  std::vector<float> host(8);
  const auto reduce = [&](const void* send,
                          void* recv,
                          std::size_t count,
                          ncclDataType_t dtype = ncclFloat32,
                          ncclRedOp_t op = ncclSum) {
    return ncclAllReduce(send, recv, count, dtype, op, comm, stream);
  };
  EXPECT_EQ(reduce(data, data, 8), ncclSuccess);
  EXPECT_EQ(reduce(data, data + 4, 4), ncclSuccess);
  EXPECT_EQ(reduce(data, data, 9), ncclInvalidArgument) << "it leaves its memory";
  EXPECT_NE(std::string_view(ncclGetLastError(comm)).find("36 bytes"), std::string_view::npos);
  EXPECT_EQ(reduce(host.data(), data, 8), ncclInvalidArgument);
  EXPECT_EQ(reduce(data, host.data(), 8), ncclInvalidArgument);
  EXPECT_EQ(reduce(nullptr, data, 8), ncclInvalidArgument);
  EXPECT_EQ(reduce(nullptr, nullptr, 0), ncclSuccess) << "nothing to do";
  EXPECT_EQ(reduce(data, data + 2, 4), ncclInvalidArgument) << "an overlap";
  EXPECT_EQ(
      reduce(reinterpret_cast<std::byte*>(data) + 2, reinterpret_cast<std::byte*>(data) + 2, 1),
      ncclInvalidArgument)
      << "not aligned";
  EXPECT_EQ(reduce(data, data, 1, ncclFloat32, ncclAvg), ncclInvalidArgument);
  EXPECT_EQ(reduce(data, data, 1, ncclFloat8e4m3), ncclInvalidArgument);
  EXPECT_EQ(reduce(data, data, 1, static_cast<ncclDataType_t>(12)), ncclInvalidArgument);
  EXPECT_EQ(ncclBroadcast(data, data, 1, ncclFloat32, 1, comm, stream), ncclInvalidArgument);
  EXPECT_EQ(ncclBroadcast(data, data, 1, ncclFloat32, -1, comm, stream), ncclInvalidArgument);
  EXPECT_EQ(ncclAllGather(data, data + 1, 2, ncclFloat32, comm, stream), ncclInvalidArgument);
  EXPECT_EQ(reduce(data, data, 1), ncclSuccess);
  ncclResult_t state = ncclInternalError;
  EXPECT_EQ(ncclCommGetAsyncError(comm, &state), ncclSuccess);
  EXPECT_EQ(state, ncclSuccess);

  EXPECT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(reduce(data, data, 1), ncclSuccess);
  EXPECT_EQ(reduce(data, host.data(), 1), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  rank.synchronize();
}

TEST(FakeNcclRefusals, RefusesWhatIsNoRank) {
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  const ncclUniqueId id = new_id();
  ncclComm_t comm = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, id, 2, &config), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 0, id, 0, &config), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, ncclUniqueId{}, 0, &config), ncclInvalidArgument);
  config.blocking = 2;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, id, 0, &config), ncclInvalidArgument);
  config = {};
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, id, 0, &config), ncclInvalidArgument);
  EXPECT_EQ(comm, nullptr);
  ncclResult_t state = ncclSuccess;
  EXPECT_EQ(ncclCommGetAsyncError(nullptr, &state), ncclInvalidArgument);
  ASSERT_EQ(ncclCommInitRankConfig(&comm, 1, id, 0, nullptr), ncclSuccess);
  ncclComm_t second = nullptr;
  EXPECT_NE(ncclCommInitRankConfig(&second, 1, id, 0, nullptr), ncclSuccess) << "the id is used";
  EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
}

TEST(FakeNcclRefusals, KeepsTheErrorOfACallThatDoesNotBlock) {
  const ncclUniqueId id = new_id();
  Rank rank(id, 0, 1);
  rank.expect(rank.started());
  EXPECT_EQ(rank.all_reduce(nullptr, 1), ncclInvalidArgument);
  EXPECT_EQ(settled(rank.communicator()), ncclInvalidArgument);
  EXPECT_EQ(ncclCommFinalize(rank.communicator()), ncclInvalidArgument);
  rank.abort();
}

TEST(FakeNcclRefusals, HasMemoryAndTexts) {
  void* memory = nullptr;
  ASSERT_EQ(ncclMemAlloc(&memory, 64), ncclSuccess);
  EXPECT_EQ(ncclMemFree(memory), ncclSuccess);
  EXPECT_EQ(ncclMemFree(&memory), ncclUnhandledCudaError);
  int version = 0;
  EXPECT_EQ(ncclGetVersion(&version), ncclSuccess);
  EXPECT_EQ(version, NCCL_VERSION_CODE);
  EXPECT_STREQ(ncclGetErrorString(ncclInvalidUsage), "invalid usage");
}

/// Each in a process that has no thread yet.
class FakeNcclFaultsDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  /// Ends the process, whose only rank has `faults`.
  [[noreturn]] static void end_with_faults(const char* faults,
                                           const std::function<void(Rank&)>& body) {
    ::setenv("DLBENCH_FAKE_NCCL", faults, 1);
    {
      const ncclUniqueId id = new_id();
      Rank rank(id, 0, 1);
      rank.expect(rank.started());
      body(rank);
    }
    std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
  }

  /// Whether work of the stream ends only with abort().
  static void expect_hang(Rank& rank) {
    std::atomic<bool> ended{false};
    std::thread waiting([&] {
      rank.synchronize();
      ended = true;
    });
    sleep();
    EXPECT_FALSE(ended);
    rank.abort();
    waiting.join();
  }
};

TEST_F(FakeNcclFaultsDeathTest, WaitsForAProcessThatEndedUntilItAborts) {
  EXPECT_EXIT(end_with_processes(2,
                                 [](Rank& rank) {
                                   if (rank.rank() == 1) {
                                     std::_Exit(0);
                                   }
                                   const DeviceArray<float> data({1.0F}, rank.stream());
                                   rank.expect(rank.all_reduce(data.data(), 1));
                                   expect_hang(rank);
                                 }),
              ::testing::ExitedWithCode(0),
              "");
}

TEST_F(FakeNcclFaultsDeathTest, HangsWhereAsked) {
  EXPECT_EXIT(end_with_faults("hang=2",
                              [](Rank& rank) {
                                const DeviceArray<float> data({1.0F}, rank.stream());
                                rank.expect(rank.all_reduce(data.data(), 1));
                                rank.synchronize();
                                rank.expect(rank.all_reduce(data.data(), 1));
                                expect_hang(rank);
                              }),
              ::testing::ExitedWithCode(0),
              "");
}

TEST_F(FakeNcclFaultsDeathTest, FailsWhereAsked) {
  EXPECT_EXIT(end_with_faults("error=1",
                              [](Rank& rank) {
                                const DeviceArray<float> data({1.0F}, rank.stream());
                                const ncclResult_t result = rank.all_reduce(data.data(), 1);
                                EXPECT_EQ(result, ncclSuccess);
                                EXPECT_EQ(first_error(rank.communicator()), ncclRemoteError);
                                expect_hang(rank);
                              }),
              ::testing::ExitedWithCode(0),
              "remote error was asked for");
}

TEST_F(FakeNcclFaultsDeathTest, HasNoMemoryWhereAsked) {
  EXPECT_EXIT(end_with_faults("memalloc=0",
                              [](Rank& /*rank*/) {
                                void* memory = nullptr;
                                EXPECT_EQ(ncclMemAlloc(&memory, 64), ncclUnhandledCudaError);
                                EXPECT_EQ(memory, nullptr);
                              }),
              ::testing::ExitedWithCode(0),
              "");
  EXPECT_EXIT(end_with_faults("hangs=2", [](Rank& rank) { expect_hang(rank); }),
              ::testing::ExitedWithCode(64),
              "is not known");
}

}  // namespace
}  // namespace dlbench::fake
