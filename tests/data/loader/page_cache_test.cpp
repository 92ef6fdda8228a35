// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/page_cache.h"

#include "tests/data/file_bytes.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace dlbench::data {
namespace {

using testing::write_bytes;
using tests::TemporaryFolder;

/// Files of this process, so mincore tells the truth.
std::vector<std::filesystem::path> make_files(const TemporaryFolder& folder) {
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < 4; ++i) {
    files.push_back(folder.path() / std::to_string(i));
    write_bytes(files.back(), std::string(300'000, static_cast<char>('a' + i)));
  }
  return files;
}

TEST(PageCache, WarmMakesAllPagesResident) {
  const TemporaryFolder folder;
  const auto files = make_files(folder);
  static_cast<void>(prepare_page_cache(CacheMode::kCold, files));
  const CacheState state = prepare_page_cache(CacheMode::kWarm, files);
  EXPECT_TRUE(state.verified) << state.proof;
  EXPECT_EQ(state.bytes, 1'200'000);
  EXPECT_EQ(state.resident_after, 1.0);
  EXPECT_NE(state.proof.find("100.0 %"), std::string::npos) << state.proof;
}

TEST(PageCache, ColdDropsPagesOrSaysThatItCouldNot) {
  const TemporaryFolder folder;
  const auto files = make_files(folder);
  const CacheState state = prepare_page_cache(CacheMode::kCold, files);
  ASSERT_TRUE(state.resident_before && state.resident_after);
  EXPECT_EQ(*state.resident_before, 1.0);
  // A temporary folder in memory (tmpfs) cannot be dropped: then the state must not be "verified".
  EXPECT_EQ(state.verified, *state.resident_after <= 0.01) << state.proof;
  EXPECT_EQ(resident_fraction(files), state.resident_after);
}

TEST(PageCache, AsIsOnlyLooks) {
  const TemporaryFolder folder;
  const auto files = make_files(folder);
  const CacheState state = prepare_page_cache(CacheMode::kAsIs, files);
  EXPECT_EQ(state.resident_before, 1.0);
  EXPECT_EQ(state.resident_after, 1.0);
  EXPECT_TRUE(state.verified);
}

TEST(PageCache, LeavesOutWhatMayBeReplaced) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "images" / "a.jpg", "image");
  write_bytes(folder.path() / "masks" / "a.jpg", "mask");
  const auto dataset = open_dataset("kvasir-seg", folder.path(), Split::kTrain);
  std::filesystem::remove(folder.path() / "images" / "a.jpg");
  EXPECT_NE(testing::error_of([&] {
              static_cast<void>(prepare_page_cache(CacheMode::kAsIs, *dataset, false));
            }).find("cannot open"),
            std::string::npos);
  const CacheState state = prepare_page_cache(CacheMode::kAsIs, *dataset, true);
  EXPECT_EQ(state.files, 1);
}

TEST(PageCache, NamesMissingFiles) {
  const std::vector<std::filesystem::path> files{"/nonexistent/file"};
  EXPECT_NE(testing::error_of([&] {
              static_cast<void>(prepare_page_cache(CacheMode::kAsIs, files));
            }).find("/nonexistent/file"),
            std::string::npos);
}

TEST(PageCache, CountsDiskReadsOfThisProcess) {
  const auto bytes = process_disk_read_bytes();
  if (!bytes) {
    GTEST_SKIP() << "this kernel has no /proc/self/io";
  }
  EXPECT_GE(*bytes, 0);
}

TEST(CacheMode, NamesRoundTrip) {
  for (const CacheMode mode : {CacheMode::kAsIs, CacheMode::kWarm, CacheMode::kCold}) {
    EXPECT_EQ(cache_mode_from_name(name(mode)), mode);
  }
  EXPECT_NE(
      testing::error_of([] { static_cast<void>(cache_mode_from_name("wram")); }).find("'warm'"),
      std::string::npos);
}

}  // namespace
}  // namespace dlbench::data
