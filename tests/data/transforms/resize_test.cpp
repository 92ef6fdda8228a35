// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/transforms/resize.h"

#include "data/transforms/threshold.h"
#include "engine/core/fnv1a.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace dlbench::data {
namespace {

struct Golden {
  std::int64_t height, width, channels, new_height, new_width;
  std::uint64_t hash;  ///< FNV-1a of OpenCV's pixels
};

// Made by: /usr/bin/python3 tests/data/transforms/resize_golden.py
// OpenCV 4.6.0
constexpr Golden kOpenCv[] = {
    {487, 332, 3, 256, 256, 0x8333d438a6dc2bb1U},   {1072, 1920, 3, 256, 256, 0xf995af2367e97b61U},
    {531, 622, 3, 256, 256, 0x2910383d2c7ecfd7U},   {531, 622, 1, 256, 256, 0xb7b667363f587d4bU},
    {512, 512, 3, 256, 256, 0x87b97abd8ae474e9U},   {512, 512, 1, 256, 256, 0xdf0f40254b7b117fU},
    {512, 300, 3, 256, 150, 0xcdaea107d7cdda53U},   {512, 301, 3, 256, 150, 0x172e92599e6a7947U},
    {100, 90, 3, 256, 256, 0x70e53fd097061312U},    {100, 90, 1, 256, 256, 0x0cfaea98b7255b12U},
    {256, 256, 3, 256, 256, 0x7957c9dbf7ef6fe9U},   {1, 1, 3, 5, 7, 0xf219cf3624fc5ff1U},
    {7, 1, 1, 3, 4, 0xd67fa1560ce8bdf5U},           {1, 9, 3, 4, 3, 0x516493931ecea5a5U},
    {13, 17, 3, 29, 5, 0x934af4a5329b87a9U},        {13, 17, 1, 29, 31, 0x80ec060d1e2b6dc8U},
    {1072, 1920, 1, 64, 96, 0xe823cb6afd45378fU},   {576, 720, 3, 17, 33, 0x731c81b4cc09a57eU},
    {1024, 1024, 3, 256, 256, 0x02c4c2bd9b7e73f3U}, {1024, 768, 1, 256, 256, 0x20992f6e61e8f943U},
    {2, 2, 3, 1, 1, 0xa0662e1b215330c9U},           {3, 5, 1, 1, 1, 0xaf63e04c8601f358U},
};

std::vector<std::uint8_t> pattern(const Golden& golden) {
  std::vector<std::uint8_t> pixels;
  for (std::uint32_t y = 0; y < golden.height; ++y) {
    for (std::uint32_t x = 0; x < golden.width; ++x) {
      for (std::uint32_t c = 0; c < golden.channels; ++c) {
        std::uint32_t value = x * 2654435761U + y * 2246822519U + c * 3266489917U;
        value ^= value >> 15U;
        value *= 668265263U;
        pixels.push_back(static_cast<std::uint8_t>(value >> 24U));
      }
    }
  }
  pixels.resize(pixels.size() + kRowReadahead);
  return pixels;
}

std::uint64_t hash_of(const std::vector<std::uint8_t>& bytes) {
  core::Fnv1a hash;
  for (const std::uint8_t byte : bytes) {
    hash.add(byte);
  }
  return hash.value();
}

void expect_opencvs_pixels(ResizeIsa isa) {
  BilinearResizer resizer(isa);  // one for all sizes: its tables must follow
  for (const Golden& golden : kOpenCv) {
    const std::vector<std::uint8_t> image = pattern(golden);
    const ImageView view{image.data(), golden.height, golden.width, golden.channels};
    PixelRows rows(view);
    std::vector<std::uint8_t> pixels(
        static_cast<std::size_t>(golden.new_height * golden.new_width * golden.channels));
    resizer.resize(rows, golden.new_height, golden.new_width, pixels);
    EXPECT_EQ(hash_of(pixels), golden.hash)
        << golden.height << " x " << golden.width << " x " << golden.channels << " to "
        << golden.new_height << " x " << golden.new_width;
  }
}

TEST(BilinearResizer, GivesOpenCvsPixels) { expect_opencvs_pixels(ResizeIsa::kPortable); }

TEST(BilinearResizer, GivesOpenCvsPixelsWithSsse3) {
  if (!has_isa(ResizeIsa::kSsse3)) {
    GTEST_SKIP() << "this processor has no SSSE3";
  }
  expect_opencvs_pixels(ResizeIsa::kSsse3);
}

TEST(BilinearResizer, GivesOpenCvsPixelsWithAvx512) {
  if (!has_isa(ResizeIsa::kAvx512)) {
    GTEST_SKIP() << "this processor has no AVX-512 with VBMI";
  }
  expect_opencvs_pixels(ResizeIsa::kAvx512);
}

TEST(BilinearResizer, SplitsADistanceByItsParts) {
  std::vector<std::uint8_t> image{0, 100};
  image.resize(image.size() + kRowReadahead);
  std::vector<std::uint8_t> out(4);
  PixelRows rows({image.data(), 1, 2, 1});
  BilinearResizer().resize(rows, 1, 4, out);
  // Positions -0.25 (clamped), 0.25, 0.75, 1.25 (clamped) between 0 and 100.
  EXPECT_EQ(out, (std::vector<std::uint8_t>{0, 25, 75, 100}));
}

TEST(Threshold, CutsAtTheLimit) {
  std::vector<std::uint8_t> values{0, 127, 128, 255};
  threshold(values, 128);
  EXPECT_EQ(values, (std::vector<std::uint8_t>{0, 0, 1, 1}));
}

}  // namespace
}  // namespace dlbench::data
