// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/datasets/mnist_idx.h"

#include "data/generators/generate.h"
#include "engine/core/error.h"
#include "tests/data/file_bytes.h"
#include "tests/data/picture_files.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;
using testing::gzip_bytes;
using testing::idx_bytes;
using testing::write_bytes;
using tests::error_of;
using tests::TemporaryFolder;

std::vector<std::uint8_t> image_values(std::size_t images) {
  std::vector<std::uint8_t> values(images * 784);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint8_t>(i / 784 + i % 7);
  }
  return values;
}

void write_files(const fs::path& folder, bool zipped, const std::vector<std::uint8_t>& labels) {
  const std::string images = idx_bytes({3, 28, 28}, image_values(3));
  const std::string label_file = idx_bytes({static_cast<std::uint32_t>(labels.size())}, labels);
  for (const std::string prefix : {"train", "t10k"}) {
    const std::string suffix = zipped ? ".gz" : "";
    write_bytes(folder / (prefix + "-images-idx3-ubyte" + suffix),
                zipped ? gzip_bytes(images) : images);
    write_bytes(folder / (prefix + "-labels-idx1-ubyte" + suffix),
                zipped ? gzip_bytes(label_file) : label_file);
  }
}

TEST(MnistIdx, LoadsImagesAndLabels) {
  for (const bool zipped : {false, true}) {
    const TemporaryFolder folder;
    write_files(folder.path() / "MNIST" / "raw", zipped, {7, 0, 9});
    const auto dataset = open_dataset("mnist", folder.path(), Split::kTrain);
    ASSERT_EQ(dataset->size(), 3);
    EXPECT_EQ(dataset->spec().tensors[0].sample_shape, core::Shape({28, 28, 1}));
    EXPECT_EQ(dataset->spec().tensors[1].sample_shape, core::Shape());
    EXPECT_EQ(dataset->spec().classes, 10);
    EXPECT_EQ(dataset->sample_name(2), "train-images-idx3-ubyte[2]") << "zipped or not";
    std::vector<std::byte> image(784);
    std::vector<std::byte> label(4);
    WorkerCounters counters;
    LoadContext context(counters, {});
    const std::vector<std::span<std::byte>> rows{image, label};
    dataset->make_reader()->load(2, context, rows);
    std::int32_t value = 0;
    std::memcpy(&value, label.data(), sizeof(value));
    EXPECT_EQ(value, 9);
    EXPECT_EQ(std::memcmp(image.data(), image_values(3).data() + 2 * 784, 784), 0);
    EXPECT_EQ(counters.bytes_read.load(), 785);
  }
}

TEST(MnistIdx, ValidAndTestAreTheSameFiles) {
  const TemporaryFolder folder;
  write_files(folder.path(), false, {1, 2, 3});
  EXPECT_EQ(open_dataset("mnist", folder.path(), Split::kValid)->files(),
            open_dataset("mnist", folder.path(), Split::kTest)->files());
  EXPECT_NE(open_dataset("mnist", folder.path(), Split::kTrain)->files(),
            open_dataset("mnist", folder.path(), Split::kTest)->files());
}

TEST(MnistIdx, TellsAMissingSplitFromABrokenOne) {
  const TemporaryFolder folder;
  const auto open_test = [&] {
    static_cast<void>(open_dataset("mnist", folder.path(), Split::kTest));
  };
  write_files(folder.path(), false, {1, 2, 3});
  fs::remove(folder.path() / "t10k-labels-idx1-ubyte");
  try {
    open_test();
    FAIL() << "labels are missing";
  } catch (const MissingSplit&) {
    FAIL() << "the images are there";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kFile);
  }
  fs::remove(folder.path() / "t10k-images-idx3-ubyte");
  EXPECT_THROW(open_test(), MissingSplit);
}

TEST(MnistIdx, NamesWhatDoesNotFit) {
  const TemporaryFolder folder;
  const auto message = [&](const DatasetOptions& options = {}) {
    return error_of(
        [&] { static_cast<void>(open_dataset("mnist", folder.path(), Split::kTrain, options)); });
  };
  EXPECT_NE(message().find("train-images-idx3-ubyte"), std::string::npos);
  write_files(folder.path(), false, {1, 2});
  EXPECT_NE(message().find("3 images but"), std::string::npos);
  write_files(folder.path(), false, {1, 2, 10});
  EXPECT_NE(message().find("label 10 at 2"), std::string::npos);
  write_files(folder.path(), false, {1, 2, 3});
  write_bytes(folder.path() / "train-images-idx3-ubyte",
              idx_bytes({3, 28, 14}, std::vector<std::uint8_t>(3 * 28 * 14)));
  EXPECT_NE(message().find("(3, 28, 14); wanted (N, 28, 28)"), std::string::npos);
  EXPECT_NE(message({.image_size = 32}).find("28 x 28"), std::string::npos);
}

TEST(MnistIdx, ListsTheFilesOfAllSplitsAlsoThoseThatCouldBeThere) {
  const std::vector<fs::path> files = find_dataset("mnist").files("digits");
  for (const char* name : {"train-images-idx3-ubyte",
                           "train-labels-idx1-ubyte.gz",
                           "t10k-images-idx3-ubyte.gz",
                           "MNIST/raw/t10k-labels-idx1-ubyte"}) {
    EXPECT_EQ(std::ranges::count(files, fs::path("digits") / name), 1) << name;
  }
}

TEST(DatasetRegistry, HasOneEntryPerDatasetAndNamesTheNearest) {
  EXPECT_EQ(dataset_names(), (std::vector<std::string>{"kvasir-seg", "mnist"}));
  EXPECT_EQ(error_of([] { static_cast<void>(find_dataset("kvasir_seg")); }),
            "unknown data set 'kvasir_seg'; did you mean 'kvasir-seg'? known: kvasir-seg, mnist");
  EXPECT_THROW(DatasetRegistration({.name = "mnist"}), std::logic_error);
}

}  // namespace
}  // namespace dlbench::data
