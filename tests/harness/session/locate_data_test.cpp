// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/locate_data.h"

#include "data/datasets/kvasir_seg.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace dlbench::harness {
namespace {

std::int64_t training_samples(std::int64_t samples) {
  std::int64_t training = 0;
  for (std::int64_t index = 0; index < samples; ++index) {
    training += data::kvasir_seg_split_of(index, samples) == data::Split::kTrain ? 1 : 0;
  }
  return training;
}

TEST(SamplesToGenerate, AreFewForSmallBatches) {
  EXPECT_EQ(samples_to_generate(1), 64);
  EXPECT_EQ(samples_to_generate(8), 64);
  EXPECT_EQ(samples_to_generate(32), 256);
}

TEST(SamplesToGenerate, HoldTheBatchOfAnyLaunch) {
  for (std::int64_t batch = 1; batch <= 8192; batch += batch < 100 ? 1 : 97) {
    const std::int64_t samples = samples_to_generate(batch);
    EXPECT_GE(training_samples(samples), batch);
    EXPECT_TRUE(samples >= 1024 || training_samples(samples) >= 4 * batch) << batch;
    EXPECT_LE(samples, std::max<std::int64_t>(1024, 4 * batch)) << batch;
  }
}

TEST(SamplesToGenerate, AreNotMoreThanSomebodyWouldWaitFor) {
  EXPECT_EQ(samples_to_generate(12288), 16384);
  EXPECT_THAT(tests::usage_error([] { (void)samples_to_generate(12289); }),
              ::testing::HasSubstr("too few for a batch of 12289"));
}

}  // namespace
}  // namespace dlbench::harness
