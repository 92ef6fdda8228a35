// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/decoders/image.h"

#include "data/decoders/jpeg_decoder.h"
#include "engine/core/error.h"
#include "engine/core/rng.h"
#include "tests/data/file_bytes.h"
#include "tests/data/picture_files.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>

namespace dlbench::data {
namespace {

using testing::as_bytes;
using testing::jpeg_bytes;
using testing::noisy_picture;
using testing::Picture;
using testing::png_bytes;
using testing::smooth_picture;
using tests::error_of;

std::vector<std::uint8_t> pixels_of(ImageRows& image) {
  std::vector<std::uint8_t> pixels;
  for (std::int64_t y = 0; y < image.height(); ++y) {
    const std::uint8_t* row = image.row(y);
    pixels.insert(pixels.end(), row, row + image.width() * image.channels());
  }
  return pixels;
}

int largest_difference(ImageRows& image, const Picture& picture) {
  const std::vector<std::uint8_t> pixels = pixels_of(image);
  EXPECT_EQ(pixels.size(), picture.pixels.size());
  int largest = 0;
  for (std::size_t i = 0; i < std::min(pixels.size(), picture.pixels.size()); ++i) {
    largest = std::max(largest, std::abs(int{pixels[i]} - int{picture.pixels[i]}));
  }
  return largest;
}

std::string decode_error(const std::string& file, const DecodeRequest& request = {}) {
  return error_of([&] { ImageDecoder().decode(as_bytes(file), "some/file.jpg", request); });
}

TEST(JpegDecoder, GivesRgbPixels) {
  const Picture picture = smooth_picture(40, 60, 3);
  ImageDecoder decoder;
  const std::string file = jpeg_bytes(picture, 100);
  ImageRows& image = decoder.decode(as_bytes(file), "a.jpg", {});
  ASSERT_EQ(image.height(), 40);
  ASSERT_EQ(image.width(), 60);
  ASSERT_EQ(image.channels(), 3);
  // Quality 100 with halved chroma of smooth colours: a few levels. BGR order would give over 100.
  EXPECT_LE(largest_difference(image, picture), 8);
}

TEST(JpegDecoder, GivesLumaWhenAskedForGrey) {
  const Picture grey = smooth_picture(33, 21, 1);
  ImageDecoder decoder;
  const std::string file = jpeg_bytes(grey, 100);
  EXPECT_LE(largest_difference(decoder.decode(as_bytes(file), "a.jpg", {.channels = 1}), grey), 2);
}

TEST(JpegDecoder, DecodesProgressive) {
  const Picture picture = smooth_picture(40, 60, 3);
  ImageDecoder decoder;
  const std::string file = testing::progressive_jpeg_bytes(picture);
  EXPECT_LE(largest_difference(decoder.decode(as_bytes(file), "a.jpg", {}), picture), 12);
}

TEST(JpegDecoder, ScalesByPowersOfTwoAndNeverBelowTheMinimum) {
  ImageDecoder decoder;
  const std::string file = jpeg_bytes(smooth_picture(1072, 1920, 3));
  const auto side = [&](std::int64_t minimum) {
    const ImageRows& image =
        decoder.decode(as_bytes(file), "a.jpg", {.min_height = minimum, .min_width = minimum});
    return std::pair(image.height(), image.width());
  };
  EXPECT_EQ(side(0), std::pair(std::int64_t{1072}, std::int64_t{1920}));
  EXPECT_EQ(side(537), std::pair(std::int64_t{1072}, std::int64_t{1920}));
  EXPECT_EQ(side(536), std::pair(std::int64_t{536}, std::int64_t{960}));
  EXPECT_EQ(side(256), std::pair(std::int64_t{268}, std::int64_t{480}));
  EXPECT_EQ(side(1), std::pair(std::int64_t{134}, std::int64_t{240}));
}

template <class Decoder>
void expect_turbojpegs_pixels(Decoder& decoder,
                              const std::string& file,
                              int channels,
                              int denominator) {
  const Picture expected = testing::decode_with_turbojpeg(file, channels, denominator);
  const DecodeRequest request{.channels = channels,
                              .min_height = denominator == 1 ? 0 : expected.height,
                              .min_width = denominator == 1 ? 0 : expected.width};
  EXPECT_EQ(pixels_of(decoder.decode(as_bytes(file), "a.jpg", request)), expected.pixels)
      << "to " << channels << " channels, reduced by " << denominator;
}

TEST(JpegDecoder, GivesTurboJpegsPixels) {
  using testing::Chroma;
  ImageDecoder decoder;
  // Sizes around blocks (8), MCUs (16) and what our conversion takes at a time (64).
  for (const auto& [height, width] : {std::pair{1, 1},
                                      {2, 3},
                                      {5, 4},
                                      {3, 5},
                                      {16, 16},
                                      {17, 33},
                                      {31, 63},
                                      {64, 64},
                                      {65, 65},
                                      {66, 127},
                                      {130, 128},
                                      {47, 129},
                                      {100, 622}}) {
    for (const Chroma chroma :
         {Chroma::kHalved, Chroma::kFull, Chroma::kHalvedAlongX, Chroma::kHalvedAlongY}) {
      for (const int channels : {1, 3}) {
        const std::string colour = jpeg_bytes(noisy_picture(height, width, 3), 90, chroma);
        const std::string grey = jpeg_bytes(noisy_picture(height, width, 1), 90);
        for (const std::string& file : {colour, grey}) {
          for (const int denominator : {1, 2, 4, 8}) {
            if (denominator > 1 && std::min(height, width) < 16) {
              continue;  // 8 x 8 and less to one pixel: more than one reduction gives that size
            }
            SCOPED_TRACE(::testing::Message()
                         << height << " x " << width << ", chroma " << static_cast<int>(chroma));
            expect_turbojpegs_pixels(decoder, file, channels, denominator);
          }
        }
      }
    }
  }
}

TEST(JpegDecoder, GivesTurboJpegsPixelsAtAnyQualityAndContrast) {
  ImageDecoder decoder;
  const Picture noise = noisy_picture(96, 160, 3);
  // 0 and 255 alone, which the inverse DCT overshoots: with white noise, and with blocks in one
  // colour on the left, in two on the right.
  Picture extremes = noise;
  Picture blocks = noise;
  for (std::size_t i = 0; i < noise.pixels.size(); ++i) {
    const std::size_t x = i / 3 % 160;
    extremes.pixels[i] = noise.pixels[i] < 128 ? 0 : 255;
    blocks.pixels[i] = (x < 80 ? x / 16 : x / 12) % 2 == 0 ? 0 : 255;
  }
  for (const Picture& picture : {noise, extremes, blocks, smooth_picture(96, 160, 3)}) {
    for (const int quality : {5, 30, 75, 100}) {
      const std::string file = jpeg_bytes(picture, quality);
      for (const int channels : {1, 3}) {
        for (const int denominator : {1, 2, 4, 8}) {
          SCOPED_TRACE(::testing::Message() << "quality " << quality);
          expect_turbojpegs_pixels(decoder, file, channels, denominator);
        }
      }
    }
  }
}

/// The file, its coefficients now in units of `step`.
std::string with_quantisers(std::string file, char step) {
  constexpr std::size_t kTableAt = 5;  // behind the marker, the length and the table's number
  for (std::size_t at = file.find("\xFF\xDB"); at < file.find("\xFF\xDA");
       at = file.find("\xFF\xDB", at + kTableAt + 64)) {
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(at + kTableAt), 64, step);
  }
  return file;
}

TEST(JpegDecoder, GivesTurboJpegsPixelsOfAnyCoefficients) {
  JpegDecoder with_own_steps(true);
  JpegDecoder without(false);
  Picture picture = noisy_picture(48, 96, 3);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    if (i / 3 % 96 >= 48) {  // blocks of one colour on the right
      picture.pixels[i] = i / 3 % 96 < 64 ? 0 : 255;
    }
  }
  const std::string fine = jpeg_bytes(picture, 100);
  // Sums overflow 16 bits from 8 or so on; a coefficient does from about 60 on.
  for (const int step : {2, 4, 6, 8, 12, 16, 20, 30, 60, 100, 255}) {
    SCOPED_TRACE(::testing::Message() << "quantisers " << step);
    const std::string file = with_quantisers(fine, static_cast<char>(step));
    for (const int channels : {1, 3}) {
      for (const int denominator : {1, 2, 4, 8}) {
        expect_turbojpegs_pixels(with_own_steps, file, channels, denominator);
        expect_turbojpegs_pixels(without, file, channels, denominator);
      }
    }
  }
}

TEST(JpegDecoder, GivesTurboJpegsPixelsWithRestartsAndOwnTables) {
  JpegDecoder decoder;
  const Picture noise = noisy_picture(70, 90, 3);
  const Picture smooth = smooth_picture(70, 90, 3);
  std::vector<std::string> files;
  for (const Picture& picture : {noise, smooth}) {
    for (const int interval : {1, 2, 7, 100}) {
      files.push_back(testing::jpeg_bytes_with_restarts(picture, interval));
    }
    for (const int quality : {10, 50, 100}) {
      files.push_back(testing::jpeg_bytes_with_own_tables(picture, quality));
    }
  }
  EXPECT_NE(files.front().find("\xFF\xD0"), std::string::npos);
  for (const std::string& file : files) {
    for (const int channels : {1, 3}) {
      for (const int denominator : {1, 4}) {
        expect_turbojpegs_pixels(decoder, file, channels, denominator);
      }
    }
  }
}

std::vector<std::uint8_t> pixels_or_none(JpegDecoder& decoder, const std::string& file) {
  try {
    return pixels_of(decoder.decode(as_bytes(file), "a.jpg", {}));
  } catch (const core::Error&) {
    return {};
  }
}

TEST(JpegDecoder, AcceptsNoDamageThatLibjpegRefuses) {
  JpegDecoder with_own_steps(true);
  JpegDecoder without(false);
  core::RandomStream random(1, 2);
  const Picture picture = smooth_picture(40, 56, 3);
  int accepted[2] = {};
  for (const std::string& file : {jpeg_bytes(picture, 80),
                                  jpeg_bytes(noisy_picture(24, 24, 3), 100),
                                  testing::jpeg_bytes_with_restarts(picture, 2)}) {
    const std::size_t data = file.find("\xFF\xDA");
    for (int trial = 0; trial < 500; ++trial) {
      std::string damaged = file;
      const std::size_t at = data + random.below(static_cast<std::uint32_t>(file.size() - data));
      if (trial % 3 == 0) {
        damaged.erase(at, 1 + random.below(12));
      } else if (trial % 3 == 1) {
        damaged.insert(at, 1 + random.below(12), static_cast<char>(random.below(256)));
      } else {
        damaged[at] = static_cast<char>(random.below(256));
      }
      const std::vector<std::uint8_t> ours = pixels_or_none(with_own_steps, damaged);
      const std::vector<std::uint8_t> libjpegs = pixels_or_none(without, damaged);
      EXPECT_TRUE(ours.empty() || ours == libjpegs) << trial;
      accepted[0] += ours.empty() ? 0 : 1;
      accepted[1] += libjpegs.empty() ? 0 : 1;
    }
  }
  // Not all damage shows, and libjpeg's fast way through the codes takes some that are none.
  EXPECT_GT(accepted[0], 900);
  EXPECT_LT(accepted[1] - accepted[0], 20);
}

TEST(JpegDecoder, NamesAFileThatLacksItsEndMarker) {
  const std::string file = jpeg_bytes(smooth_picture(64, 64, 3));
  EXPECT_NE(decode_error(file.substr(0, file.size() - 2)).find("Premature end"), std::string::npos);
  EXPECT_NE(decode_error(file.substr(0, file.size() - 1)).find("Premature end"), std::string::npos);
}

TEST(JpegDecoder, NamesTruncatedFilesAtEveryLength) {
  const std::string file = jpeg_bytes(smooth_picture(64, 64, 3));
  for (std::size_t length = 4; length + 2 < file.size(); length += 7) {
    EXPECT_NE(decode_error(file.substr(0, length)).find("some/file.jpg"), std::string::npos)
        << length;
  }
}

TEST(JpegDecoder, RefusesDamagedEntropyData) {
  std::string file = jpeg_bytes(smooth_picture(128, 128, 3));
  std::fill(file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2), file.end() - 2, '\x7f');
  EXPECT_NE(decode_error(file).find("not a sound JPEG"), std::string::npos);
}

TEST(JpegDecoder, AcceptsPaddingBeforeTheEndMarker) {
  const Picture picture = smooth_picture(40, 60, 3);
  std::string file = jpeg_bytes(picture);
  file.insert(file.size() - 2, 16, '\0');
  ImageDecoder decoder;
  EXPECT_LE(largest_difference(decoder.decode(as_bytes(file), "a.jpg", {}), picture), 12);
}

/// Phones and IP cameras write such headers; nothing of the image is missing.
TEST(JpegDecoder, AcceptsOddHeadersOfCameras) {
  const std::string file = jpeg_bytes(smooth_picture(40, 56, 3), 85);
  std::string last_coefficient = file;  // "Se" of the start of scan: 63 in a sequential image
  const std::size_t scan = file.find("\xFF\xDA");
  const auto components = static_cast<unsigned char>(file.at(scan + 4));
  last_coefficient.at(scan + 6 + 2 * std::size_t{components}) = '\0';
  std::string version = file;
  version.at(file.find("JFIF") + 5) = '\2';
  std::string transform = file;
  transform.insert(2,
                   std::string("\xFF\xEE\0\x0E"
                               "Adobe\0\x64\0\0\0\0\x05",
                               16));
  for (const bool own_steps : {true, false}) {
    JpegDecoder decoder(own_steps);
    const std::vector<std::uint8_t> wanted = pixels_or_none(decoder, file);
    ASSERT_FALSE(wanted.empty());
    EXPECT_EQ(pixels_or_none(decoder, last_coefficient), wanted);
    EXPECT_EQ(pixels_or_none(decoder, version), wanted);
    EXPECT_EQ(pixels_or_none(decoder, transform), wanted);
  }
}

TEST(JpegDecoder, RefusesAbsurdSizesBeforeAllocating) {
  std::string file = jpeg_bytes(smooth_picture(16, 16, 3));
  const std::size_t frame = file.find("\xff\xc0");  // SOF0: length, precision, height, width
  ASSERT_NE(frame, std::string::npos);
  file.replace(frame + 5, 4, "\xff\xdc\xff\xdc");  // 65500, the largest that libjpeg takes
  const std::string message = decode_error(file);
  EXPECT_NE(message.find("65500 x 65500"), std::string::npos) << message;
  EXPECT_NE(message.find("refused"), std::string::npos) << message;
}

TEST(ImageDecoder, NamesWhatIsNoImage) {
  EXPECT_EQ(decode_error("hello, world"),
            "'some/file.jpg' is neither a JPEG nor a PNG image (by its first bytes)");
}

TEST(ImageDecoder, GoesByContentNotByName) {
  const Picture picture = smooth_picture(9, 7, 3);
  ImageDecoder decoder;
  const std::string file = png_bytes(picture);
  EXPECT_EQ(largest_difference(decoder.decode(as_bytes(file), "lies.jpg", {}), picture), 0);
}

TEST(ImageDecoder, RecoversAfterABadFile) {
  const Picture picture = smooth_picture(40, 60, 3);
  const std::string file = jpeg_bytes(picture, 100);
  ImageDecoder decoder;
  EXPECT_THROW(decoder.decode(as_bytes(file.substr(0, file.size() / 2)), "a.jpg", {}), core::Error);
  EXPECT_LE(largest_difference(decoder.decode(as_bytes(file), "a.jpg", {}), picture), 8);
}

TEST(PngDecoder, GivesBackGreyRgbAndRgbaExactly) {
  ImageDecoder decoder;
  for (const bool interlaced : {false, true}) {
    const Picture grey = smooth_picture(31, 17, 1);
    const Picture rgb = smooth_picture(31, 17, 3);
    const std::string grey_file = png_bytes(grey, interlaced);
    const std::string rgb_file = png_bytes(rgb, interlaced);
    EXPECT_EQ(largest_difference(decoder.decode(as_bytes(grey_file), "g", {.channels = 1}), grey),
              0);
    EXPECT_EQ(largest_difference(decoder.decode(as_bytes(rgb_file), "c", {}), rgb), 0);
    Picture rgba{31, 17, 4, {}};
    for (std::size_t i = 0; i < rgb.pixels.size(); ++i) {
      rgba.pixels.push_back(rgb.pixels[i]);
      if (i % 3 == 2) {
        rgba.pixels.push_back(static_cast<std::uint8_t>(i));  // alpha must not matter
      }
    }
    const std::string rgba_file = png_bytes(rgba, interlaced);
    EXPECT_EQ(largest_difference(decoder.decode(as_bytes(rgba_file), "a", {}), rgb), 0);
  }
}

TEST(PngDecoder, KeepsTheUpperOfSixteenBits) {
  ImageDecoder decoder;
  const Picture grey = smooth_picture(9, 17, 1);
  const Picture rgb = smooth_picture(9, 17, 3);
  const std::string grey_file = png_bytes(grey, false, 16);
  const std::string rgb_file = png_bytes(rgb, false, 16);
  EXPECT_EQ(largest_difference(decoder.decode(as_bytes(grey_file), "g", {.channels = 1}), grey), 0);
  EXPECT_EQ(largest_difference(decoder.decode(as_bytes(rgb_file), "c", {}), rgb), 0);
}

TEST(PngDecoder, GreyFilesGiveEqualChannels) {
  const Picture grey = smooth_picture(5, 6, 1);
  const std::string file = png_bytes(grey);
  ImageDecoder decoder;
  const std::vector<std::uint8_t> pixels = pixels_of(decoder.decode(as_bytes(file), "g", {}));
  for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
    EXPECT_EQ(pixels.at(3 * i), grey.pixels[i]);
    EXPECT_EQ(pixels.at(3 * i + 2), grey.pixels[i]);
  }
}

TEST(PngDecoder, ReducesColourToLuma) {
  const Picture red{1, 3, 3, {255, 0, 0, 255, 255, 255, 0, 255, 0}};
  const std::string file = png_bytes(red);
  ImageDecoder decoder;
  const std::vector<std::uint8_t> pixels =
      pixels_of(decoder.decode(as_bytes(file), "r", {.channels = 1}));
  EXPECT_EQ(pixels.at(0), 76);  // 0.299 * 255 = 76.2
  EXPECT_EQ(pixels.at(1), 255);
  EXPECT_EQ(pixels.at(2), 150);  // 0.587 * 255 = 149.7
}

TEST(PngDecoder, NamesTruncatedAndDamagedFilesAtEveryPlace) {
  const std::string file = png_bytes(smooth_picture(20, 20, 3));
  for (std::size_t length = 8; length < file.size(); length += 5) {
    EXPECT_EQ(decode_error(file.substr(0, length)),
              "'some/file.jpg' is not a sound PNG image: the file ends too early")
        << length;
  }
  EXPECT_NE(decode_error(file.substr(0, file.size() - 12)).find("ends too early"),
            std::string::npos)
      << "all pixels, but no end";
  for (std::size_t at = 8; at + 12 < file.size(); at += 3) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    EXPECT_NE(decode_error(damaged).find("not a sound PNG"), std::string::npos) << at;
  }
}

// 100 texts of 4 MB each, of which a few kB are left when packed.
TEST(PngDecoder, UnpacksNoTexts) {
  const Picture picture = smooth_picture(20, 20, 3);
  const std::string file = testing::with_packed_texts(png_bytes(picture), 100, 4 << 20);
  ASSERT_LT(file.size(), std::size_t{1} << 20);
  ImageDecoder decoder;
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(largest_difference(decoder.decode(as_bytes(file), "texts", {}), picture), 0);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10) << "kB";
}

TEST(PngDecoder, RefusesAbsurdSizesBeforeAllocating) {
  std::string file = png_bytes(smooth_picture(4, 4, 1));
  file.replace(16, 8, std::string("\x00\x0f\xff\xff\x00\x0f\xff\xff", 8));
  // The header's checksum (PNG specification, 11.2.2) must fit for the size to be looked at.
  const auto crc = [](const std::string& bytes) {
    std::uint32_t state = 0xffffffffU;
    for (const char byte : bytes) {
      state ^= static_cast<std::uint8_t>(byte);
      for (int bit = 0; bit < 8; ++bit) {
        state = (state & 1U) != 0 ? 0xedb88320U ^ (state >> 1U) : state >> 1U;
      }
    }
    return ~state;
  }(file.substr(12, 17));
  for (std::size_t i = 0; i < 4; ++i) {
    file[29 + i] = static_cast<char>(crc >> (24 - 8 * i));
  }
  const std::string message = decode_error(file);
  EXPECT_NE(message.find("1048575 x 1048575"), std::string::npos) << message;
}

TEST(CheckImageSize, AppliesTheLimit) {
  EXPECT_NO_THROW(check_image_size({10, 10}, 100, "x"));
  EXPECT_THROW(check_image_size({10, 11}, 100, "x"), core::Error);
  EXPECT_THROW(check_image_size({0, 11}, 100, "x"), core::Error);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(check_image_size({huge, huge}, 100, "x"), core::Error);
}

TEST(ImageLibraries, HaveVersions) {
  const std::map<std::string, std::string> libraries = image_libraries();
  for (const char* name : {"libjpeg-turbo", "libpng"}) {
    ASSERT_TRUE(libraries.contains(name)) << name;
    EXPECT_THAT(libraries.at(name), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9].*")) << name;
  }
}

}  // namespace
}  // namespace dlbench::data
