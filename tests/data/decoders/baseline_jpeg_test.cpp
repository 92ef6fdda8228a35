// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The fast JPEG decoder against libjpeg-turbo: the same pixels, or it declines.
#include "data/decoders/baseline_jpeg.h"

#include "data/decoders/jpeg_decoder.h"
#include "engine/core/error.h"
#include "engine/core/rng.h"
#include "tests/data/temporary_folder.h"

#include <gtest/gtest.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::data {
namespace {

using testing::as_bytes;

struct Encoding {
  int height = 0;
  int width = 0;
  int subsampling = TJSAMP_420;
  int quality = 90;
  int flags = 0;
};

/// Colours that change slowly, with noise on top: short and long codes, all frequencies.
std::string encode(const Encoding& encoding) {
  core::RandomStream random(7,
                            static_cast<std::uint64_t>(encoding.height * 10000 + encoding.width));
  std::vector<std::uint8_t> pixels;
  for (int row = 0; row < encoding.height; ++row) {
    for (int column = 0; column < encoding.width; ++column) {
      for (int channel = 0; channel < 3; ++channel) {
        const int smooth = (row * (channel + 1) + column * (3 - channel)) % 512;
        const int noise = static_cast<int>(random.below(column % 64 < 32 ? 4 : 90));
        pixels.push_back(static_cast<std::uint8_t>(
            std::min(255, (smooth < 256 ? smooth : 511 - smooth) / 2 + noise)));
      }
    }
  }
  const std::unique_ptr<void, int (*)(tjhandle)> handle(tjInitCompress(), tjDestroy);
  unsigned char* buffer = nullptr;
  unsigned long bytes = 0;
  EXPECT_EQ(tjCompress2(handle.get(),
                        pixels.data(),
                        encoding.width,
                        0,
                        encoding.height,
                        TJPF_RGB,
                        &buffer,
                        &bytes,
                        encoding.subsampling,
                        encoding.quality,
                        encoding.flags),
            0);
  std::string file(reinterpret_cast<const char*>(buffer), bytes);
  tjFree(buffer);
  return file;
}

class BaselineJpeg : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string file = encode({.height = 16, .width = 16});
    PixelBuffer pixels;
    if (!BaselineJpegDecoder().decode(as_bytes(file), {16, 16}, 3, 1, pixels)) {
      GTEST_SKIP() << "this processor has no AVX2: the fast decoder always declines";
    }
  }

  /// Decodes with both; fails if the fast one declined or one pixel differs.
  void expect_same(const std::string& file, const Encoding& encoding, std::int64_t channels) {
    const ImageHeader header{encoding.height, encoding.width};
    const auto fast = decoder_.decode(as_bytes(file), header, channels, 1, fast_pixels_);
    const ::testing::Message where = ::testing::Message()
                                     << encoding.width << " x " << encoding.height
                                     << ", subsampling " << encoding.subsampling << ", quality "
                                     << encoding.quality << ", " << channels << " channels";
    ASSERT_TRUE(fast) << "declined: " << where;
    const ImageView wanted =
        library_.decode_with_library(as_bytes(file), "x", {.channels = channels}, library_pixels_);
    ASSERT_EQ(fast->height, wanted.height) << where;
    ASSERT_EQ(fast->width, wanted.width) << where;
    EXPECT_EQ(std::memcmp(fast->pixels,
                          wanted.pixels,
                          static_cast<std::size_t>(wanted.height * wanted.width * channels)),
              0)
        << where;
  }

  BaselineJpegDecoder decoder_;  // one for all files: what it keeps must not matter
  JpegDecoder library_;
  PixelBuffer fast_pixels_;
  PixelBuffer library_pixels_;
};

TEST_F(BaselineJpeg, GivesTheLibrarysPixels) {
  for (const int subsampling : {TJSAMP_420, TJSAMP_444, TJSAMP_GRAY}) {
    for (const auto& [height, width] : {std::pair{8, 8},
                                        {16, 16},
                                        {17, 33},
                                        {31, 6},
                                        {5, 47},
                                        {64, 64},
                                        {100, 129},
                                        {241, 163},
                                        {1, 40},
                                        {40, 7}}) {
      for (const int quality : {30, 75, 92, 100}) {
        const Encoding encoding{height, width, subsampling, quality};
        const std::string file = encode(encoding);
        expect_same(file, encoding, 1);
        if (subsampling != TJSAMP_GRAY) {
          expect_same(file, encoding, 3);
        }
      }
    }
  }
}

TEST_F(BaselineJpeg, FollowsRestartMarkers) {
  const Encoding encoding{.height = 70, .width = 90};
  ASSERT_EQ(::setenv("TJ_RESTART", "3B", 1), 0);  // TurboJPEG: every three blocks
  const std::string file = encode(encoding);
  ASSERT_EQ(::unsetenv("TJ_RESTART"), 0);
  ASSERT_NE(file.find("\xff\xd5"), std::string::npos) << "no restart markers were written";
  expect_same(file, encoding, 3);
}

TEST_F(BaselineJpeg, ScaledDecodingStaysNearTheLibrary) {
  const Encoding encoding{.height = 240, .width = 328, .quality = 95};
  const std::string file = encode(encoding);
  for (const int denominator : {2, 4, 8}) {
    const auto fast = decoder_.decode(as_bytes(file), {240, 328}, 3, denominator, fast_pixels_);
    ASSERT_TRUE(fast);
    const ImageView wanted = library_.decode_with_library(
        as_bytes(file),
        "x",
        {.min_height = 240 / denominator, .min_width = 328 / denominator},
        library_pixels_);
    ASSERT_EQ(fast->height, wanted.height);
    ASSERT_EQ(fast->width, wanted.width);
    double sum = 0.0;
    const auto count = static_cast<std::size_t>(wanted.height * wanted.width * 3);
    for (std::size_t i = 0; i < count; ++i) {
      sum += std::abs(int{fast->pixels[i]} - int{wanted.pixels[i]});
    }
    EXPECT_LT(sum / static_cast<double>(count), 2.0) << "reduced by " << denominator;
  }
}

TEST_F(BaselineJpeg, DeclinesWhatItDoesNotKnow) {
  const auto declines = [&](const Encoding& encoding, std::int64_t channels) {
    const std::string file = encode(encoding);
    return !decoder_.decode(
        as_bytes(file), {encoding.height, encoding.width}, channels, 1, fast_pixels_);
  };
  EXPECT_TRUE(declines({.height = 40, .width = 40, .flags = TJFLAG_PROGRESSIVE}, 3));
  EXPECT_TRUE(declines({.height = 40, .width = 40, .subsampling = TJSAMP_422}, 3));
  EXPECT_TRUE(declines({.height = 40, .width = 40, .subsampling = TJSAMP_GRAY}, 3));
  EXPECT_TRUE(declines({.height = 40, .width = 4}, 3));
}

TEST_F(BaselineJpeg, DeclinesOrAgreesOnDamagedFiles) {
  const Encoding encoding{.height = 48, .width = 48};
  const std::string file = encode(encoding);
  int declined = 0;
  int tries = 0;
  for (std::size_t at = 2; at + 2 < file.size(); at += 11) {
    for (const bool cut : {false, true}) {
      std::string damaged = cut ? file.substr(0, at) : file;
      if (!cut) {
        damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
      }
      ++tries;
      const auto fast = decoder_.decode(as_bytes(damaged), {48, 48}, 3, 1, fast_pixels_);
      if (!fast) {
        ++declined;
        continue;
      }
      EXPECT_FALSE(cut) << "a file cut at " << at << " was decoded";
      try {
        const ImageView wanted =
            library_.decode_with_library(as_bytes(damaged), "x", {}, library_pixels_);
        EXPECT_EQ(std::memcmp(fast->pixels, wanted.pixels, 48 * 48 * 3), 0) << at;
      } catch (const core::Error& error) {
        ADD_FAILURE() << "decoded what the library refuses: " << error.what();
      }
    }
  }
  EXPECT_GT(declined, tries / 2);  // all cut files, and more
}

}  // namespace
}  // namespace dlbench::data
