// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/inspect.h"

#include "data/generators/generate.h"
#include "tests/data/file_bytes.h"
#include "tests/data/picture_files.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace dlbench::data {
namespace {

using ::testing::AllOf;
using testing::half_mask;
using ::testing::HasSubstr;
using testing::jpeg_bytes;
using testing::smooth_picture;
using testing::write_bytes;
using tests::TemporaryFolder;

TEST(Inspect, ListsAllProblemsAndCountsTheRest) {
  const TemporaryFolder folder;
  for (const char* stem : {"a", "b", "c", "d"}) {
    const std::string name = std::string(stem) + ".jpg";
    write_bytes(folder.path() / "images" / name, jpeg_bytes(smooth_picture(20, 30, 3)));
    write_bytes(folder.path() / "masks" / name, jpeg_bytes(half_mask(20, 30)));
  }
  write_bytes(folder.path() / "images" / "b.jpg", "garbage");
  write_bytes(folder.path() / "images" / "lonely.jpg", "garbage");
  const DatasetInspection found = inspect(folder.path(), {}, 2);
  EXPECT_EQ(found.workers, 2);
  EXPECT_EQ(found.samples, 4);
  EXPECT_FALSE(found.generated);
  EXPECT_EQ(found.min_width, 30);
  EXPECT_EQ(found.mean_pixels, 600.0);
  ASSERT_EQ(found.problems.size(), 2U);
  EXPECT_TRUE(std::ranges::any_of(found.problems, [](const std::string& problem) {
    return problem.find("b.jpg' is neither") != std::string::npos;
  }));
  EXPECT_TRUE(std::ranges::any_of(found.problems, [](const std::string& problem) {
    return problem.find("1 image without a mask") != std::string::npos;
  }));
}

TEST(Inspect, TimesTheSamplesThatCouldBeLoadedAlone) {
  const TemporaryFolder folder;
  // Read and decoded to the end, and only then refused: the mask is of another size.
  const auto add = [&](const std::string& stem, int mask_height) {
    write_bytes(folder.path() / "train/images" / (stem + ".jpg"),
                jpeg_bytes(smooth_picture(400, 600, 3)));
    write_bytes(folder.path() / "train/masks" / (stem + ".jpg"),
                jpeg_bytes(half_mask(mask_height, 600)));
  };
  add("sound", 400);
  // The shortest of several, for others may use the processor.
  const auto decode_s = [&] {
    double least = 1e9;
    for (int turn = 0; turn < 5; ++turn) {
      least = std::min(least, inspect(folder.path(), {}, 1).decode_s);
    }
    return least;
  };
  const double alone = decode_s();
  for (int number = 0; number < 40; ++number) {
    add("broken" + std::to_string(number), 200);
  }
  const double among_broken = decode_s();
  EXPECT_LT(among_broken, 8 * alone) << "the time of 41 samples for one";
}

TEST(Inspect, SplitsHaveTheBytesOfTheirFiles) {
  const TemporaryFolder folder;
  for (const char* part : {"train", "valid"}) {
    write_bytes(folder.path() / part / "images/a.jpg", jpeg_bytes(smooth_picture(20, 30, 3)));
    write_bytes(folder.path() / part / "masks/a.jpg", jpeg_bytes(half_mask(20, 30)));
  }
  write_bytes(folder.path() / "train/images/b.jpg", std::string(100'000, 'x'));
  write_bytes(folder.path() / "train/masks/b.jpg", jpeg_bytes(half_mask(20, 30)));
  const DatasetInspection found = inspect(folder.path());
  ASSERT_EQ(found.splits.size(), 2U);
  EXPECT_GT(found.splits[0].bytes, 100'000) << "two samples, one of them broken";
  EXPECT_EQ(found.splits[0].bytes + found.splits[1].bytes, found.bytes);
}

// Labels of 0 and 1, as other tools write them, would train on nothing.
TEST(Inspect, SaysWhenNoMaskMarksAnything) {
  for (const std::uint8_t marked : {std::uint8_t{1}, std::uint8_t{128}}) {
    const TemporaryFolder folder;
    testing::Picture mask = half_mask(20, 30);
    std::ranges::replace(mask.pixels, std::uint8_t{255}, marked);
    for (const char* stem : {"a", "b", "c", "d"}) {
      const std::string name(stem);
      write_bytes(folder.path() / "images" / (name + ".jpg"),
                  jpeg_bytes(smooth_picture(20, 30, 3)));
      write_bytes(folder.path() / "masks" / (name + ".png"), testing::png_bytes(mask));
    }
    const DatasetInspection found = inspect(folder.path());
    ASSERT_EQ(found.problems.size(), marked == 1 ? 1U : 0U);
    if (marked == 1) {
      EXPECT_NE(found.problems[0].find("no mask of 4 marks anything"), std::string::npos);
    }
  }
}

TEST(Inspect, RecognisesMnist) {
  const TemporaryFolder folder;
  generate("mnist", {.out = folder.path() / "m", .samples = 12});
  const DatasetInspection found = inspect(folder.path() / "m");
  EXPECT_EQ(found.dataset, "mnist");
  EXPECT_EQ(found.samples, 22);
  EXPECT_EQ(found.files, 4);
  EXPECT_EQ(found.splits.size(), 2U) << "valid and test are the same files";
}

TEST(Inspect, SaysWhichOfTwoDataSetsItIsAbout) {
  const TemporaryFolder folder;
  const std::filesystem::path both = folder.path() / "m";
  generate("mnist", {.out = both, .samples = 12});
  write_bytes(both / "images" / "a.jpg", jpeg_bytes(smooth_picture(20, 30, 3)));
  write_bytes(both / "masks" / "a.png", testing::png_bytes(half_mask(20, 30)));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(inspect(both).dataset, "kvasir-seg");
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                "holds several data sets (kvasir-seg, mnist); this is about the first"),
            std::string::npos);
}

TEST(Inspect, SaysWhatItsFolderLacks) {
  const TemporaryFolder folder;
  const auto message = [](const std::filesystem::path& path) {
    return tests::error_of([&] { static_cast<void>(inspect(path)); });
  };
  EXPECT_THAT(
      message(folder.path()),
      AllOf(HasSubstr("images/ and masks/ (kvasir-seg)"), HasSubstr("plain or .gz (mnist)")));
  EXPECT_THAT(message(folder.path() / "none"), HasSubstr("does not exist"));
  write_bytes(folder.path() / "file", "x");
  EXPECT_THAT(message(folder.path() / "file"), HasSubstr("not a folder"));
  if (::geteuid() != 0) {  // who may read everything
    std::filesystem::create_directory(folder.path() / "closed");
    std::filesystem::permissions(folder.path() / "closed", std::filesystem::perms::none);
    EXPECT_THAT(message(folder.path() / "closed"), HasSubstr("Permission denied"));
  }
}

}  // namespace
}  // namespace dlbench::data
