// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps on a device whose collectives do not end, or fail after the host has enqueued them.
#include "tests/engine/exec/doubling_communicator.h"
#include "tests/engine/exec/small_training.h"

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace dlbench::exec {
namespace {

using core::ErrorCode;
using testing::FragileCommunicator;
using ::testing::HasSubstr;
using testing::SmallTraining;

constexpr double kShort = 0.3;
constexpr double kLong = 300.0;

class HungCollective : public ::testing::TestWithParam<GraphReplay> {
 protected:
  static void SetUpTestSuite() { testing::register_deferred_backend(); }

  /// After a few steps that went well, each of which was told.
  void train(double timeout_s) {
    communicator_ = std::make_unique<FragileCommunicator>(timeout_s);
    training_ = std::make_unique<SmallTraining>("deferred", testing::SmallTrainingOptions{});
    executor_ = training_->executor(
        graph::Mode::kTrain, *communicator_, {.replay = GetParam(), .watch = {"loss"}});
    for (int step = 0; step < 5; ++step) {
      executor_->run();
      EXPECT_TRUE(executor_->await_step().has_value());
    }
    EXPECT_EQ(executor_->replays(), GetParam() == GraphReplay::kOn);
    EXPECT_EQ(communicator_->aborts(), 0);
  }

  /// What `work` throws, and how long it takes.
  void expect_failure(const std::function<void()>& work,
                      ErrorCode code,
                      const std::string& text,
                      double min_s) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    try {
      work();
      ADD_FAILURE() << "no error";
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
    const double took_s = std::chrono::duration<double>(Clock::now() - begin).count();
    EXPECT_GE(took_s, min_s);
    EXPECT_LT(took_s, kLong / 10.0);
    EXPECT_EQ(communicator_->aborts(), 1);
  }

  std::unique_ptr<FragileCommunicator> communicator_;
  std::unique_ptr<SmallTraining> training_;
  std::unique_ptr<Executor> executor_;
};

INSTANTIATE_TEST_SUITE_P(,
                         HungCollective,
                         ::testing::Values(GraphReplay::kOff, GraphReplay::kOn),
                         [](const auto& replay) {
                           return replay.param == GraphReplay::kOn ? "Recorded" : "NodeByNode";
                         });

TEST_P(HungCollective, IsEndedWhenTheHostHasWaitedTooLong) {
  train(kShort);
  communicator_->hang();
  executor_->run();
  expect_failure([&] { static_cast<void>(executor_->await_step()); },
                 ErrorCode::kTimeout,
                 "[rank 3] the device has not ended its work within 0.3 s",
                 kShort);
  // The device is free again, no step is made any more, and the error stays.
  expect_failure([&] { executor_->synchronize(); }, ErrorCode::kTimeout, "rank 3", 0.0);
  expect_failure([&] { executor_->run(); }, ErrorCode::kTimeout, "rank 3", 0.0);
  EXPECT_LE(executor_->steps_in_flight(), 1U);
}

TEST_P(HungCollective, OfASecondStepInFlightIsFoundByTheNextRun) {
  train(kShort);
  communicator_->hang();
  executor_->run();
  executor_->run();
  expect_failure([&] { executor_->run(); }, ErrorCode::kTimeout, "rank 3", kShort);
}

TEST_P(HungCollective, IsToldWithItsCauseOnceThatIsKnown) {
  train(kLong);
  communicator_->hang();
  executor_->run();
  communicator_->fail();
  expect_failure([&] { static_cast<void>(executor_->await_step()); },
                 ErrorCode::kRun,
                 "[rank 3] the other rank is gone",
                 0.0);
}

TEST_P(HungCollective, IsFoundOutsideOfStepsToo) {
  train(kShort);
  ModelState state(training_->backend(), training_->train_graph(), 1, communicator_.get());
  state.broadcast_buffers();
  communicator_->hang();
  expect_failure([&] { state.broadcast_all(); }, ErrorCode::kTimeout, "rank 3", kShort);
}

// The host may take its time between steps: it waits for nobody.
TEST_P(HungCollective, IsNotSeenInAHostThatDoesOtherThings) {
  train(kShort);
  std::this_thread::sleep_for(std::chrono::duration<double>(2.0 * kShort));
  executor_->run();
  EXPECT_TRUE(executor_->await_step().has_value());
  EXPECT_EQ(communicator_->aborts(), 0);
}

}  // namespace
}  // namespace dlbench::exec
