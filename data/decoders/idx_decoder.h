// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// IDX, the format of the MNIST files: a header of extents, then a dense array; plain or gzipped.
// Y. LeCun, C. Cortes: "The MNIST database of handwritten digits", section "file formats".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace dlbench::data {

/// A dense array of unsigned bytes (IDX type 0x08, the only one that image data uses).
struct IdxArray {
  std::vector<std::int64_t> extents;  ///< outermost first: (60000, 28, 28)
  std::vector<std::uint8_t> values;   ///< product of the extents
};

/// Decodes a whole IDX file in memory; gzip is recognised by its first bytes. Allocates no more
/// memory than the file really fills. Throws Error(kData) naming the path: not IDX, another element
/// type, truncated, longer than its header says, or above max_bytes.
[[nodiscard]] IdxArray decode_idx(std::span<const std::byte> file,
                                  const std::filesystem::path& path,
                                  std::int64_t max_bytes = std::int64_t{1} << 31);

}  // namespace dlbench::data
