// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps whose gradients travel in 16 bits, on a device that runs later than it is told and with
// collectives that can be captured, against the same steps on the ref backend.
#include "engine/comm/compressed.h"
#include "tests/engine/exec/doubling_communicator.h"
#include "tests/engine/exec/small_training.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using testing::DoublingCommunicator;
using testing::SmallTraining;

constexpr int kTrainedSteps = 6;
const testing::SmallTrainingOptions kManyBuckets{.buckets = {.first_cap_bytes = 1, .cap_bytes = 1}};

/// A communicator that compresses, before one that doubles.
struct Compressed {
  Compressed(core::DType wire, backend::Backend& backend) {
    auto made = std::make_unique<DoublingCommunicator>();
    inner = made.get();
    outer = std::make_unique<comm::CompressedCommunicator>(std::move(made), wire, backend);
  }
  DoublingCommunicator* inner = nullptr;
  std::unique_ptr<comm::CompressedCommunicator> outer;
};

class CompressedStep : public ::testing::TestWithParam<core::DType> {
 protected:
  static void SetUpTestSuite() { testing::register_deferred_backend(); }

  static std::vector<float> losses(const std::string& backend, GraphReplay replay) {
    SmallTraining training(backend, kManyBuckets);
    const Compressed communicator(GetParam(), training.backend());
    const auto executor = training.executor(
        graph::Mode::kTrain, *communicator.outer, {.replay = replay, .watch = {"loss"}});
    std::vector<float> seen;
    executor->run();
    const int allocations = communicator.inner->allocations();
    EXPECT_GT(allocations, 2) << "buckets";
    for (int step = 1; step < kTrainedSteps; ++step) {
      executor->run();
      seen.push_back(executor->await_step()->watched.front());
    }
    seen.push_back(executor->await_step()->watched.front());
    EXPECT_EQ(communicator.inner->allocations(), allocations) << "a later step allocated";
    EXPECT_EQ(executor->replays(), replay == GraphReplay::kOn && backend != "ref");
    return seen;
  }
};

INSTANTIATE_TEST_SUITE_P(,
                         CompressedStep,
                         ::testing::Values(core::DType::kBF16, core::DType::kF16),
                         [](const auto& wire) { return std::string(core::name(wire.param)); });

TEST_P(CompressedStep, IsTheSameOnADeviceAndRecorded) {
  const std::vector<float> wanted = losses("ref", GraphReplay::kOff);
  ASSERT_EQ(wanted.size(), static_cast<std::size_t>(kTrainedSteps));
  EXPECT_NE(wanted[0], wanted[1]);
  EXPECT_EQ(losses("deferred", GraphReplay::kOff), wanted);
  EXPECT_EQ(losses("deferred", GraphReplay::kOn), wanted);
}

// The first steps with communication may come after others were recorded; what they need has to be
// there before.
TEST_P(CompressedStep, TheFirstStepWithCommunicationAllocatesNothing) {
  SmallTraining training("deferred", kManyBuckets);
  const Compressed communicator(GetParam(), training.backend());
  const auto executor =
      training.executor(graph::Mode::kTrain, *communicator.outer, {.replay = GraphReplay::kOn});
  executor->set_communication(false);
  for (int step = 0; step < 3; ++step) {
    executor->run();
  }
  const int allocations = communicator.inner->allocations();
  EXPECT_GT(allocations, 2);
  executor->set_communication(true);
  for (int step = 0; step < 3; ++step) {
    EXPECT_FALSE(executor->replays());
    executor->run();
  }
  EXPECT_TRUE(executor->replays());
  EXPECT_EQ(communicator.inner->allocations(), allocations);
  executor->synchronize();
}

TEST_P(CompressedStep, TellsTheSameErrorOnADevice) {
  std::vector<double> errors;
  for (const char* backend : {"ref", "deferred"}) {
    SmallTraining training(backend, kManyBuckets);
    const Compressed communicator(GetParam(), training.backend());
    const auto executor = training.executor(graph::Mode::kTrain, *communicator.outer);
    executor->run_profiled();
    EXPECT_EQ(communicator.outer->take_relative_error(), 0.0) << "nobody asked";
    communicator.outer->measure_error(true);
    executor->run_profiled();
    communicator.outer->measure_error(false);
    errors.push_back(communicator.outer->take_relative_error());
  }
  EXPECT_EQ(errors[0], errors[1]);
  EXPECT_GT(errors[0], 1e-5);
  EXPECT_LT(errors[0], 1e-2);
}

}  // namespace
}  // namespace dlbench::exec
