// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/nccl_memory.h"

#include "engine/backend/cuda/libraries/cuda_stream.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using ::testing::Each;

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::size_t taken_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  return total - free;
}

std::vector<std::uint8_t> read(Buffer& buffer) {
  CudaStream stream;
  std::vector<std::uint8_t> bytes(buffer.bytes());
  EXPECT_EQ(cudaMemcpyAsync(
                bytes.data(), buffer.data(), bytes.size(), cudaMemcpyDeviceToHost, stream.handle()),
            cudaSuccess);
  stream.synchronize();
  return bytes;
}

// The fake NCCL takes 2 MiB for one byte.
TEST(NcclMemory, BuffersShareWhatNcclTakesAtATime) {
  const std::size_t before = taken_memory();
  std::unique_ptr<Buffer> kept;
  {
    const NcclMemoryAnswer answer = NcclMemory::ask();
    EXPECT_EQ(answer.result, ncclSuccess);
    EXPECT_EQ(answer.granularity, 2 * kMiB);
    EXPECT_EQ(taken_memory(), before) << "nothing is kept of what tells the size";
    const std::shared_ptr<NcclMemory> pool = NcclMemory::make(answer.granularity);
    std::unique_ptr<Buffer> first = pool->allocate(1000);
    const std::unique_ptr<Buffer> second = pool->allocate(2 * kMiB - 1024);
    EXPECT_EQ(second->data() - first->data(), 1024);
    EXPECT_EQ(taken_memory() - before, 2 * kMiB);
    const std::unique_ptr<Buffer> large = pool->allocate(2 * kMiB + 1);
    EXPECT_EQ(taken_memory() - before, 6 * kMiB);

    ASSERT_EQ(cudaMemset(first->data(), 7, first->bytes()), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_THAT(read(*first), Each(7));
    const std::byte* place = first->data();
    first.reset();
    EXPECT_EQ(taken_memory() - before, 6 * kMiB) << "NCCL may have it registered";
    kept = pool->allocate(10);
    EXPECT_EQ(kept->data(), place);
    EXPECT_THAT(read(*kept), Each(0));
  }
  EXPECT_EQ(taken_memory() - before, 6 * kMiB) << "a buffer is still there";
  kept.reset();
  EXPECT_EQ(taken_memory(), before);
}

}  // namespace
}  // namespace dlbench::backend::cuda
