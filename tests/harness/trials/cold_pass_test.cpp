// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/cold_pass.h"

#include "data/loader/sampler.h"
#include "engine/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ColdPass, HasRoomForWhatIsNotTimed) {
  const auto steps = [](std::int64_t samples, std::int64_t prefetch) {
    return cold_pass_steps(data::Sampler({.dataset_size = samples, .batch_size = 4}), prefetch);
  };
  EXPECT_EQ(steps(40, 2), 10 - (2 + 1) - 2);
  EXPECT_EQ(steps(24, 2), 1);
  EXPECT_EQ(steps(23, 1), 2);
  try {
    static_cast<void>(steps(10, 2));
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUsage);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("10 samples are 2 batches"), HasSubstr("24 samples")));
  }
}

TEST(ColdPass, DoubtsWhatDidNotComeFromStorage) {
  EXPECT_EQ(doubt_of_cold({.loader = 1000, .storage = 4096}), "");
  EXPECT_EQ(doubt_of_cold({.loader = 1000, .storage = 900}), "");
  EXPECT_EQ(doubt_of_cold({.loader = 0, .storage = std::nullopt}), "");
  EXPECT_THAT(doubt_of_cold({.loader = 1000, .storage = 899}),
              AllOf(HasSubstr("1000 bytes from files"), HasSubstr("899 from storage")));
  EXPECT_THAT(doubt_of_cold({.loader = 1000, .storage = std::nullopt}), HasSubstr("/proc/self/io"));
}

}  // namespace
}  // namespace dlbench::harness
