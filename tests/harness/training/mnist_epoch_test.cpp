// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One epoch of mnist_cnn on 60,000 real images, as `dlbench train` runs it; label "slow".
#include "engine/core/error.h"
#include "harness/training/trainer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace dlbench::harness {
namespace {

TEST(MnistEpoch, ReachesEightyFivePercentOnFashionMnist) {
  const std::filesystem::path folder = data::find_dataset("mnist").default_folder;
  if (!std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << folder << " is missing: install dataset-fashion-mnist";
  }
  std::unique_ptr<backend::Backend> backend;
  try {
    backend = backend::create_backend("cpu", {});
  } catch (const core::Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto training = data::open_dataset("mnist", folder, data::Split::kTrain);
  const auto test = data::open_dataset("mnist", folder, data::Split::kTest);
  ASSERT_EQ(training->size(), 60000);
  const TrainingSetup setup{.workload = workloads::find_workload("mnist_cnn"),
                            .params = {},
                            .backend = *backend,
                            .training_data = *training,
                            .validation_data = test.get(),
                            .epochs = 1};
  const TrainingResult result = train(setup, {});
  const reports::EpochRecord& epoch = result.history.at(0);
  std::printf("%.1f s, %.0f samples/s, test accuracy %.4f\n",
              epoch.seconds,
              *epoch.samples_per_second,
              epoch.metrics.at("accuracy"));
  EXPECT_GE(epoch.metrics.at("accuracy"), 0.85);
  EXPECT_LT(*epoch.valid_loss, 0.45);
}

}  // namespace
}  // namespace dlbench::harness
