// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/datasets/kvasir_seg.h"

#include "engine/core/error.h"
#include "tests/data/file_bytes.h"
#include "tests/data/picture_files.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;
using testing::half_mask;
using testing::jpeg_bytes;
using testing::png_bytes;
using testing::smooth_picture;
using testing::write_bytes;
using tests::error_of;
using tests::TemporaryFolder;

struct LoadedSample {
  std::vector<std::byte> image;
  std::vector<std::byte> mask;
};

LoadedSample load(const Dataset& dataset, std::int64_t index) {
  LoadedSample sample;
  sample.image.resize(dataset.spec().tensors[0].row_bytes());
  sample.mask.resize(dataset.spec().tensors[1].row_bytes());
  WorkerCounters counters;
  LoadContext context(counters, {});
  const std::vector<std::span<std::byte>> rows{sample.image, sample.mask};
  dataset.make_reader()->load(index, context, rows);
  EXPECT_GT(counters.stage_ns[static_cast<std::size_t>(Stage::kDecode)].load(), 0);
  EXPECT_GT(counters.bytes_read.load(), 0);
  return sample;
}

void write_pair(const fs::path& folder, const std::string& stem, int height = 40, int width = 60) {
  write_bytes(folder / "images" / (stem + ".jpg"), jpeg_bytes(smooth_picture(height, width, 3)));
  write_bytes(folder / "masks" / (stem + ".jpg"), jpeg_bytes(half_mask(height, width)));
}

TEST(KvasirSeg, LoadsImageAndMask) {
  const TemporaryFolder folder;
  write_pair(folder.path() / "train", "a");
  const auto dataset = open_dataset("kvasir-seg", folder.path(), Split::kTrain, {.image_size = 32});
  ASSERT_EQ(dataset->size(), 1);
  EXPECT_EQ(dataset->spec().tensors[0].sample_shape, core::Shape({32, 32, 3}));
  EXPECT_EQ(dataset->spec().tensors[1].sample_shape, core::Shape({32, 32}));
  const LoadedSample sample = load(*dataset, 0);
  const auto image_at = [&](std::size_t row, std::size_t column, std::size_t channel) {
    return static_cast<int>(sample.image[(row * 32 + column) * 3 + channel]);
  };
  EXPECT_NEAR(image_at(16, 31, 0), 249, 8);  // red grows to the right
  EXPECT_NEAR(image_at(16, 0, 0), 3, 8);
  EXPECT_NEAR(image_at(31, 16, 1), 247, 8);  // green grows downwards
  for (std::size_t at = 0; at < sample.mask.size(); ++at) {
    EXPECT_EQ(static_cast<int>(sample.mask[at]), at % 32 < 16 ? 1 : 0) << at;
  }
}

TEST(KvasirSeg, ReadsPngAndColourMasksToo) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "images" / "a.PNG", png_bytes(smooth_picture(40, 60, 3)));
  testing::Picture mask = half_mask(40, 60);
  std::vector<std::uint8_t> rgb;
  for (const std::uint8_t value : mask.pixels) {
    rgb.insert(rgb.end(), 3, value);
  }
  mask.pixels = rgb;
  mask.channels = 3;
  write_bytes(folder.path() / "masks" / "a.jpeg", jpeg_bytes(mask));
  const auto dataset = open_dataset("kvasir-seg", folder.path(), Split::kTrain, {.image_size = 16});
  const LoadedSample sample = load(*dataset, 0);
  EXPECT_EQ(static_cast<int>(sample.mask[0]), 1);
  EXPECT_EQ(static_cast<int>(sample.mask[15]), 0);
}

TEST(KvasirSeg, ScaledDecodingStaysNearExact) {
  const TemporaryFolder folder;
  write_pair(folder.path(), "a", 400, 600);
  const auto exact = open_dataset("kvasir-seg", folder.path(), Split::kTrain, {.image_size = 64});
  const auto scaled = open_dataset("kvasir-seg",
                                   folder.path(),
                                   Split::kTrain,
                                   {.image_size = 64, .decode = DecodeMode::kScaled});
  const LoadedSample a = load(*exact, 0);
  const LoadedSample b = load(*scaled, 0);
  int largest = 0;
  for (std::size_t at = 0; at < a.image.size(); ++at) {
    largest =
        std::max(largest, std::abs(static_cast<int>(a.image[at]) - static_cast<int>(b.image[at])));
  }
  EXPECT_LE(largest, 6);  // smooth colours: only the sampling positions differ
  EXPECT_GT(largest, 0) << "nothing was scaled";
}

TEST(KvasirSeg, OnlyJpegCanBeDecodedSmaller) {
  const auto has_scaled_decoding = [](const fs::path& folder) {
    return open_dataset("kvasir-seg", folder, Split::kTrain)->spec().scaled_decoding;
  };
  const TemporaryFolder folder;
  write_bytes(folder.path() / "images" / "a.png", png_bytes(smooth_picture(40, 60, 3)));
  write_bytes(folder.path() / "masks" / "a.png", png_bytes(half_mask(40, 60)));
  EXPECT_FALSE(has_scaled_decoding(folder.path()));
  write_pair(folder.path(), "b");
  EXPECT_TRUE(has_scaled_decoding(folder.path()));
}

TEST(KvasirSeg, CutsAFlatFolderInSortedOrder) {
  const TemporaryFolder folder;
  for (char stem = 't'; stem >= 'a'; --stem) {  // 20 pairs
    write_pair(folder.path(), std::string(1, stem), 8, 8);
  }
  std::string all;
  for (const Split split : {Split::kTrain, Split::kValid, Split::kTest}) {
    const auto dataset = open_dataset("kvasir-seg", folder.path(), split, {.image_size = 8});
    for (std::int64_t i = 0; i < dataset->size(); ++i) {
      all += dataset->sample_name(i);
    }
    all += '|';
  }
  EXPECT_EQ(all, "abcdefghijklmnop|qr|st|");
}

TEST(KvasirSeg, CutsATenthEachForValidationAndTest) {
  struct Case {
    std::int64_t samples;
    std::vector<std::int64_t> parts;  // train, valid, test
  };
  for (const Case& is : {Case{1, {1, 0, 0}},
                         Case{2, {2, 0, 0}},
                         Case{3, {1, 1, 1}},
                         Case{14, {12, 1, 1}},
                         Case{15, {11, 2, 2}},
                         Case{64, {52, 6, 6}},
                         Case{1000, {800, 100, 100}}}) {
    std::vector<std::int64_t> parts(3);
    Split last = Split::kTrain;
    for (std::int64_t index = 0; index < is.samples; ++index) {
      const Split split = kvasir_seg_split_of(index, is.samples);
      ++parts[static_cast<std::size_t>(split)];
      EXPECT_GE(split, last) << index;
      last = split;
    }
    EXPECT_EQ(parts, is.parts) << is.samples << " samples";
  }
}

TEST(KvasirSeg, NamesImagesWithoutMaskAndTheReverse) {
  const TemporaryFolder folder;
  write_pair(folder.path(), "good", 8, 8);
  for (const char* stem : {"p", "q", "r", "s"}) {
    write_bytes(folder.path() / "images" / (std::string(stem) + ".jpg"), "x");
  }
  write_bytes(folder.path() / "masks" / "lonely.png", "x");
  const std::string message = error_of(
      [&] { static_cast<void>(open_dataset("kvasir-seg", folder.path(), Split::kTrain)); });
  EXPECT_NE(message.find("4 images without a mask"), std::string::npos) << message;
  EXPECT_NE(message.find("p.jpg, q.jpg, r.jpg, ..."), std::string::npos) << message;
  EXPECT_NE(message.find("1 mask without an image"), std::string::npos) << message;
  EXPECT_NE(message.find("lonely.png"), std::string::npos) << message;
}

TEST(KvasirSeg, RefusesTwoFilesOfOneStem) {
  const TemporaryFolder folder;
  write_pair(folder.path(), "a", 8, 8);
  write_bytes(folder.path() / "images" / "a.png", "x");
  EXPECT_NE(error_of([&] {
              static_cast<void>(open_dataset("kvasir-seg", folder.path(), Split::kTrain));
            }).find("same stem"),
            std::string::npos);
}

TEST(KvasirSeg, PassesOverOtherFiles) {
  const TemporaryFolder folder;
  write_pair(folder.path(), "a", 8, 8);
  write_bytes(folder.path() / "images" / "readme.txt", "x");
  write_bytes(folder.path() / "images" / ".hidden.jpg", "x");
  fs::create_directories(folder.path() / "images" / "sub.jpg");
  EXPECT_EQ(open_dataset("kvasir-seg", folder.path(), Split::kTrain)->size(), 1);
}

TEST(KvasirSeg, NamesMissingAndEmptyFolders) {
  const TemporaryFolder folder;
  const auto message = [&](const fs::path& path, Split split) {
    return error_of([&] { static_cast<void>(open_dataset("kvasir-seg", path, split)); });
  };
  EXPECT_NE(message(folder.path() / "none", Split::kTrain).find("does not exist"),
            std::string::npos);
  EXPECT_NE(message(folder.path(), Split::kTrain).find("holds no kvasir-seg data"),
            std::string::npos);
  fs::create_directories(folder.path() / "images");
  EXPECT_NE(message(folder.path(), Split::kTrain).find("masks"), std::string::npos);
  fs::create_directories(folder.path() / "masks");
  EXPECT_NE(message(folder.path(), Split::kTrain).find("no .jpg or .png files"), std::string::npos);
  write_pair(folder.path() / "train", "a", 8, 8);
  EXPECT_NE(message(folder.path(), Split::kValid).find("no folder 'valid'"), std::string::npos);
  EXPECT_THROW(static_cast<void>(open_dataset("kvasir-seg", folder.path(), Split::kValid)),
               MissingSplit);
}

TEST(KvasirSeg, NamesBadImageFiles) {
  const TemporaryFolder folder;
  write_pair(folder.path(), "a", 40, 40);
  const fs::path image = folder.path() / "images" / "a.jpg";
  const std::string good = testing::read_bytes(image);
  for (const std::string& bad : {std::string(), std::string("no image"), good.substr(0, 300)}) {
    write_bytes(image, bad);
    const auto dataset = open_dataset("kvasir-seg", folder.path(), Split::kTrain);
    EXPECT_NE(error_of([&] { load(*dataset, 0); }).find(image.string()), std::string::npos);
  }
  fs::remove(image);
  const auto late = [&] {
    write_bytes(image, good);
    auto dataset = open_dataset("kvasir-seg", folder.path(), Split::kTrain);
    fs::remove(image);
    return dataset;
  }();
  EXPECT_NE(error_of([&] { load(*late, 0); }).find("No such file"), std::string::npos);
}

TEST(KvasirSeg, NamesWhatIsNoFileAndMasksOfAnotherSize) {
  const TemporaryFolder folder;
  write_pair(folder.path(), "a", 8, 8);
  write_bytes(folder.path() / "masks" / "a.jpg", jpeg_bytes(half_mask(8, 9)));
  EXPECT_NE(error_of([&] {
              const auto dataset = open_dataset("kvasir-seg", folder.path(), Split::kTrain);
              static_cast<void>(dataset->describe(0));
            }).find("a.jpg' is 9 x 8: they do not lie"),
            std::string::npos);
  for (const DecodeMode decode : {DecodeMode::kExact, DecodeMode::kScaled}) {
    const auto dataset = open_dataset(
        "kvasir-seg", folder.path(), Split::kTrain, {.image_size = 4, .decode = decode});
    EXPECT_NE(error_of([&] { load(*dataset, 0); }).find("a.jpg' is 9 x 8: they do not lie"),
              std::string::npos);
  }
  fs::create_symlink("nowhere.jpg", folder.path() / "images" / "b.jpg");
  EXPECT_NE(error_of([&] {
              static_cast<void>(open_dataset("kvasir-seg", folder.path(), Split::kTrain));
            }).find("b.jpg' has an image's name, but is a link to nothing"),
            std::string::npos);
}

TEST(KvasirSeg, ListsTheFilesOfAllSplits) {
  const TemporaryFolder folder;
  write_pair(folder.path() / "train", "a", 8, 8);
  write_pair(folder.path() / "valid", "b", 8, 8);
  write_bytes(folder.path() / "test" / "images" / "alone.PNG", {});
  write_bytes(folder.path() / "test" / "images" / "notes.txt", {});
  const std::vector<fs::path> files = find_dataset("kvasir-seg").files(folder.path());
  EXPECT_EQ(files.size(), 5U);
  EXPECT_TRUE(find_dataset("kvasir-seg").files(folder.path() / "absent").empty());
}

TEST(KvasirSeg, RefusesImageSizesOutOfRange) {
  const TemporaryFolder folder;
  write_pair(folder.path(), "a", 8, 8);
  for (const std::int64_t size : {std::int64_t{-1}, std::int64_t{100'000}}) {
    EXPECT_THROW(static_cast<void>(open_dataset(
                     "kvasir-seg", folder.path(), Split::kTrain, {.image_size = size})),
                 core::Error);
  }
}

}  // namespace
}  // namespace dlbench::data
