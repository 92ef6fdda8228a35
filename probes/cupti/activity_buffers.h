// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory that CUPTI writes its activity records to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace dlbench::probes {

/// Gives CUPTI buffers and keeps what comes back. Any thread may call lend() and take(), also one
/// that launches work: neither touches more memory than records lie in.
class ActivityBuffers {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

  struct Free {
    std::size_t mapped_bytes = 0;  ///< 0: of malloc()
    void operator()(std::uint8_t* memory) const;
  };
  using Memory = std::unique_ptr<std::uint8_t, Free>;

  /// Records, one behind the other.
  struct Full {
    Memory memory;
    std::size_t bytes = 0;
  };
  struct Content {
    std::vector<Full> buffers;
    std::int64_t dropped = 0;  ///< records
  };

  /// `most_bytes`: of what CUPTI has and what is kept, both together.
  explicit ActivityBuffers(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// What was dropped before is not counted.
  void open();

  /// What came since open(). Buffers that come later are thrown away. Records are also dropped
  /// where no buffer was to be had, so that none comes back to say so.
  [[nodiscard]] Content close();

  /// A block of kBlockBytes, zero all over and fresh from the system: its pages are there once they
  /// are written to. Null: there is none, or it would be more than `most_bytes`. For take().
  [[nodiscard]] std::uint8_t* lend() noexcept;

  /// A block that lend() gave, with so many bytes of records. One that is less than half full is
  /// kept as a copy of those.
  void take(std::uint8_t* block, std::size_t bytes) noexcept;

 private:
  void keep(Full buffer);

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::atomic<bool> is_open_ = false;
  Content content_;
  std::size_t kept_bytes_ = 0;
  std::size_t lent_bytes_ = 0;
};

}  // namespace dlbench::probes
