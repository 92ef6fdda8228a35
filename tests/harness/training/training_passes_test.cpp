// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What training plans of the memory, beside what it then takes.
#include "harness/training/training_passes.h"

#include "data/generators/generate.h"
#include "engine/core/error.h"
#include "harness/training/trainer.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/error_message.h"
#include "tests/harness/training/dense_workload.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

namespace dlbench::harness {
namespace {

using exec::testing::DeferredBackend;

graph::Graph training_graph(const TrainingSetup& setup) {
  return workloads::training_graph(setup.workload.spec(),
                                   setup.workload.build(setup.params, graph::Mode::kTrain),
                                   setup.precision,
                                   {});
}

/// 132 samples to train with and 22 to validate with, in batches of 16: the last have 4 and 6.
class TrainingMemory : public testing::Test {
 protected:
  TrainingMemory() {
    data::generate("mnist", {.out = folder_.path(), .samples = 132, .seed = 3});
    training_ = data::open_dataset("mnist", folder_.path(), data::Split::kTrain);
    validation_ = data::open_dataset("mnist", folder_.path(), data::Split::kTest);
  }

  [[nodiscard]] TrainingSetup setup() {
    return {.workload = workloads::find_workload("mnist_cnn"),
            .params = {.batch_size = 16, .image_size = 28},
            .backend = device_,
            .training_data = *training_,
            .validation_data = validation_.get(),
            .loader = {.prefetch = 3},
            .epochs = 1};
  }
  /// As a session of the same batch plans it.
  [[nodiscard]] MemoryNeed of_run() {
    MemoryNeed need = need_of_step(device_, training_graph(setup()), {});
    need.loader_buffers = static_cast<std::int64_t>(
        data::loader_buffer_bytes(training_->spec(), training_loader(setup(), 1)));
    return need;
  }

  tests::TemporaryFolder folder_;
  DeferredBackend device_;
  std::unique_ptr<data::Dataset> training_;
  std::unique_ptr<data::Dataset> validation_;
};

TEST_F(TrainingMemory, TheDeviceGivesWhatWasPlanned) {
  const MemoryNeed planned = need_of_training(setup(), of_run());
  const std::int64_t before = device_.allocated_bytes();
  (void)train(setup(), {});
  const auto given = static_cast<double>(device_.allocated_bytes() - before);
  const auto wanted = static_cast<double>(planned.device_bytes());
  EXPECT_NEAR(given, wanted, 1e-3 * wanted);
}

TEST_F(TrainingMemory, TheInputsOfEachFurtherStepArePlanned) {
  ASSERT_EQ(validation_->size(), 22);
  // u8 images and i32 labels, three places each, for the last training batch and both of
  // validation.
  const auto places = [](std::int64_t samples) {
    const auto whole = [](std::int64_t bytes) { return (bytes + 255) / 256 * 256; };
    return 3 * (whole(samples * 28 * 28) + whole(samples * 4));
  };
  const MemoryNeed run = of_run();
  EXPECT_EQ(need_of_training(setup(), run).activations - run.activations,
            places(4) + places(16) + places(6));
}

TEST_F(TrainingMemory, ValidationLoadsForItselfAndNoStateIsKept) {
  const MemoryNeed run = of_run();
  EXPECT_GT(run.saved_state, 0);
  const MemoryNeed planned = need_of_training(setup(), run);
  EXPECT_EQ(planned.saved_state, 0);
  const data::PrefetchLoader training(*training_, training_loader(setup(), 1));
  const data::PrefetchLoader validation(*validation_, validation_loader(setup()));
  EXPECT_EQ(planned.host_bytes(),
            static_cast<std::int64_t>(training.buffer_bytes() + validation.buffer_bytes()));

  TrainingSetup large = setup();  // beyond what there is to validate with
  large.params.batch_size = 32;
  const data::PrefetchLoader whole(*validation_, validation_loader(large));
  EXPECT_EQ(need_of_training(large, run).host_bytes(),
            static_cast<std::int64_t>(training.buffer_bytes() + whole.buffer_bytes()));

  TrainingSetup without = setup();
  without.validation_data = nullptr;
  EXPECT_EQ(need_of_training(without, run).host_bytes(),
            static_cast<std::int64_t>(training.buffer_bytes()));
}

TEST_F(TrainingMemory, LoadersLeaveOutWhatTheWorkloadDoes) {
  EXPECT_FALSE(training_loader(setup(), 3).drop_last);
  EXPECT_EQ(training_loader(setup(), 3).epochs, 3);
  const tests::DenseWorkload dense({.keep_last_batch = false});
  const TrainingSetup whole{.workload = dense,
                            .params = {.batch_size = 16, .image_size = 28},
                            .backend = device_,
                            .training_data = *training_,
                            .validation_data = validation_.get()};
  EXPECT_TRUE(training_loader(whole, 1).drop_last);
  const data::LoaderOptions validation = validation_loader(whole);
  EXPECT_FALSE(validation.drop_last) << "all samples are validated with";
  EXPECT_FALSE(validation.shuffle);
  EXPECT_EQ(validation.epochs, 1);
}

TEST_F(TrainingMemory, ALastBatchWithoutASampleForEachRankIsRefused) {
  const auto message = [this](int world, std::int64_t global_batch_size) {
    TrainingSetup of_ranks = setup();
    of_ranks.loader.world = world;
    of_ranks.loader.global_batch_size = global_batch_size;
    return tests::error_of([&] { check_last_batch(of_ranks); }, core::ErrorCode::kUsage);
  };
  EXPECT_EQ(message(4, 64), "no error") << "132 are 64, 64 and 4";
  EXPECT_EQ(message(8, 64),
            "the last batch of an epoch has 4 sample(s), less than one for each of 8 ranks; with "
            "--global-batch-size 62 it has enough")
      << "62, 62 and 8";
  EXPECT_EQ(message(8, 8),
            "the last batch of an epoch has 4 sample(s), less than one for each of 8 ranks; with "
            "--global-batch-size 132 it has enough")
      << "no smaller one";
}

// What the plan takes for granted: all steps compute in the arena of a whole training batch.
TEST(TrainingArena, IsTheLargestOfEveryWorkload) {
  const auto backend = backend::create_backend("ref", {.threads = 1});
  const auto step_bytes = [&](const graph::Graph& graph) {
    const MemoryNeed need = need_of_step(*backend, graph, {});
    return need.activations + need.workspace;
  };
  for (const std::string& name : workloads::workload_names()) {
    const workloads::Workload& workload = workloads::find_workload(name);
    const workloads::WorkloadSpec& spec = workload.spec();
    const workloads::WorkloadParams params{.batch_size = spec.verify_batch_size,
                                           .image_size = spec.verify_image_size};
    for (const core::DType precision : {core::DType::kF32, core::DType::kBF16}) {
      const std::int64_t training = step_bytes(workloads::training_graph(
          spec, workload.build(params, graph::Mode::kTrain), precision, {}));
      const std::int64_t evaluation = step_bytes(workloads::evaluation_graph(
          workload.build(params, graph::Mode::kEvaluate), precision, {}));
      EXPECT_LT(evaluation, training) << spec.name << ", " << core::name(precision);
    }
  }
}

}  // namespace
}  // namespace dlbench::harness
