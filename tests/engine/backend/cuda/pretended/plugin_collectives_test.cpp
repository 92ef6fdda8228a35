// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The plug-in's communicator on several pretended devices, where `dlbench comm` does not reach.
#include "engine/backend/cuda/libraries/cuda_stream.h"
#include "engine/backend/cuda/libraries/nccl_communicator.h"
#include "tests/engine/backend/cuda/pretended/nccl_test_ranks.h"
#include "tests/engine/comm/thread_rendezvous.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using pretended::testing::DeviceArray;

// Bytes are what NCCL does not reduce, and five of them are no even shares for three ranks.
TEST(PretendedPlugin, GathersUnevenSharesOfWhatIsNotReduced) {
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

}  // namespace
}  // namespace dlbench::backend::cuda
