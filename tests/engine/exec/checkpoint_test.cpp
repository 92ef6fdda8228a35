// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/checkpoint.h"

#include "engine/core/error.h"
#include "tests/engine/graph/networks.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>

namespace dlbench::exec {
namespace {

using ::testing::HasSubstr;

class CheckpointTest : public ::testing::Test {
 protected:
  [[nodiscard]] ModelState state_of(std::uint64_t seed) const {
    return {*backend_, graph::testing::small_unet(graph::Mode::kTrain, 2, 8), seed};
  }

  tests::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "checkpoint.safetensors";
  std::unique_ptr<backend::Backend> backend_ = backend::create_backend("ref", {.threads = 1});
};

TEST_F(CheckpointTest, HoldsWeightsAndRunningStatistics) {
  ModelState state = state_of(1);
  core::HostTensor means = state.read("enc.bn.running_mean");
  means.set(0, 0.75);
  state.write("enc.bn.running_mean", means);
  save_checkpoint(state, file_, {});
  ModelState other = state_of(2);
  ASSERT_NE(other.read("enc.conv.weight").at(0), state.read("enc.conv.weight").at(0));
  load_checkpoint(other, file_);
  EXPECT_EQ(other.read("enc.conv.weight").at(0), state.read("enc.conv.weight").at(0));
  EXPECT_EQ(other.read("enc.bn.running_mean").at(0), 0.75);
  EXPECT_EQ(export_checkpoint(state).count("seed"), 0U) << "scalars are of a run";
}

TEST_F(CheckpointTest, ValuesThatAreNotFiniteAreRefused) {
  ModelState state = state_of(1);
  core::HostTensor bias = state.read("head.bias");
  bias.set(0, std::numeric_limits<double>::quiet_NaN());
  state.write("head.bias", bias);
  save_checkpoint(state, file_, {});
  ModelState other = state_of(2);
  EXPECT_THAT(tests::error_of([&] { load_checkpoint(other, file_); }, core::ErrorCode::kData),
              HasSubstr("checkpoint.safetensors: 'head.bias' holds values that are not finite"));
}

// Its root would be NaN in validation, and blamed on training.
TEST_F(CheckpointTest, ANegativeVarianceIsRefused) {
  ModelState state = state_of(1);
  core::HostTensor variances = state.read("enc.bn.running_var");
  variances.set(0, -5.0);
  state.write("enc.bn.running_var", variances);
  save_checkpoint(state, file_, {});
  ModelState other = state_of(2);
  EXPECT_THAT(tests::error_of([&] { load_checkpoint(other, file_); }, core::ErrorCode::kData),
              HasSubstr("'enc.bn.running_var' holds a negative variance"));
}

}  // namespace
}  // namespace dlbench::exec
