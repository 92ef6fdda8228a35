// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The plug-in's communicator on several fake devices, where `dlbench comm` does not reach.
#include "engine/backend/cuda/libraries/cuda_stream.h"
#include "engine/backend/cuda/libraries/nccl_communicator.h"
#include "engine/comm/device_watch.h"
#include "engine/core/error.h"
#include "tests/engine/backend/cuda/fake/device.h"
#include "tests/engine/backend/cuda/fake/nccl_test_ranks.h"
#include "tests/engine/backend/cuda/fake/observer.h"
#include "tests/engine/comm/thread_rendezvous.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using fake::testing::DeviceArray;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;

// Bytes are what NCCL does not reduce, and five of them are no even shares for three ranks.
TEST(FakePlugin, GathersUnevenSharesOfWhatIsNotReduced) {
  dlbench::testing::on_ranks(3, [](comm::Rendezvous& ranks) {
    ASSERT_EQ(cudaSetDevice(ranks.rank()), cudaSuccess);
    CudaStream stream;
    NcclCommunicator nccl(ranks);
    const std::vector<std::uint8_t> own(5, static_cast<std::uint8_t>(ranks.rank() + 1));
    const DeviceArray<std::uint8_t> bytes(own, stream.handle());
    nccl.all_gather(
        reinterpret_cast<std::byte*>(bytes.data()), own.size(), core::DType::kU8, stream);
    std::vector<std::uint8_t> wanted;
    for (int rank = 0; rank < 3; ++rank) {
      const std::size_t share = comm::share_begin(5, rank + 1, 3) - comm::share_begin(5, rank, 3);
      wanted.insert(wanted.end(), share, static_cast<std::uint8_t>(rank + 1));
    }
    EXPECT_EQ(bytes.read(), wanted);
    // Nothing was left open that would keep the next one from the device.
    const DeviceArray<float> number({static_cast<float>(ranks.rank() + 1)}, stream.handle());
    nccl.all_reduce({.data = reinterpret_cast<std::byte*>(number.data()), .count = 1}, stream);
    EXPECT_EQ(number.read().front(), 6.0F);
  });
}

// They run on a stream of their own. One rank comes late here, and what it has to read still later.
TEST(FakePlugin, CollectivesWaitForTheStreamAndItWaitsForThem) {
  using Collective =
      std::function<void(NcclCommunicator&, const comm::ReduceRequest&, CudaStream&)>;
  struct Case {
    const char* name;
    Collective run;
    std::vector<float> wanted[2];  ///< of each rank; below 0: anything
  };
  const std::vector<Case> cases{
      {"all_reduce",
       [](auto& nccl, const auto& both, auto& stream) {
         nccl.wait(nccl.start_all_reduce(both, stream), stream);
       },
       {{3, 3}, {3, 3}}},
      {"reduce_scatter",
       [](auto& nccl, const auto& both, auto& stream) { nccl.reduce_scatter(both, stream); },
       {{3, -1}, {-1, 3}}},
      {"all_gather",
       [](auto& nccl, const auto& both, auto& stream) {
         nccl.all_gather(both.data, both.count, both.dtype, stream);
       },
       {{1, 2}, {1, 2}}},
      {"broadcast",
       [](auto& nccl, const auto& both, auto& stream) {
         nccl.broadcast(both.data, both.count * sizeof(float), 1, stream);
       },
       {{2, 2}, {2, 2}}}};
  dlbench::testing::on_ranks(2, [&](comm::Rendezvous& ranks) {
    ASSERT_EQ(cudaSetDevice(ranks.rank()), cudaSuccess);
    CudaStream stream;
    NcclCommunicator nccl(ranks);
    for (const Case& test : cases) {
      if (ranks.rank() == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
      }
      const DeviceArray<float> both({0, 0}, stream.handle());
      const auto own = static_cast<float>(ranks.rank() + 1);
      const auto work = [to = both.data(), own] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        to[0] = to[1] = own;
      };
      ASSERT_EQ(fake::launch(stream.handle(), work), cudaSuccess);
      test.run(nccl, {.data = reinterpret_cast<std::byte*>(both.data()), .count = 2}, stream);
      const std::vector<float> seen = both.read();
      const std::vector<float>& wanted = test.wanted[ranks.rank()];
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_TRUE(wanted[i] < 0 || seen[i] == wanted[i])
            << test.name << " on rank " << ranks.rank() << ": " << seen[i] << " at " << i;
      }
    }
  });
}

/// What rank 0 says, with kTimeout, of ranks of which rank 1 takes the id and does not connect.
std::string refusal_to_wait(double timeout_s) {
  std::string refusal;
  dlbench::testing::on_ranks(2, [&](comm::Rendezvous& ranks) {
    ASSERT_EQ(cudaSetDevice(ranks.rank()), cudaSuccess);
    if (ranks.rank() == 1) {
      std::vector<std::byte> id(sizeof(ncclUniqueId));
      ranks.broadcast(id);
    } else {
      ranks.set_timeout(timeout_s);
      try {
        const NcclCommunicator nccl(ranks);
      } catch (const core::Error& error) {
        EXPECT_EQ(error.code(), core::ErrorCode::kTimeout);
        refusal = error.what();
      }
    }
    ranks.barrier();
  });
  return refusal;
}

TEST(FakePlugin, NamesTheCallThatDoesNotConnectInTime) {
  EXPECT_THAT(refusal_to_wait(0.3),
              HasSubstr("[rank 0] ncclCommInitRankConfig did not end within 0.3 s: a rank is "
                        "missing or its network interface cannot be reached"));
}

// What --timeout and signals do.
TEST(FakePlugin, IsAskedWhileItConnectsWhetherTheRunShallEnd) {
  comm::set_end_check([] { throw core::Error(core::ErrorCode::kTimeout, "--timeout reached"); });
  EXPECT_THAT(refusal_to_wait(60.0),
              HasSubstr("--timeout reached [rank 0: NCCL has not connected the ranks: "));
  comm::set_end_check({});
}

/// The priority of each kernel.
class Priorities final : public fake::Observer {
 public:
  void enqueued(const fake::ObservedWorkPtr& work) override {
    if (work->label.kind == fake::WorkKind::kKernel) {
      seen_.push_back(work->priority);  // with the runtime locked
    }
  }
  void done(const fake::ObservedWorkPtr& /*work*/) override {}
  void called(const fake::HostCall& /*call*/) override {}
  [[nodiscard]] std::vector<int> take() { return std::exchange(seen_, {}); }

 private:
  std::vector<int> seen_;
};

// Behind the backward pass, but before what of it is still to come; replayed, too.
TEST(FakePlugin, CollectivesComeBeforeTheComputeThatTheyOverlap) {
  static Priorities priorities;  // work that was enqueued may still tell it that it is done
  dlbench::testing::on_ranks(1, [](comm::Rendezvous& ranks) {
    CudaStream stream;
    NcclCommunicator nccl(ranks);
    const DeviceArray<float> number({1}, stream.handle());
    const auto step = [&] {
      ASSERT_EQ(fake::launch(stream.handle(), [] {}), cudaSuccess);
      nccl.all_reduce({.data = reinterpret_cast<std::byte*>(number.data()), .count = 1}, stream);
    };
    fake::set_observer(&priorities);
    step();
    stream.synchronize();
    EXPECT_THAT(priorities.take(), ElementsAre(0, Lt(0)));
    ASSERT_TRUE(stream.begin_capture());
    step();
    const std::unique_ptr<Replay> replay = stream.end_capture();
    EXPECT_THAT(priorities.take(), IsEmpty());
    replay->launch({});
    stream.synchronize();
    EXPECT_THAT(priorities.take(), ElementsAre(0, Lt(0)));
    fake::set_observer(nullptr);
  });
}

}  // namespace
}  // namespace dlbench::backend::cuda
