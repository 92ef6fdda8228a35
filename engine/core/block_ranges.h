// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sub-allocation of ranges from one block of memory.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace dlbench::core {

/// Tracks which bytes of a block are taken. Allocates first-fit, so that the same requests in the
/// same order get the same offsets.
class BlockRanges {
 public:
  /// A block of `bytes` bytes, all free. Ranges begin at multiples of `alignment` > 0.
  BlockRanges(std::size_t bytes, std::size_t alignment) : bytes_(bytes), alignment_(alignment) {}

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Takes a range of `bytes` > 0 and returns its offset; nullopt if no gap is large enough.
  [[nodiscard]] std::optional<std::size_t> take(std::size_t bytes);
  /// Frees the range that begins at `offset`, as returned by take().
  void give_back(std::size_t offset);

 private:
  std::size_t bytes_;
  std::size_t alignment_;
  std::map<std::size_t, std::size_t> taken_;  ///< ends by offset
};

}  // namespace dlbench::core
