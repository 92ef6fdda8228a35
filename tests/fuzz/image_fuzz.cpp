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
    data::ImageRows& image = decoder.decode(file, "fuzz.image", request);
    if (image.height() < 1 || image.width() < 1 || image.channels() != request.channels ||
        image.height() * image.width() > request.max_pixels) {
      std::abort();
    }
    // Every pixel can be read.
    unsigned sum = 0;
    for (std::int64_t y = 0; y < image.height(); ++y) {
      const std::uint8_t* row = image.row(y);
      for (std::int64_t i = 0; i < image.width() * image.channels(); ++i) {
        sum += row[i];
      }
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
