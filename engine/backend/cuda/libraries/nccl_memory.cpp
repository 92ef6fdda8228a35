// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/nccl_memory.h"

#include "engine/backend/cuda/libraries/cuda_call.h"
#include "engine/backend/cuda/libraries/cuda_memory.h"
#include "engine/core/error.h"
#include "engine/core/round_up.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

/// Alignment of buffers in a block: as for cudaMalloc, and more than NCCL's kernels need.
constexpr std::size_t kAlignment = 512;

/// The range of sizes that NCCL allocates at a time.
constexpr std::size_t kMinGranularity = std::size_t{2} << 20;
constexpr std::size_t kMaxGranularity = std::size_t{512} << 20;

/// Free device memory in bytes; 0 if the device does not report it.
std::size_t free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return free;
}

}  // namespace

/// A range of a block.
class NcclMemory::SharedBuffer final : public Buffer {
 public:
  SharedBuffer(std::shared_ptr<NcclMemory> pool, std::size_t bytes)
      : pool_(std::move(pool)), data_(pool_->range_of(bytes)), bytes_(bytes) {}
  ~SharedBuffer() override { pool_->give_back(data_); }
  [[nodiscard]] std::byte* data() override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::shared_ptr<NcclMemory> pool_;
  std::byte* data_;
  std::size_t bytes_;
};

NcclMemoryAnswer NcclMemory::ask() {
  NcclMemoryAnswer answer;
  const std::size_t before = free_memory();
  const Memory least = take(1, answer.result);
  const std::size_t after = free_memory();
  const std::size_t taken = before > after ? before - after : 0;
  answer.granularity = std::bit_floor(std::clamp(taken, kMinGranularity, kMaxGranularity));
  return answer;
}

std::shared_ptr<NcclMemory> NcclMemory::make(std::size_t granularity) {
  return std::shared_ptr<NcclMemory>(new NcclMemory(granularity));
}

NcclMemory::Memory NcclMemory::take(std::size_t bytes, ncclResult_t& made) {
  void* memory = nullptr;
  made = ncclMemAlloc(&memory, bytes);
  if (made != ncclSuccess) {
    static_cast<void>(cudaGetLastError());  // clears the error that NCCL left in the runtime
    return nullptr;
  }
  return Memory(static_cast<std::byte*>(memory));
}

std::unique_ptr<Buffer> NcclMemory::allocate(std::size_t bytes) {
  auto buffer = std::make_unique<SharedBuffer>(shared_from_this(), bytes);
  fill_zero_now(buffer->data(), bytes);
  return buffer;
}

std::byte* NcclMemory::range_of(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (given_back_) {
    DLBENCH_CUDA(cudaDeviceSynchronize());  // work of the previous owner
    given_back_ = false;
  }
  for (Block& block : blocks_) {
    if (const auto offset = block.ranges.take(bytes); offset.has_value()) {
      return block.memory.get() + *offset;
    }
  }
  const std::size_t size = core::round_up(bytes, granularity_);
  ncclResult_t made = ncclSuccess;
  Memory memory = take(size, made);
  if (memory == nullptr) {
    const CudaBuffer no_room(size);  // throws a better message if memory is the reason
    throw core::Error(core::ErrorCode::kRun,
                      fmt::format("ncclMemAlloc of {} bytes: {}", size, ncclGetErrorString(made)));
  }
  Block& block = blocks_.emplace_back(
      Block{.memory = std::move(memory), .ranges = core::BlockRanges(size, kAlignment)});
  return block.memory.get() + block.ranges.take(bytes).value();
}

void NcclMemory::give_back(std::byte* begin) {
  const std::scoped_lock lock(mutex_);
  for (Block& block : blocks_) {
    const std::byte* first = block.memory.get();
    if (first <= begin && begin < first + block.ranges.bytes()) {
      block.ranges.give_back(static_cast<std::size_t>(begin - first));
      given_back_ = true;
      return;
    }
  }
}

}  // namespace dlbench::backend::cuda
