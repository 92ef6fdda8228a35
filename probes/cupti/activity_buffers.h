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

/// Lends buffers to CUPTI and keeps those that come back. lend() and take() may be called by any
/// thread, including one that launches work: neither touches more memory than the records fill.
class ActivityBuffers {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

  struct Free {
    std::size_t mapped_bytes = 0;  ///< 0: from malloc()
    void operator()(std::uint8_t* memory) const;
  };
  using Memory = std::unique_ptr<std::uint8_t, Free>;

  /// A buffer with contiguous records.
  struct Full {
    Memory memory;
    std::size_t bytes = 0;
  };
  struct Content {
    std::vector<Full> buffers;
    std::int64_t dropped = 0;  ///< records
  };

  /// `max_bytes` limits lent and kept memory together.
  explicit ActivityBuffers(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Starts collecting; earlier drops do not count.
  void open();

  /// Returns what came since open() and discards later buffers. Includes records dropped for lack
  /// of a buffer, which no returned buffer reports.
  [[nodiscard]] Content close();

  /// Returns a block of kBlockBytes for take(), zeroed and fresh from the system: its pages are
  /// allocated when they are first written to. Null if there is none, or beyond `max_bytes`.
  [[nodiscard]] std::uint8_t* lend() noexcept;

  /// Takes back a lent block with this many bytes of records. If it is less than half full, only a
  /// copy of the records is kept.
  void take(std::uint8_t* block, std::size_t bytes) noexcept;

 private:
  void keep(Full buffer);

  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::atomic<bool> is_open_ = false;
  Content content_;
  std::size_t kept_bytes_ = 0;
  std::size_t lent_bytes_ = 0;
};

}  // namespace dlbench::probes
