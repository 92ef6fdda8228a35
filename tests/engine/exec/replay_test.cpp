// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps on a device that runs later than it is told, and steps recorded once and replayed.
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/trace.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/engine/exec/doubling_communicator.h"
#include "tests/engine/exec/small_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
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
        training.executor(Mode::kTrain, {.replay = GraphReplay::kOn, .watch = {"loss"}});
    losses.emplace_back();
    std::vector<double> totals;
    const auto keep = [&](const FinishedStep& step) {
      losses.back().push_back(step.watched.front());
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
        keep(executor->await_step().value());
      }
      executor->run();
      if (const auto done = executor->poll_step()) {
        keep(*done);
        EXPECT_STREQ(backend, "ref");
      }
    }
    while (const auto done = executor->await_step()) {
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
  const auto executor = training.executor(Mode::kTrain, {.watch = {"loss"}});
  for (int step = 0; step < 5; ++step) {
    executor->run();
    EXPECT_LE(executor->steps_in_flight(), StepRing::kInFlight);
  }
  EXPECT_TRUE(executor->await_step().has_value());
  const float last = executor->await_step()->watched.front();
  EXPECT_FALSE(executor->await_step().has_value());
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

// The same of the first launch; of a later one it is the step that failed.
TEST_F(Replay, WhereTheFirstLaunchFailsStepsGoOnNodeByNode) {
  testing::DeferredStream::set_launching_fails(true);
  EXPECT_EQ(losses("deferred", GraphReplay::kAuto, 12), losses("ref", GraphReplay::kOff, 12));
  EXPECT_THROW(losses("deferred", GraphReplay::kOn, 12), core::Error);
  testing::DeferredStream::set_launching_fails(false);
  SmallTraining training("deferred", {});
  const auto executor = training.executor(Mode::kTrain, {.replay = GraphReplay::kAuto});
  for (int step = 0; step < 4; ++step) {
    executor->run();
  }
  EXPECT_TRUE(executor->replays());
  testing::DeferredStream::set_launching_fails(true);
  EXPECT_THROW(executor->run(), core::Error);
  testing::DeferredStream::set_launching_fails(false);
}

TEST_F(Replay, AFailureToRecordEndsTheRunOfWhoAskedForIt) {
  testing::DeferredStream::set_recording_fails(true);
  EXPECT_THROW(losses("deferred", GraphReplay::kOn, 12), core::Error);
  testing::DeferredStream::set_recording_fails(false);
}

// Each setting for itself: what it needs is there before it is recorded, and who comes back to it
// records nothing.
TEST_F(Replay, StartsAfterTwoStepsOfASettingAndStaysForIt) {
  SmallTraining training("deferred", {});
  const auto executor = training.executor(Mode::kTrain, {.replay = GraphReplay::kOn});
  const auto run_until_recorded = [&] {
    for (int step = 0; step < 3; ++step) {
      EXPECT_FALSE(executor->replays()) << step;
      executor->run();
    }
    EXPECT_TRUE(executor->replays());
  };
  run_until_recorded();
  executor->set_communication(false);
  run_until_recorded();
  executor->set_update(false);
  run_until_recorded();
  testing::DeferredStream::set_recording_fails(true);  // nothing is recorded any more
  for (const bool communicates : {true, false}) {
    executor->set_update(true);
    executor->set_communication(communicates);
    EXPECT_TRUE(executor->replays());
    executor->run();
  }
  testing::DeferredStream::set_recording_fails(false);
  executor->synchronize();
  EXPECT_EQ(training.state().scalar("step"), 11.0);
}

// A step that was replayed with one setting must not be replayed with another.
TEST_F(Replay, ARecordingIsOfItsSettingAlone) {
  std::vector<std::vector<float>> losses;
  for (const char* backend : {"ref", "deferred"}) {
    testing::DoublingCommunicator communicator;
    SmallTraining training(backend, {});
    const auto executor =
        training.executor(Mode::kTrain, communicator, {.replay = GraphReplay::kOn});
    losses.emplace_back();
    for (int step = 0; step < 16; ++step) {
      executor->set_communication(step % 4 < 2);
      executor->set_update(step % 2 == 0);
      executor->run();
      losses.back().push_back(executor->read_scalar("loss"));
    }
    EXPECT_EQ(executor->replays(), std::string(backend) == "deferred");
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_NE(losses[0].front(), losses[0].back());
}

/// Names of the phases that the host passes by.
class Phases final : public core::trace::Sink {
 public:
  Phases() { core::trace::set_sink(this); }
  ~Phases() override { core::trace::set_sink(nullptr); }
  void begin(const core::trace::RegionInfo& region) noexcept override {
    if (region.category == core::trace::Category::kPhase) {
      seen.emplace_back(region.name);
    }
  }
  void end(const core::trace::RegionInfo& /*region*/) noexcept override {}
  void name_thread(std::string_view /*name*/) noexcept override {}
  void map_captured_node(std::uint64_t /*node*/, std::int64_t /*op*/) noexcept override {}

  std::vector<std::string> seen;
};

// For a profiler, between replayed steps; nothing is recorded anew, and the losses stay the same.
TEST_F(Replay, RunsNodeByNodeWhileReplayIsOff) {
  std::vector<std::vector<float>> losses;
  for (const char* backend : {"ref", "deferred"}) {
    const bool records = std::string(backend) == "deferred";
    SmallTraining training(backend, {});
    const auto executor =
        training.executor(Mode::kTrain, {.replay = GraphReplay::kOn, .watch = {"loss"}});
    const Phases phases;
    losses.emplace_back();
    for (int step = 0; step < 10; ++step) {
      const bool off = step >= 5 && step < 7;
      executor->set_replay(!off);
      const std::size_t before = phases.seen.size();
      executor->run();
      const bool node_by_node = phases.seen.size() > before;
      EXPECT_EQ(node_by_node, !records || step < 3 || off) << step;
      if (step == 5) {
        testing::DeferredStream::set_recording_fails(true);  // nothing is recorded any more
      }
    }
    testing::DeferredStream::set_recording_fails(false);
    while (const auto done = executor->await_step()) {
      losses.back().push_back(done->watched.front());
    }
    EXPECT_EQ(executor->replays(), records);
  }
  EXPECT_EQ(losses[0], losses[1]);
}

// Who never lets a step be replayed has none recorded either.
TEST_F(Replay, RecordsNothingWhileReplayIsOff) {
  SmallTraining training("deferred", {});
  const auto executor = training.executor(Mode::kTrain, {.replay = GraphReplay::kOn});
  executor->set_replay(false);
  for (int step = 0; step < 4; ++step) {
    executor->run();
  }
  EXPECT_FALSE(executor->replays());
  executor->synchronize();
}

/// What a broadcast sends.
class Snapshots final : public testing::DoublingCommunicator {
 public:
  void broadcast(std::byte* data,
                 std::size_t bytes,
                 int /*root*/,
                 backend::Stream& stream) override {
    sent.emplace_back(bytes);
    stream.copy_to_host(sent.back().data(), data, bytes);
  }

  std::vector<std::vector<std::byte>> sent;
};

// Of running statistics, which the step before still writes when the next one is enqueued.
TEST_F(Replay, AStepBeginsWithTheBroadcastOfTheBuffers) {
  for (const GraphReplay replay : {GraphReplay::kOff, GraphReplay::kOn}) {
    Snapshots communicator;
    SmallTraining training("deferred", {});
    ModelState state(training.backend(), training.train_graph(), 1, &communicator);
    Executor executor(training.backend(),
                      state,
                      communicator,
                      training.train_graph(),
                      ExecutorOptions{.replay = replay, .broadcast_buffers = true});
    training.bind(executor);
    const auto buffers = [&] {
      std::vector<std::byte> all;
      for (const std::span<std::byte> memory : state.memory(graph::Storage::kBuffer)) {
        all.insert(all.end(), memory.begin(), memory.end());
      }
      return all;
    };
    std::vector<std::byte> before;
    for (int step = 0; step < 5; ++step) {
      EXPECT_NE(buffers(), before) << "no statistics moved";
      before = buffers();
      executor.run();
      executor.synchronize();
      EXPECT_EQ(communicator.sent.back(), before);
    }
    EXPECT_EQ(executor.replays(), replay == GraphReplay::kOn);
    executor.set_communication(false);
    executor.run();
    executor.synchronize();
    EXPECT_EQ(communicator.sent.back(), before) << "a step without communication sends nothing";
  }
}

/// One of two ranks whose host takes its time to start a collective.
class SlowHost final : public testing::DoublingCommunicator {
 public:
  [[nodiscard]] comm::Ticket start_all_reduce(const comm::ReduceRequest& request,
                                              backend::Stream& stream) override {
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    slept_s += core::seconds_since(start);
    return DoublingCommunicator::start_all_reduce(request, stream);
  }

  double slept_s = 0.0;
};

// On a device of its own a node's seconds are the device's, whatever the host does meanwhile.
TEST_F(Replay, ProfiledNodesTakeWhatTheDeviceTakes) {
  SlowHost communicator;
  SmallTraining training("deferred", {});
  const auto executor = training.executor(Mode::kTrain, communicator);
  executor->run();  // from its first kernel on a stream runs nothing at once
  communicator.slept_s = 0.0;
  const auto start = std::chrono::steady_clock::now();
  executor->run_profiled();
  const double wall_s = core::seconds_since(start);
  double sum = 0.0;
  for (const double node_s : executor->node_seconds()) {
    EXPECT_GE(node_s, 0.0);
    sum += node_s;
  }
  EXPECT_GT(sum, 0.0);
  ASSERT_GT(communicator.slept_s, 0.0);
  EXPECT_LE(sum, wall_s - communicator.slept_s) << "this device works when the host waits for it";
}

// So that what a host takes to start them is no part of their time.
TEST_F(Replay, AllReducesAloneAreRecordedTheSecondTimeAndReplayedFromThenOn) {
  for (const GraphReplay replay : {GraphReplay::kAuto, GraphReplay::kOff}) {
    SlowHost communicator;
    SmallTraining training("deferred", {});
    const auto executor = training.executor(Mode::kTrain, communicator, {.replay = replay});
    executor->run();
    std::vector<bool> enqueued;
    for (int call = 0; call < 4; ++call) {
      communicator.slept_s = 0.0;
      const std::optional<double> seconds = executor->all_reduce_alone();
      ASSERT_TRUE(seconds.has_value());
      EXPECT_GE(*seconds, 0.0);
      enqueued.push_back(communicator.slept_s > 0.0);
    }
    const bool replays = replay == GraphReplay::kAuto;
    EXPECT_THAT(enqueued, ::testing::ElementsAre(true, true, !replays, !replays));
    executor->synchronize();
  }
}

/// The op of each piece of recorded work.
class CapturedOps final : public core::trace::Sink {
 public:
  void begin(const core::trace::RegionInfo& /*region*/) noexcept override {}
  void end(const core::trace::RegionInfo& /*region*/) noexcept override {}
  void name_thread(std::string_view /*name*/) noexcept override {}
  void map_captured_node(std::uint64_t captured_node, std::int64_t op_id) noexcept override {
    if (captured_node == 0) {
      ops.clear();
    }
    EXPECT_EQ(captured_node, ops.size());
    ops.push_back(op_id);
  }

  std::vector<std::int64_t> ops;
};

// Of the recording that is replayed now: with collectives or without them, with the update or
// without.
TEST_F(Replay, AProbeLearnsWhichOpsAreReplayedWhenTheSettingChanges) {
  testing::DoublingCommunicator communicator;
  SmallTraining training("deferred", {});
  const auto executor = training.executor(Mode::kTrain, communicator, {.replay = GraphReplay::kOn});
  CapturedOps sink;
  core::trace::set_sink(&sink);
  std::vector<std::vector<std::int64_t>> recorded;
  const auto record = [&] {
    for (int step = 0; step < 3; ++step) {
      executor->run();
    }
    recorded.push_back(sink.ops);
  };
  record();
  executor->set_communication(false);
  record();
  executor->set_update(false);
  record();
  EXPECT_GT(recorded[0].size(), recorded[1].size());
  EXPECT_GT(recorded[1].size(), recorded[2].size());
  executor->set_update(true);
  EXPECT_EQ(sink.ops, recorded[1]);
  executor->set_communication(true);
  EXPECT_EQ(sink.ops, recorded[0]);
  executor->set_communication(false);
  executor->set_update(false);
  EXPECT_EQ(sink.ops, recorded[2]);
  core::trace::set_sink(nullptr);
  executor->synchronize();
}

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
      wanted.push_back(node.covers.empty() ? graph::id_outside_nodes(node.phase)
                                           : node.covers.front());
    }
  }
  CapturedOps sink;
  core::trace::set_sink(&sink);
  core::trace::set_sink(nullptr);
  EXPECT_EQ(sink.ops, wanted);
}

}  // namespace
}  // namespace dlbench::exec
