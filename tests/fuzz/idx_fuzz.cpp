// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes, plain or gzipped: an array whose size is the product of its extents, or
// core::Error(kData).
#include "data/decoders/idx_decoder.h"
#include "engine/core/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dlbench;
  constexpr std::int64_t kMaxBytes = 1 << 20;
  try {
    const data::IdxArray array =
        data::decode_idx(std::as_bytes(std::span(data, size)), "fuzz.idx", kMaxBytes);
    std::int64_t product = 1;
    for (const std::int64_t extent : array.extents) {
      product *= extent;
    }
    if (product != static_cast<std::int64_t>(array.values.size()) || product > kMaxBytes) {
      std::abort();
    }
  } catch (const core::Error& error) {
    if (error.code() != core::ErrorCode::kData) {
      std::abort();
    }
  }
  return 0;
}
