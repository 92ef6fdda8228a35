// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Device memory that other processes can map, so that NCCL uses it without a copy.
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/block_ranges.h"

#include <nccl.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace dlbench::backend::cuda {

/// Memory of ncclMemAlloc on the current device, for the buffers of one communicator.
///
/// NCCL rounds each allocation up to what switches of NVLink map at once (its allocator.cc:
/// CU_MULTICAST_GRANULARITY_RECOMMENDED), for which 2 MiB and 512 MiB are reported. So memory is
/// taken in blocks of that size and shared out. And NCCL may keep a block registered longer than a
/// buffer is there, until its communicator has ended: blocks are freed with the pool alone, which
/// who has that communicator keeps as long. Buffers keep the pool, too.
class NcclMemory : public std::enable_shared_from_this<NcclMemory> {
 public:
  /// Asks for memory once, to know whether there is any and in which sizes.
  [[nodiscard]] static std::shared_ptr<NcclMemory> make();

  /// NCCL's answer to that: ncclSuccess, or why it gives none.
  [[nodiscard]] ncclResult_t answer() const { return answer_; }
  /// Bytes that NCCL takes of the device at a time, as far as free memory tells: others may have
  /// taken some meanwhile.
  [[nodiscard]] std::size_t granularity() const { return granularity_; }

  /// Zeroed; `bytes` > 0 of them. Waits for the device where memory is used again. Throws
  /// core::Error(kRun) where there is no room.
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t bytes);

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { ncclMemFree(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  struct Block {
    Memory memory;
    core::BlockRanges ranges;
  };
  class SharedBuffer;

  NcclMemory();
  /// Null, with NCCL's answer in `made`, where it is refused.
  [[nodiscard]] static Memory take(std::size_t bytes, ncclResult_t& made);
  [[nodiscard]] std::byte* range_of(std::size_t bytes);
  void give_back(std::byte* begin);

  ncclResult_t answer_ = ncclSuccess;
  std::size_t granularity_ = 0;
  std::mutex mutex_;  ///< held where blocks_ is used
  std::vector<Block> blocks_;
};

}  // namespace dlbench::backend::cuda
