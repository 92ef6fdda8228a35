// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/tuning.h"

#include "engine/core/clock.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace dlbench::backend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::array<std::string, 2> kNames{"plain", "blocked"};

class TuningCache : public ::testing::Test {
 protected:
  TuningCache() { options_.tuning_cache = folder_.file("cache.txt"); }

  /// Index of the choice for `problem`; empty: it was measured anew, which finds `measured`.
  static std::optional<std::size_t> choose(Choices& choices,
                                           const std::string& problem,
                                           std::size_t measured = 1) {
    bool known = true;
    const std::size_t index = choices.choose({problem, problem}, kNames, "plain", [&] {
      known = false;
      return std::optional(measured);
    });
    return known ? std::optional(index) : std::nullopt;
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  }

  tests::TemporaryFolder folder_;
  LoweringOptions options_;
};

TEST_F(TuningCache, KeepsWhatWasMeasured) {
  Choices first(options_, "machine");
  EXPECT_EQ(choose(first, "a"), std::nullopt);
  first.save();
  EXPECT_EQ(files(), 1);
  Choices second(options_, "machine");
  EXPECT_EQ(choose(second, "a"), 1U);
  Choices elsewhere(options_, "another machine");
  EXPECT_EQ(choose(elsewhere, "a"), std::nullopt);
}

TEST_F(TuningCache, OfTwoJobsAtATimeKeepsWhatBothMeasured) {
  Choices one(options_, "machine");
  Choices other(options_, "machine");
  EXPECT_EQ(choose(one, "a"), std::nullopt);
  EXPECT_EQ(choose(other, "b", 0), std::nullopt);
  EXPECT_EQ(choose(other, "a", 0), std::nullopt);
  one.save();
  other.save();
  Choices next(options_, "machine");
  EXPECT_EQ(choose(next, "a"), 0U) << "the later measurement";
  EXPECT_EQ(choose(next, "b"), 0U);
  Choices third(options_, "machine");
  EXPECT_EQ(choose(third, "c"), std::nullopt);
  third.save();
  Choices last(options_, "machine");
  EXPECT_EQ(choose(last, "a"), 0U);
  EXPECT_EQ(choose(last, "c"), 1U);
}

TEST_F(TuningCache, OfAnotherVersionIsWrittenAnew) {
  std::ofstream(options_.tuning_cache) << "something else\na\tmachine\tblocked\n";
  Choices choices(options_, "machine");
  EXPECT_EQ(choose(choices, "a", 0), std::nullopt);
  choices.save();
  Choices next(options_, "machine");
  EXPECT_EQ(choose(next, "a"), 0U);
}

// Sparse, as a file system that ran full leaves them.
TEST_F(TuningCache, OfNoSizeThatItCouldHaveIsWrittenAnew) {
  std::ofstream(options_.tuning_cache) << "dlbench tuning cache 3\n";
  std::filesystem::resize_file(options_.tuning_cache, std::uintmax_t{1} << 40U);
  Choices choices(options_, "machine");
  EXPECT_EQ(choose(choices, "a"), std::nullopt);
  choices.save();
  EXPECT_LT(std::filesystem::file_size(options_.tuning_cache), 1000U);
}

TEST_F(TuningCache, WhatTheTimeIsUpForIsChosenByRuleAndNotKept) {
  options_.tune_until_s = core::steady_seconds() - 1.0;
  Choices late(options_, "machine");
  EXPECT_EQ(choose(late, "a"), 0U) << "it was not measured";
  late.save();
  EXPECT_EQ(files(), 0);
  options_.tune_until_s = core::steady_seconds() + 1000.0;
  Choices early(options_, "machine");
  EXPECT_EQ(choose(early, "a"), std::nullopt);
}

TEST_F(TuningCache, ThatCannotBeWrittenIsAWarningWithTheReason) {
  std::ofstream(folder_.file("file")) << "no folder";
  options_.tuning_cache = folder_.file("file/in/it.txt");
  Choices choices(options_, "machine");
  EXPECT_EQ(choose(choices, "a"), std::nullopt);
  ::testing::internal::CaptureStderr();
  choices.save();
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      AllOf(HasSubstr("not kept"), HasSubstr("Not a directory"), HasSubstr("DLBENCH_CACHE_DIR")));
  options_.tuning_cache = folder_.path().string();
  Choices folder(options_, "machine");
  EXPECT_EQ(choose(folder, "a"), std::nullopt);
  ::testing::internal::CaptureStderr();
  folder.save();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace dlbench::backend
