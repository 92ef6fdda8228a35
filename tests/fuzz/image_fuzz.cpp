// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: an image of the size that its header names, or core::Error(kData).
#include "data/decoders/image.h"
#include "engine/core/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dlbench;
  static data::ImageDecoder decoder;
  if (size == 0) {
    return 0;
  }
  // The first byte chooses what is asked for; the rest is the file.
  data::DecodeRequest request;
  request.channels = (*data & 1U) != 0 ? 1 : 3;
  request.min_height = request.min_width = (*data & 2U) != 0 ? 8 : 0;
  request.max_pixels = 1 << 16;
  const auto file = std::as_bytes(std::span(data, size)).subspan(1);
  try {
    const data::ImageView view = decoder.decode(file, "fuzz.image", request);
    if (view.height < 1 || view.width < 1 || view.channels != request.channels ||
        view.height * view.width > request.max_pixels) {
      std::abort();
    }
    // Every pixel can be read.
    unsigned sum = 0;
    for (std::int64_t index = 0; index < view.height * view.width * view.channels; ++index) {
      sum += view.pixels[index];
    }
    [[maybe_unused]] static volatile unsigned sink;
    sink = sum;
  } catch (const core::Error& error) {
    if (error.code() != core::ErrorCode::kData) {
      std::abort();
    }
  }
  return 0;
}
