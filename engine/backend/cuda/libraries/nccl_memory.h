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

/// What NCCL says when it is asked for the least memory.
struct NcclMemoryAnswer {
  ncclResult_t result = ncclSuccess;  ///< why it gives none, if it does not
  /// Bytes that it takes of the device at a time, as far as free memory tells: others may have
  /// taken some meanwhile.
  std::size_t granularity = 0;
};

/// Memory of ncclMemAlloc on the current device, for the buffers of one communicator.
///
/// NCCL rounds each allocation up to what switches of NVLink map at once (its allocator.cc:
/// CU_MULTICAST_GRANULARITY_RECOMMENDED), for which 2 MiB and 512 MiB are reported. So memory is
/// taken in blocks and shared out. And NCCL may keep a block registered longer than a buffer is
/// there, until its communicator has ended: blocks are freed only with the pool, which buffers
/// keep, and whoever has the communicator keeps it until that has ended. Ranks whose pools have one
/// granularity and that ask for the same sizes in the same order get the same offsets in blocks, as
/// NCCL wants it of buffers that switches add in ("User Buffer Registration" of its guide).
class NcclMemory : public std::enable_shared_from_this<NcclMemory> {
 public:
  /// Takes and frees one byte. Throws nothing.
  [[nodiscard]] static NcclMemoryAnswer ask();
  /// Blocks are of multiples of `granularity` > 0.
  [[nodiscard]] static std::shared_ptr<NcclMemory> make(std::size_t granularity);

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

  explicit NcclMemory(std::size_t granularity) : granularity_(granularity) {}
  /// Null, with NCCL's answer in `made`, where it is refused.
  [[nodiscard]] static Memory take(std::size_t bytes, ncclResult_t& made);
  [[nodiscard]] std::byte* range_of(std::size_t bytes);
  void give_back(std::byte* begin);

  std::size_t granularity_;
  std::mutex mutex_;  ///< held where the rest is used
  std::vector<Block> blocks_;
  bool given_back_ = false;  ///< since the device was waited for
};

}  // namespace dlbench::backend::cuda
