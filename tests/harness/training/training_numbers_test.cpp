// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a history says is what the steps did: rates, means over samples, whose metrics they are.
#include "data/generators/generate.h"
#include "engine/backend/backend_list.h"
#include "harness/training/trainer.h"
#include "tests/harness/training/dense_workload.h"
#include "tests/temporary_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

/// No weight changes: what is left is what the harness makes of losses and counts.
constexpr double kStandstill = 1e-30;

/// A sample's loss depends on nothing else.
tests::DenseWorkload regression(workloads::ScheduleSpec schedule = workloads::ConstantSchedule{},
                                float evaluated_scale = 1.0F / 255.0F) {
  return tests::DenseWorkload({.schedule = schedule,
                               .dropout = 0.0F,
                               .evaluated_scale = evaluated_scale,
                               .early_stop_patience = 0});
}

class TrainingNumbers : public testing::Test {
 protected:
  TrainingNumbers() {
    data::generate("mnist", {.out = file("data"), .samples = 50, .seed = 3});
    training_ = data::open_dataset("mnist", file("data"), data::Split::kTrain);
    validation_ = data::open_dataset("mnist", file("data"), data::Split::kTest);
  }

  [[nodiscard]] TrainingSetup setup(const workloads::Workload& workload,
                                    std::int64_t epochs) const {
    return {.workload = workload,
            .params = {},
            .backend = *backend_,
            .training_data = *training_,
            .validation_data = validation_.get(),
            .epochs = epochs};
  }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    return folder_.path() / name;
  }
  [[nodiscard]] const data::Dataset& training_data() const { return *training_; }
  [[nodiscard]] const data::Dataset& validation_data() const { return *validation_; }

 private:
  tests::TemporaryFolder folder_;
  std::unique_ptr<backend::Backend> backend_ = backend::create_backend("ref", {.threads = 1});
  std::unique_ptr<data::Dataset> training_;
  std::unique_ptr<data::Dataset> validation_;
};

TEST_F(TrainingNumbers, TheStepsOfAnEpochHaveItsRate) {
  const auto once = regression(workloads::StepDecay{.gamma = kStandstill});
  const TrainingResult result = train(setup(once, 2), {});
  const TrainingResult untrained = [&] {
    TrainingSetup still = setup(once, 1);
    still.learning_rate = kStandstill;
    return train(still, {});
  }();
  ASSERT_EQ(result.history.size(), 2U);
  EXPECT_NE(*result.history[0].valid_loss, *untrained.history[0].valid_loss);
  EXPECT_EQ(*result.history[1].valid_loss, *result.history[0].valid_loss)
      << "a rate of 1e-32 trained";
}

// The training loss falls, the validation loss is never finite: no gain.
TEST_F(TrainingNumbers, ThePlateauIsThatOfTheValidationLoss) {
  const auto blind =
      regression(workloads::ReduceOnPlateau{.factor = 0.5, .patience = 1, .floor = 0.0}, 1e38F);
  const TrainingResult result = train(setup(blind, 3), {});
  ASSERT_EQ(result.history.size(), 3U);
  EXPECT_LT(*result.history[1].train_loss, *result.history[0].train_loss);
  EXPECT_DOUBLE_EQ(*result.history[1].learning_rate, 0.005);
  EXPECT_DOUBLE_EQ(*result.history[2].learning_rate, 0.0025);
}

// A partial batch weighs as much as it has samples: 50 and 10 of them in batches of 1, 7, 16 and
// all, one after the other or at once.
TEST_F(TrainingNumbers, LossesAndMetricsAreMeansOverSamplesHoweverTheyAreBatched) {
  const auto workload = regression();
  TrainingSetup trained = setup(workload, 3);
  trained.checkpoint = file("trained.safetensors");
  (void)train(trained, {});
  std::vector<reports::EpochRecord> records;
  for (const std::int64_t batch : {1, 7, 16, 50}) {
    TrainingSetup still = setup(workload, 1);
    still.params.batch_size = batch;
    still.learning_rate = kStandstill;
    still.init = trained.checkpoint;
    records.push_back(train(still, {}).history.at(0));
    const reports::EpochRecord& one = records.front();
    const reports::EpochRecord& seen = records.back();
    const std::string where = fmt::format("batches of {}", batch);
    EXPECT_EQ(seen.samples, training_data().size()) << where;
    EXPECT_NEAR(*seen.train_loss, *one.train_loss, 1e-6 * *one.train_loss) << where;
    EXPECT_NEAR(*seen.valid_loss, *one.valid_loss, 1e-6 * *one.valid_loss) << where;
    EXPECT_EQ(seen.metrics, one.metrics) << where;
  }
  // Else a metric of the one could stand for that of the other.
  EXPECT_NE(records.front().metrics.at("accuracy"), records.front().metrics.at("train_accuracy"));
}

// With the data sets exchanged, so are the numbers.
TEST_F(TrainingNumbers, EachMetricIsOfItsOwnData) {
  const auto workload = regression();
  TrainingSetup still = setup(workload, 1);
  still.learning_rate = kStandstill;
  const reports::EpochRecord usual = train(still, {}).history.at(0);
  const TrainingSetup exchanged{.workload = workload,
                                .params = {},
                                .backend = still.backend,
                                .training_data = validation_data(),
                                .validation_data = &training_data(),
                                .epochs = 1,
                                .learning_rate = kStandstill};
  const reports::EpochRecord swapped = train(exchanged, {}).history.at(0);
  EXPECT_NE(usual.metrics.at("accuracy"), usual.metrics.at("train_accuracy"));
  EXPECT_EQ(usual.metrics.at("accuracy"), swapped.metrics.at("train_accuracy"));
  EXPECT_EQ(usual.metrics.at("train_accuracy"), swapped.metrics.at("accuracy"));
  EXPECT_NEAR(*usual.valid_loss, *swapped.train_loss, 1e-6 * *usual.valid_loss);
  EXPECT_NEAR(*usual.train_loss, *swapped.valid_loss, 1e-6 * *usual.train_loss);
}

}  // namespace
}  // namespace dlbench::harness
