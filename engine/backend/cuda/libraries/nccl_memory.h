// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Device memory that other processes can map, so that NCCL can use it without a copy.
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/block_ranges.h"

#include <nccl.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace dlbench::backend::cuda {

/// The answer of NCCL to a request for the smallest amount of memory.
struct NcclMemoryAnswer {
  ncclResult_t result = ncclSuccess;  ///< why it refuses, if it does
  /// Bytes that NCCL allocates at a time, estimated from free device memory, which others may also
  /// have changed meanwhile.
  std::size_t granularity = 0;
};

/// Memory of ncclMemAlloc on the current device, for the buffers of one communicator.
///
/// NCCL rounds each allocation up, 2.28 to what the device maps at once (2 MiB by
/// cuMemGetAllocationGranularity); 512 MiB, what NVLink switches map at once, were reported of
/// others. So memory is allocated in blocks and sub-allocated. NCCL may keep a block registered
/// longer than a buffer lives, until its communicator has ended: blocks are freed only with the
/// pool, which is kept alive by buffers and by the owner of the communicator until it has ended.
/// Ranks whose pools have the same granularity and that request the same sizes in the same order
/// get the same offsets in blocks, as NCCL requires of buffers in which switches add ("User Buffer
/// Registration" of its guide).
class NcclMemory : public std::enable_shared_from_this<NcclMemory> {
 public:
  /// Allocates and frees one byte to find out. Does not throw.
  [[nodiscard]] static NcclMemoryAnswer ask();
  /// Makes a pool. The sizes of blocks are multiples of `granularity` > 0.
  [[nodiscard]] static std::shared_ptr<NcclMemory> make(std::size_t granularity);

  /// Allocates `bytes` > 0 zeroed bytes. Waits for the device if memory is reused. Throws
  /// core::Error(kRun) if there is no room.
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
  /// Allocates a block; null, with NCCL's answer in `made`, if NCCL refuses.
  [[nodiscard]] static Memory take(std::size_t bytes, ncclResult_t& made);
  [[nodiscard]] std::byte* range_of(std::size_t bytes);
  void give_back(std::byte* begin);

  std::size_t granularity_;
  std::mutex mutex_;  ///< guards what follows
  std::vector<Block> blocks_;
  bool given_back_ = false;  ///< memory was freed since the device was last waited for
};

}  // namespace dlbench::backend::cuda
