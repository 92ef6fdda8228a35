// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/training/trainer.h"

#include "data/generators/generate.h"
#include "engine/comm/rank_progress.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/exec/safetensors.h"
#include "harness/training/step_pool.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/harness/training/dense_workload.h"
#include "tests/temporary_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kSamples = 50;

class Trainer : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    data::generate("mnist", {.out = file("data"), .samples = kSamples, .seed = 3});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  Trainer()
      : backend_(backend::create_backend("ref", {.threads = 1})),
        training_(data::open_dataset("mnist", file("data"), data::Split::kTrain)),
        validation_(data::open_dataset("mnist", file("data"), data::Split::kTest)) {}

  [[nodiscard]] TrainingSetup setup(std::int64_t epochs) const {
    return {.workload = workload_,
            .params = {},
            .backend = *backend_,
            .training_data = *training_,
            .validation_data = validation_.get(),
            .epochs = epochs};
  }
  [[nodiscard]] static std::filesystem::path file(const std::string& name) {
    return folder_->path() / name;
  }
  [[nodiscard]] const workloads::Workload& workload() const { return workload_; }
  [[nodiscard]] backend::Backend& backend() const { return *backend_; }
  [[nodiscard]] const data::Dataset& training_data() const { return *training_; }

 private:
  // NOLINTNEXTLINE(readability-identifier-naming): private, though of all objects.
  static inline std::optional<tests::TemporaryFolder> folder_;
  tests::DenseWorkload workload_;
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<data::Dataset> training_;
  std::unique_ptr<data::Dataset> validation_;
};

TEST_F(Trainer, LearnsAndRecordsEveryEpoch) {
  std::vector<std::int64_t> heard;
  TrainingListener listener;
  listener.on_epoch = [&](const reports::EpochRecord& epoch, bool) {
    heard.push_back(epoch.epoch);
  };
  TrainingSetup many = setup(10);
  many.validation_data = nullptr;  // no early stop: the training loss falls all the time
  const TrainingResult result = train(many, listener);
  ASSERT_EQ(result.history.size(), 10U);
  EXPECT_EQ(heard, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_LT(*result.history[9].train_loss, 0.5 * *result.history[0].train_loss);
  EXPECT_GT(result.history[9].metrics.at("train_accuracy"), 0.7);
  EXPECT_DOUBLE_EQ(*result.history[0].learning_rate, 0.01);
  EXPECT_DOUBLE_EQ(*result.history[2].learning_rate, 0.01 * 0.9 * 0.9);
}

TEST_F(Trainer, TrainsOnThePartialBatchToo) {
  std::int64_t steps = 0;
  TrainingListener listener;
  listener.on_step = [&](const TrainingProgress& progress) {
    steps += progress.validating ? 0 : 1;
    EXPECT_EQ(progress.steps, progress.validating ? progress.steps : 4);  // 16, 16, 16, 2
  };
  const TrainingResult result = train(setup(1), listener);
  EXPECT_EQ(steps, 4);
  const reports::EpochRecord& epoch = result.history.at(0);
  EXPECT_NEAR(*epoch.samples_per_second * epoch.seconds, kSamples, 1e-6);
  EXPECT_TRUE(epoch.valid_loss.has_value());
  EXPECT_TRUE(epoch.metrics.contains("accuracy"));
  ASSERT_TRUE(epoch.disturbance.has_value());
  EXPECT_TRUE(epoch.disturbance->involuntary_context_switches.has_value());
}

TEST_F(Trainer, WhatMakingTheStepsTakesIsOfNoEpoch) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::string> made;
  Clock::time_point last_made;
  Clock::time_point stepped;
  TrainingListener listener;
  listener.on_phase = [&](const std::string& phase) {
    if (phase == "epoch 1, after its steps") {
      stepped = Clock::now();
    }
  };
  listener.on_new_step = [&](const exec::Executor& step, std::int64_t samples) {
    made.push_back(fmt::format("{} {}", graph::name(step.graph().mode()), samples));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    last_made = Clock::now();
  };
  std::int64_t steps = 0;
  listener.on_step = [&](const TrainingProgress&) {
    ++steps;
    EXPECT_EQ(made.size(), 3U);
  };
  const TrainingResult result = train(setup(1), listener);
  EXPECT_GT(steps, 4);
  EXPECT_EQ(made, (std::vector<std::string>{"train 16", "train 2", "evaluate 10"}));
  EXPECT_LE(result.history.at(0).seconds, core::seconds(stepped - last_made));
}

// A validation or the choice of kernels leaves the loader time to prepare batches: for nothing.
TEST_F(Trainer, NoSampleIsLoadedBeforeTheClockOfItsEpoch) {
  constexpr double kSampleS = 0.004;
  TrainingSetup slow = setup(3);
  slow.loader.prefetch = 8;
  slow.loader.delays[static_cast<std::size_t>(data::Stage::kRead)] = {.sleep_s = kSampleS};
  TrainingListener listener;
  listener.on_epoch = [](const reports::EpochRecord&, bool) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  };
  for (const reports::EpochRecord& epoch : train(slow, listener).history) {
    EXPECT_LE(epoch.samples_per_second, 1.0 / kSampleS) << "epoch " << epoch.epoch;
  }
}

TEST_F(Trainer, TheSameSeedGivesTheSameHistoryWithAnyNumberOfWorkers) {
  TrainingSetup one = setup(2);
  TrainingSetup three = setup(2);
  three.loader.workers = 3;
  three.loader.prefetch = 4;
  TrainingSetup other = setup(2);
  other.seed = 9;
  const TrainingResult a = train(one, {});
  const TrainingResult b = train(three, {});
  const TrainingResult c = train(other, {});
  EXPECT_EQ(a.history[1].train_loss, b.history[1].train_loss);
  EXPECT_EQ(a.history[1].valid_loss, b.history[1].valid_loss);
  EXPECT_NE(a.history[1].valid_loss, c.history[1].valid_loss);
}

TEST_F(Trainer, ValidationChangesNothingInTheState) {
  StepPool steps({.workload = workload(), .backend = backend()});
  std::vector<std::string> made;
  steps.on_new_step = [&](const exec::Executor& step, std::int64_t samples) {
    made.push_back(fmt::format("{} {}", graph::name(step.graph().mode()), samples));
  };
  data::LoaderOptions options;
  options.batch_size = 16;
  options.drop_last = false;
  data::PrefetchLoader loader(training_data(), options);
  const data::BatchLease batch = loader.next();
  const auto everything = {graph::Storage::kParameter, graph::Storage::kScalar};
  const exec::TensorMap before = steps.state().export_tensors(everything);
  const StepOutcome first = steps.run(graph::Mode::kEvaluate, *batch).front();
  const StepOutcome second = steps.run(graph::Mode::kEvaluate, *batch).front();
  EXPECT_EQ(first.loss, second.loss);
  for (const auto& [name, tensor] : steps.state().export_tensors(everything)) {
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      ASSERT_EQ(tensor.at(i), before.at(name).at(i)) << name;
    }
  }
  (void)steps.run(graph::Mode::kTrain, *batch);
  EXPECT_NE(steps.run(graph::Mode::kEvaluate, *batch).front().loss, first.loss);
  EXPECT_EQ(made, (std::vector<std::string>{"evaluate 16", "train 16"}));
}

TEST_F(Trainer, ALossThatIsNotFiniteEndsTheRunAndNamesTheStep) {
  TrainingSetup diverging = setup(2);
  diverging.learning_rate = 1e38;
  try {
    (void)train(diverging, {});
    FAIL() << "it went on";
  } catch (const core::Error& error) {
    EXPECT_EQ(core::exit_code(error.code()), 5);
    EXPECT_THAT(error.what(), HasSubstr("of 4, epoch 1"));
    EXPECT_THAT(error.what(), HasSubstr("learning rate than 1e+38"));
  }
}

TEST_F(Trainer, AValidationLossThatIsNotFiniteIsNoGainAndTrainingGoesOn) {
  const tests::DenseWorkload overflowing({.evaluated_scale = 1e38F});
  const TrainingSetup usual = setup(3);
  const TrainingSetup blind{.workload = overflowing,
                            .params = {},
                            .backend = usual.backend,
                            .training_data = usual.training_data,
                            .validation_data = usual.validation_data,
                            .epochs = 3,
                            .checkpoint = file("never.safetensors")};
  std::vector<reports::SkipRecord> left_out;
  TrainingListener listener;
  listener.on_left_out = [&](const reports::SkipRecord& what) { left_out.push_back(what); };
  const TrainingResult result = train(blind, listener);
  ASSERT_EQ(result.history.size(), 2U);  // patience 2
  EXPECT_EQ(result.best_epoch, 0);
  EXPECT_LT(*result.history[1].train_loss, *result.history[0].train_loss);
  for (const reports::EpochRecord& epoch : result.history) {
    EXPECT_FALSE(epoch.valid_loss.has_value());
    EXPECT_FALSE(epoch.metrics.contains("accuracy"));
    EXPECT_TRUE(epoch.metrics.contains("train_accuracy"));
  }
  ASSERT_EQ(left_out.size(), 3U);
  EXPECT_EQ(left_out[0].what, "validation loss");
  EXPECT_THAT(left_out[0].reason, HasSubstr("not finite in epoch 1"));
  EXPECT_EQ(left_out[1].what, "epochs 3 to 3");
  EXPECT_THAT(left_out[1].reason, HasSubstr("no finite validation loss for 2 epochs"));
  EXPECT_EQ(left_out[2].what, "checkpoint");
  EXPECT_FALSE(std::filesystem::exists(*blind.checkpoint));
}

TEST_F(Trainer, StopsEarlyWhenNothingImproves) {
  TrainingSetup stuck = setup(10);
  stuck.learning_rate = 1e-30;  // below the resolution of the weights
  std::vector<reports::SkipRecord> left_out;
  TrainingListener listener;
  listener.on_left_out = [&](const reports::SkipRecord& what) { left_out.push_back(what); };
  const TrainingResult result = train(stuck, listener);
  ASSERT_EQ(left_out.size(), 1U);
  EXPECT_EQ(left_out.front().what, "epochs 4 to 10");
  EXPECT_THAT(left_out.front().reason,
              HasSubstr("no lower validation loss than in epoch 1 for 2 epochs"));
  EXPECT_EQ(result.best_epoch, 1);
  EXPECT_EQ(result.history.size(), 3U);  // patience 2
  left_out.clear();
  stuck.epochs = 3;
  EXPECT_EQ(train(stuck, listener).history.size(), 3U);
  EXPECT_TRUE(left_out.empty()) << "the last epoch was the last one anyway";
}

TEST_F(Trainer, SaysHowManySamplesFillNoBatch) {
  const tests::DenseWorkload whole_batches({.keep_last_batch = false});
  const TrainingSetup kept = setup(1);
  TrainingSetup uneven{.workload = whole_batches,
                       .params = {.batch_size = 24},
                       .backend = kept.backend,
                       .training_data = kept.training_data,
                       .validation_data = kept.validation_data,
                       .loader = kept.loader,
                       .epochs = 1};
  std::vector<reports::SkipRecord> left_out;
  TrainingListener listener;
  listener.on_left_out = [&](const reports::SkipRecord& what) { left_out.push_back(what); };
  EXPECT_EQ(train(uneven, listener).history.front().samples, 48);
  ASSERT_EQ(left_out.size(), 1U);
  EXPECT_EQ(left_out.front().what, "2 of 50 training samples in each epoch");
  EXPECT_THAT(left_out.front().reason, HasSubstr("no batch of 24"));
}

TEST_F(Trainer, TheCheckpointHoldsTheBestStateAndStartsAnotherTraining) {
  TrainingSetup first = setup(2);
  first.checkpoint = file("best.safetensors");
  const TrainingResult trained = train(first, {});
  EXPECT_EQ(exec::read_safetensors(*first.checkpoint).size(), 2U);  // fc.weight, fc.bias
  TrainingSetup second = setup(1);
  second.init = first.checkpoint;
  second.seed = 77;
  second.learning_rate = 1e-30;
  const TrainingResult resumed = train(second, {});
  const auto best = static_cast<std::size_t>(trained.best_epoch - 1);
  EXPECT_DOUBLE_EQ(*resumed.history[0].valid_loss, *trained.history[best].valid_loss);
}

TEST_F(Trainer, AnEpochIsToldBeforeItsCheckpointFails) {
  TrainingSetup full = setup(2);
  full.checkpoint = "/dev/full/best.safetensors";
  std::vector<reports::EpochRecord> told;
  TrainingListener listener;
  listener.on_epoch = [&told](const reports::EpochRecord& epoch, bool best) {
    told.push_back(epoch);
    EXPECT_TRUE(best);
  };
  EXPECT_THROW(static_cast<void>(train(full, listener)), core::Error);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].valid_loss.has_value());
}

TEST_F(Trainer, WithoutValidationTheTrainingLossDecides) {
  TrainingSetup alone = setup(2);
  alone.validation_data = nullptr;
  const TrainingResult result = train(alone, {});
  EXPECT_FALSE(result.history[0].valid_loss.has_value());
  EXPECT_FALSE(result.history[0].metrics.contains("accuracy"));
  EXPECT_EQ(result.best_epoch, 2);
}

TEST(UndefinedMetrics, AreSaidOnce) {
  std::vector<reports::SkipRecord> skipped;
  reports::EpochRecord epoch{.epoch = 3};
  epoch.metrics = {{"dice", 0.5}, {"train_precision", std::nan("")}};
  note_undefined_metrics(epoch, skipped);
  epoch.epoch = 4;
  note_undefined_metrics(epoch, skipped);
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].what, "train_precision");
  EXPECT_THAT(skipped[0].reason, HasSubstr("in epoch 3"));
  EXPECT_THAT(skipped[0].reason, HasSubstr("nothing was predicted"));
}

TEST_F(Trainer, IsTheSameOnADeviceThatRunsLater) {
  using exec::testing::Copies;
  for (const auto& [copies, validates] : std::vector<std::pair<Copies, bool>>{
           {Copies::kAtFirst, true}, {Copies::kAtLast, true}, {Copies::kAtLast, false}}) {
    exec::testing::DeferredBackend late(copies);
    TrainingSetup at_once = setup(3);
    if (!validates) {
      at_once.validation_data = nullptr;
    }
    TrainingSetup deferred{.workload = workload(),
                           .params = {},
                           .backend = late,
                           .training_data = training_data(),
                           .validation_data = at_once.validation_data,
                           .epochs = 3};
    std::vector<std::string> heard;
    TrainingListener listener;
    listener.on_step = [&](const TrainingProgress& progress) {
      heard.push_back(fmt::format("{} {} {}", progress.epoch, batch_text(progress), progress.loss));
    };
    const TrainingResult wanted = train(at_once, listener);
    const std::vector<std::string> in_order = std::exchange(heard, {});
    const TrainingResult seen = train(deferred, listener);
    EXPECT_EQ(heard, in_order);
    ASSERT_EQ(seen.history.size(), wanted.history.size());
    for (std::size_t epoch = 0; epoch < wanted.history.size(); ++epoch) {
      EXPECT_EQ(seen.history[epoch].train_loss, wanted.history[epoch].train_loss) << epoch;
      EXPECT_EQ(seen.history[epoch].valid_loss, wanted.history[epoch].valid_loss) << epoch;
      EXPECT_EQ(seen.history[epoch].metrics, wanted.history[epoch].metrics) << epoch;
    }
  }
}

TEST_F(Trainer, NamesTheStepWhoseLossIsNotFiniteThoughTheNextIsOnItsWay) {
  exec::testing::DeferredBackend late;
  const auto failure = [&](backend::Backend& backend) {
    const TrainingSetup diverging{.workload = workload(),
                                  .params = {},
                                  .backend = backend,
                                  .training_data = training_data(),
                                  .epochs = 1,
                                  .learning_rate = 1e38};
    std::vector<std::string> phases;
    TrainingListener listener;
    listener.on_phase = [&](const std::string& phase) { phases.push_back(phase); };
    try {
      (void)train(diverging, listener);
    } catch (const core::Error& error) {
      return fmt::format("{}: {}", phases.back(), error.what());
    }
    return std::string("none");
  };
  const std::string wanted = failure(backend());
  EXPECT_THAT(wanted, testing::StartsWith("epoch 1, step "));
  EXPECT_EQ(failure(late), wanted);
}

// The time until then may be that of many steps: of the first one on a device.
TEST_F(Trainer, HangsAreLookedForOnceAStepIsDone) {
  exec::testing::DeferredBackend late;
  const auto looked_for = [&](backend::Backend& backend) {
    const TrainingSetup once{.workload = workload(),
                             .params = {},
                             .backend = backend,
                             .training_data = training_data(),
                             .epochs = 1};
    std::vector<bool> stepping;  // when each of the steps begins
    TrainingListener listener;
    listener.on_phase = [&](const std::string& phase) {
      if (phase.find("step ") != std::string::npos) {
        stepping.push_back(comm::own_progress().stepping != 0);
      }
    };
    (void)train(once, listener);
    return stepping;
  };
  EXPECT_EQ(looked_for(backend()), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(looked_for(late), (std::vector<bool>{false, false, false, true}));
}

TEST_F(Trainer, ADeviceIsGivenTheNextStepWhileItWorksOnTheLastOne) {
  exec::testing::DeferredBackend late;
  StepPool steps({.workload = workload(), .backend = late});
  data::LoaderOptions options;
  options.batch_size = 16;
  options.drop_last = false;
  options.shuffle = false;
  data::PrefetchLoader loader(training_data(), options);
  const auto samples_told = [](const std::vector<StepOutcome>& told) {
    std::vector<std::int64_t> samples;
    for (const StepOutcome& outcome : told) {
      samples.push_back(outcome.samples);
    }
    return samples;
  };
  const auto run = [&](graph::Mode mode) {
    data::BatchLease lease = loader.next();
    const data::Batch& batch = *lease;
    return samples_told(steps.run(mode, batch, std::move(lease)));
  };
  using Samples = std::vector<std::int64_t>;
  EXPECT_EQ(run(graph::Mode::kTrain), Samples());
  EXPECT_EQ(run(graph::Mode::kTrain), Samples());
  EXPECT_EQ(run(graph::Mode::kTrain), Samples{16}) << "the first one had to be waited for";
  EXPECT_EQ(run(graph::Mode::kTrain), (Samples{16, 16})) << "the state goes to another step";
  EXPECT_EQ(samples_told(steps.drain()), Samples{2});
  EXPECT_EQ(samples_told(steps.drain()), Samples());
}

TEST_F(Trainer, AListenerMayEndIt) {
  TrainingListener listener;
  listener.on_step = [](const TrainingProgress& progress) {
    if (progress.step == 2) {
      throw core::Error(core::ErrorCode::kInterrupted, "Ctrl-C");
    }
  };
  EXPECT_THROW((void)train(setup(2), listener), core::Error);
}

}  // namespace
}  // namespace dlbench::harness
