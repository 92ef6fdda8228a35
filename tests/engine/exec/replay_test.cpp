// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps on a device that runs later than it is told, and steps recorded once and replayed.
#include "engine/core/error.h"
#include "engine/core/trace.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/engine/exec/small_training.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::exec {
namespace {

using graph::Mode;
using graph::Phase;
using testing::SmallTraining;

class Replay : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::register_deferred_backend(); }

  /// Losses of a few steps of the same network, another batch in each step, read after all of them
  /// where the device runs on its own.
  static std::vector<float> losses(const std::string& backend, GraphReplay replay, int steps) {
    SmallTraining training(backend, {});
    const auto executor = training.executor(Mode::kTrain, {.replay = replay});
    const graph::Value& image = executor->graph().value(executor->graph().inputs().at(0));
    std::vector<core::HostTensor> batches;  // all stay alive until the end
    for (int step = 0; step < steps; ++step) {
      batches.emplace_back(image.dtype, image.shape);
      for (std::int64_t i = 0; i < batches.back().elements(); ++i) {
        batches.back().set(i, static_cast<double>((i * (step + 3)) % 251));
      }
    }
    std::vector<float> seen;
    for (int step = 0; step < steps; ++step) {
      core::HostTensor& batch = batches[static_cast<std::size_t>(step)];
      executor->bind_input(image.name, batch.data(), batch.bytes());
      executor->run();
      if (step % 3 == 2) {  // in between, up to three steps are on their way
        seen.push_back(executor->read_scalar("loss"));
      }
    }
    EXPECT_EQ(executor->replays(), replay == GraphReplay::kOn && backend != "ref");
    return seen;
  }
};

TEST_F(Replay, ADeviceThatRunsLaterGivesTheSameLosses) {
  const std::vector<float> wanted = losses("ref", GraphReplay::kOff, 12);
  ASSERT_EQ(wanted.size(), 4U);
  EXPECT_NE(wanted[0], wanted[1]);
  EXPECT_EQ(losses("deferred", GraphReplay::kOff, 12), wanted);
}

TEST_F(Replay, AReplayedStepGivesTheSameLosses) {
  EXPECT_EQ(losses("deferred", GraphReplay::kOn, 12), losses("ref", GraphReplay::kOff, 12));
}

// What the host is told of steps on their way, it is told in order, and of the right step, although
// each launch of a replay runs the same recorded work.
TEST_F(Replay, StepsInFlightAreToldInOrder) {
  constexpr std::size_t kSteps = 9;
  std::vector<std::vector<float>> losses;
  for (const char* backend : {"ref", "deferred"}) {
    SmallTraining training(backend, {});
    const auto executor =
        training.executor(Mode::kTrain, {.replay = GraphReplay::kOn, .watch = "loss"});
    losses.emplace_back();
    std::vector<double> totals;
    const auto keep = [&](const FinishedStep& step) {
      losses.back().push_back(step.watched.value());
      for (const Phase phase : {Phase::kForward, Phase::kBackward, Phase::kOptimizer}) {
        EXPECT_GT(step.phases[static_cast<std::size_t>(phase)], 0.0) << graph::name(phase);
      }
      if (!totals.empty()) {
        EXPECT_GE(step.idle_s, 0.0);
        EXPECT_LT(*step.total_s(), 60.0);
      }
      totals.push_back(step.total_s().value_or(0.0));
    };
    for (std::size_t step = 0; step < kSteps; ++step) {
      if (executor->steps_in_flight() == StepRing::kInFlight) {
        keep(executor->finished(true).value());
      }
      executor->run();
      if (const auto done = executor->finished(false)) {
        keep(*done);
        EXPECT_STREQ(backend, "ref");
      }
    }
    while (const auto done = executor->finished(true)) {
      keep(*done);
    }
    EXPECT_EQ(executor->replays(), std::string(backend) == "deferred");
  }
  EXPECT_EQ(losses[0].size(), kSteps);
  EXPECT_EQ(losses[0], losses[1]);
}

// Who asks for nothing is told nothing, and the device is never further behind than the ring is
// long.
TEST_F(Replay, StepsThatNobodyAskedForAreForgotten) {
  SmallTraining training("deferred", {});
  const auto executor = training.executor(Mode::kTrain, {.watch = "loss"});
  for (int step = 0; step < 5; ++step) {
    executor->run();
    EXPECT_LE(executor->steps_in_flight(), StepRing::kInFlight);
  }
  EXPECT_TRUE(executor->finished(true).has_value());
  const float last = executor->finished(true)->watched.value();
  EXPECT_FALSE(executor->finished(true).has_value());
  EXPECT_EQ(last, executor->read_scalar("loss"));
}

// Skipped steps, a falling and a growing scale: what is replayed decides it all on the device.
TEST_F(Replay, LossScalingNeedsNoHost) {
  std::vector<std::vector<double>> ends;
  for (const char* backend : {"ref", "deferred"}) {
    SmallTraining training(
        backend,
        {.classifier = true,
         .precision = core::DType::kF16,
         .loss_scaling = graph::LossScaling{.initial = 0x1p+30, .rule = {.interval = 4}}});
    const auto executor = training.executor(Mode::kTrain, {.replay = GraphReplay::kOn});
    for (int step = 0; step < 40; ++step) {
      executor->run();
    }
    executor->synchronize();
    EXPECT_EQ(executor->replays(), std::string(backend) == "deferred");
    ends.emplace_back();
    for (const char* scalar : {"loss_scale", "skipped_steps", "step"}) {
      ends.back().push_back(training.state().scalar(scalar));
    }
    ends.back().push_back(static_cast<double>(executor->read_scalar("loss")));
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_GT(ends[0][1], 2.0) << "no step was skipped";
  EXPECT_GT(ends[0][2], 10.0) << "hardly a step was made";
}

TEST_F(Replay, ADeviceThatCannotRecordRunsNodeByNode) {
  EXPECT_EQ(losses("ref", GraphReplay::kOn, 6), losses("ref", GraphReplay::kOff, 6));
}

// The step during which recording failed is made too, node by node; nobody tries again.
TEST_F(Replay, WhereRecordingFailsStepsGoOnNodeByNode) {
  testing::DeferredStream::set_recording_fails(true);
  EXPECT_EQ(losses("deferred", GraphReplay::kAuto, 12), losses("ref", GraphReplay::kOff, 12));
  testing::DeferredStream::set_recording_fails(false);
}

TEST_F(Replay, AFailureToRecordEndsTheRunOfWhoAskedForIt) {
  testing::DeferredStream::set_recording_fails(true);
  EXPECT_THROW(losses("deferred", GraphReplay::kOn, 12), core::Error);
  testing::DeferredStream::set_recording_fails(false);
}

TEST_F(Replay, StartsAfterTwoStepsAndIsRecordedAnewForOtherCommunication) {
  SmallTraining training("deferred", {});
  const auto executor = training.executor(Mode::kTrain, {.replay = GraphReplay::kOn});
  executor->run();
  executor->run();
  EXPECT_FALSE(executor->replays());
  executor->run();
  EXPECT_TRUE(executor->replays());
  executor->set_communication(false);
  EXPECT_FALSE(executor->replays());
  executor->run();
  EXPECT_TRUE(executor->replays());
  executor->synchronize();
  EXPECT_EQ(training.state().scalar("step"), 4.0);
}

/// The op of each piece of recorded work.
class CapturedOps final : public core::trace::Sink {
 public:
  void begin(const core::trace::RegionInfo& /*region*/) noexcept override {}
  void end(const core::trace::RegionInfo& /*region*/) noexcept override {}
  void name_thread(std::string_view /*name*/) noexcept override {}
  void map_captured_node(std::uint64_t captured_node, std::int64_t op_id) noexcept override {
    EXPECT_EQ(captured_node, ops.size());
    ops.push_back(op_id);
  }

  std::vector<std::int64_t> ops;
};

TEST_F(Replay, AProbeThatComesLaterLearnsWhichOpEachRecordedKernelRuns) {
  SmallTraining training("deferred", {});
  const auto executor = training.executor(Mode::kTrain, {.replay = GraphReplay::kOn});
  for (int step = 0; step < 4; ++step) {
    executor->run();
  }
  ASSERT_TRUE(executor->replays());
  executor->synchronize();
  std::vector<std::int64_t> wanted;
  for (const backend::LoweredNode& node : executor->lowered().nodes) {
    if (node.kernel != nullptr) {
      wanted.push_back(node.covers.empty() ? graph::kNoNode : node.covers.front());
    }
  }
  CapturedOps sink;
  core::trace::set_sink(&sink);
  core::trace::set_sink(nullptr);
  EXPECT_EQ(sink.ops, wanted);
}

}  // namespace
}  // namespace dlbench::exec
