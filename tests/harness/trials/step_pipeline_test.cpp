// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The trials of a session on a device that runs later than it is told, as a GPU does, against the
// same trials on the ref backend, which runs at once; on one rank, and on two that share a device.
#include "harness/trials/step_pipeline.h"

#include "data/generators/generate.h"
#include "engine/backend/backend_list.h"
#include "engine/comm/rank_progress.h"
#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"
#include "harness/commands/run_record.h"
#include "harness/faults/injected_fault.h"
#include "harness/faults/non_finite_loss.h"
#include "harness/session/run_guard.h"
#include "harness/session/session.h"
#include "harness/trials/arm.h"
#include "harness/trials/trial_runner.h"
#include "tests/engine/comm/thread_rendezvous.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using exec::testing::DeferredStream;
using reports::TrialKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kSteps = 6;
constexpr std::int64_t kBatch = 3;

/// Says that it is a GPU, with a name of its own on each rank of a node.
class DeferredGpu final : public exec::testing::DeferredBackend {
 public:
  explicit DeferredGpu(int index) : index_(index) {}

  [[nodiscard]] backend::DeviceInfo device() const override {
    backend::DeviceInfo info = DeferredBackend::device();
    info.kind = "cuda";
    info.name = "GPU " + std::to_string(index_);
    return info;
  }

 private:
  int index_;
};

/// While it lives, each piece of work takes a device an hour.
class FakeTime {
 public:
  FakeTime() { DeferredStream::pretend_time(std::chrono::hours(1)); }
  FakeTime(const FakeTime&) = delete;
  FakeTime& operator=(const FakeTime&) = delete;
  ~FakeTime() { DeferredStream::pretend_time(std::nullopt); }
};

class StepPipelineTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    backend::register_backend(
        {.name = "deferred",
         .priority = -1,
         .unavailable_reason = [] { return std::string(); },
         .create = [](const backend::BackendOptions&) -> std::unique_ptr<backend::Backend> {
           return std::make_unique<exec::testing::DeferredBackend>();
         }});
    backend::register_backend(
        {.name = "deferred_gpu",
         .priority = -1,
         .unavailable_reason = [] { return std::string(); },
         .create = [](const backend::BackendOptions& options) -> std::unique_ptr<backend::Backend> {
           return std::make_unique<DeferredGpu>(options.local_rank);
         }});
  }

  StepPipelineTest() { data::generate("mnist", {.out = data_.file("data"), .samples = 30}); }

  [[nodiscard]] SessionOptions options(const std::string& device) const {
    return {.workload = "mnist_cnn",
            .device = device,
            .batch_size = kBatch,
            .threads = 1,
            .workers = 1,
            .data = data_.file("data")};
  }

  /// Losses of the steps of each of two ranks, then the error that compression brought.
  [[nodiscard]] std::vector<std::vector<double>> losses_of_two(
      const std::string& device, GradientCompression compression = {}) const {
    std::vector<std::vector<double>> losses(2);
    dlbench::testing::on_ranks(2, [&](comm::Rendezvous& ranks) {
      SessionOptions shared = options(device);
      shared.share_gpu = true;
      shared.compression = compression;
      SessionPlan plan(shared, ranks);
      EXPECT_EQ(plan.shared_device(),
                device == "ref" ? "" : "ranks 0 and 1 use one GPU (here 0000:17:00.0)");
      Session session(plan);
      const std::unique_ptr<Arm> arm = make_arm({TrialKind::kFull, ""}, session);
      arm->prepare();
      losses[static_cast<std::size_t>(ranks.rank())] =
          time_steps(*arm, RepetitionLength::exactly(kSteps), nullptr).step_loss;
      EXPECT_FALSE(session.step().replays());
      EXPECT_FALSE(arm->drain().has_value());
      arm->finish();
      losses[static_cast<std::size_t>(ranks.rank())].push_back(
          session.measure_compression_error().value_or(0.0));
      ranks.barrier();
    });
    return losses;
  }

  /// Why two ranks cannot have one GPU.
  [[nodiscard]] static std::string refusal(const SessionOptions& options) {
    return tests::error_of(
        [&] {
          dlbench::testing::on_ranks(2,
                                     [&](comm::Rendezvous& ranks) { SessionPlan(options, ranks); });
        },
        core::ErrorCode::kUnavailable);
  }

  /// A repetition of `id` on the device.
  reports::RepetitionRecord repetition(const std::string& device,
                                       const TrialId& id,
                                       exec::GraphReplay replay = exec::GraphReplay::kAuto) {
    SessionOptions lone = options(device);
    lone.cuda_graph = replay;
    comm::LoneRank alone;
    SessionPlan plan(lone, alone);
    Session session(plan);
    const std::unique_ptr<Arm> arm = make_arm(id, session);
    arm->prepare();
    copies_ = DeferredStream::copies_to_device();
    device_s_ = DeferredStream::fake_s();
    reports::RepetitionRecord repetition =
        time_steps(*arm, RepetitionLength::exactly(kSteps), nullptr);
    copies_ = DeferredStream::copies_to_device() - copies_;
    device_s_ = DeferredStream::fake_s() - device_s_;
    phases_ = arm->phases();
    EXPECT_FALSE(arm->drain().has_value());
    arm->finish();
    return repetition;
  }

  tests::CacheFolder data_;
  std::int64_t copies_ = 0;  ///< from the host to the device, in the last repetition's steps
  double device_s_ = 0.0;    ///< that those steps took, where time is fake
  PhaseTotals phases_;
};

TEST_F(StepPipelineTest, AStepThatIsToldLaterIsTheSameStep) {
  const std::vector<double> wanted = repetition("ref", {TrialKind::kFull, ""}).step_loss;
  ASSERT_EQ(wanted.size(), static_cast<std::size_t>(kSteps));
  EXPECT_NE(wanted[0], wanted[1]);
  for (const exec::GraphReplay replay : {exec::GraphReplay::kOff, exec::GraphReplay::kAuto}) {
    const auto later = repetition("deferred", {TrialKind::kFull, ""}, replay);
    EXPECT_EQ(later.step_loss, wanted) << core::name_in(exec::kGraphReplays, replay);
    EXPECT_EQ(later.steps, kSteps);
    EXPECT_EQ(later.samples, kSteps * kBatch);
    EXPECT_EQ(copies_, 2 * kSteps) << "images and labels";
  }
}

TEST_F(StepPipelineTest, SaysWhichLossItHasNotLookedAt) {
  comm::LoneRank alone;
  SessionPlan plan(options("deferred"), alone);
  Session session(plan);
  StepPipeline steps(session);
  const auto unseen = [] { return comm::own_progress().unseen_loss.load(); };
  const data::Batch* const batch = &session.cached_batch();
  steps.reset();
  EXPECT_EQ(unseen(), 0);
  EXPECT_FALSE(steps.step({.batch = batch}).has_value());
  EXPECT_FALSE(steps.step({.batch = batch}).has_value());
  EXPECT_EQ(unseen(), 1);
  EXPECT_TRUE(steps.step({.batch = batch}).has_value());
  EXPECT_EQ(unseen(), 2);
  steps.reset();
  EXPECT_EQ(unseen(), 0);
  EXPECT_FALSE(steps.step({.batch = batch}).has_value());
  EXPECT_EQ(unseen(), 4) << "counted through a repetition, its untimed steps too";
  EXPECT_TRUE(steps.drain().has_value());
  EXPECT_EQ(unseen(), 0);
}

TEST_F(StepPipelineTest, LooksAtTheLossesOfStepsThatCountForNothing) {
  comm::LoneRank alone;
  SessionPlan plan(options("deferred"), alone);
  Session session(plan);
  StepPipeline steps(session);
  steps.reset();
  poison_parameters(session.state());
  EXPECT_FALSE(steps.step({.batch = &session.cached_batch()}).has_value());
  EXPECT_THROW(steps.reset(), NonFiniteLoss);
  EXPECT_EQ(comm::own_progress().unseen_loss.load(), 1) << "until another rank may look";
}

TEST_F(StepPipelineTest, OnlySyntheticHostCopiesTheBatchInEachStep) {
  const std::vector<double> wanted = repetition("ref", {TrialKind::kSynthetic, ""}).step_loss;
  const auto host = repetition("deferred", {TrialKind::kSynthetic, "host"});
  EXPECT_EQ(host.step_loss, wanted);
  EXPECT_EQ(copies_, 2 * kSteps);
  const auto device = repetition("deferred", {TrialKind::kSynthetic, "device"});
  EXPECT_EQ(device.step_loss, wanted);
  EXPECT_EQ(copies_, 0);
}

TEST_F(StepPipelineTest, InterferenceIsIoAndSyntheticWithAThreadBeside) {
  comm::LoneRank alone;
  SessionPlan plan(options("ref"), alone);
  Session session(plan);
  const auto extra = [&](const TrialId& id) { return make_arm(id, session)->extra_threads(); };
  EXPECT_EQ(extra({TrialKind::kInterference, "step_beside_loader"}), 1);
  EXPECT_EQ(extra({TrialKind::kInterference, "loader_beside_step"}), 1);
  EXPECT_EQ(extra({TrialKind::kIo, ""}), 0);
  EXPECT_EQ(extra({TrialKind::kFull, ""}), 0);
  // What else there is of the loader beside the step is as in io.
  for (const TrialId& id : std::vector<TrialId>{{TrialKind::kIo, ""},
                                                {TrialKind::kInterference, "loader_beside_step"}}) {
    const std::unique_ptr<Arm> arm = make_arm(id, session);
    EXPECT_EQ(arm->min_steps(), 20 * plan.options().prefetch) << id.to_string();
    arm->prepare();
    static_cast<void>(arm->step());
    arm->use_up(1);  // what became ready before the clock
    EXPECT_EQ(arm->phases().steps, 0) << id.to_string();
    arm->finish();
  }
}

// The step beside the loader has a thread of its own, which has to find the device.
TEST_F(StepPipelineTest, InterferenceRunsOnADevice) {
  for (const char* variant : {"step_beside_loader", "loader_beside_step"}) {
    const auto beside = repetition("deferred", {TrialKind::kInterference, variant});
    EXPECT_EQ(beside.samples, kSteps * kBatch) << variant;
    EXPECT_EQ(phases_.data_wait > 0.0, std::string_view(variant) == "loader_beside_step")
        << "that takes batches and does nothing else";
  }
}

// A queue of 64 batches is used up before the clock starts: nobody waits a minute for the end.
TEST_F(StepPipelineTest, TheEndOfTheRunIsSeenBeforeTheClockToo) {
  SessionOptions ahead = options("ref");
  ahead.prefetch = 64;
  comm::LoneRank alone;
  SessionPlan plan(ahead, alone);
  Session session(plan);
  for (const TrialId& id : std::vector<TrialId>{{TrialKind::kIo, ""},
                                                {TrialKind::kFull, ""},
                                                {TrialKind::kInterference, "loader_beside_step"}}) {
    const std::unique_ptr<Arm> arm = make_arm(id, session);
    RunGuard guard(0.0);  // --timeout, which has passed
    EXPECT_THROW(arm->prepare(), core::Error) << id.to_string();
    EXPECT_LT(arm->phases().steps, ahead.prefetch) << id.to_string();
    session.loader().stop();
  }
}

TEST_F(StepPipelineTest, ASimulatedLinkIsRefusedOnADevice) {
  SessionOptions delayed = options("deferred");
  delayed.link = comm::parse_link_model("latency_us=10,gbit_per_s=1", 0);
  EXPECT_THAT(refusal(delayed), HasSubstr("--link works in host memory"));
}

TEST_F(StepPipelineTest, RanksThatShareAGpuTrainAsOnTheHost) {
  const auto wanted = losses_of_two("ref");
  ASSERT_EQ(wanted[0].size(), static_cast<std::size_t>(kSteps) + 1);
  EXPECT_NE(wanted[0], wanted[1]);
  EXPECT_EQ(wanted[0].back(), 0.0);
  EXPECT_EQ(losses_of_two("deferred"), wanted);
}

TEST_F(StepPipelineTest, GradientsOfAGpuAreCompressedAsOnTheHost) {
  const auto exact = losses_of_two("ref");
  for (const core::DType compression : {core::DType::kBF16, core::DType::kF16}) {
    const auto wanted = losses_of_two("ref", compression);
    EXPECT_NE(wanted[0], exact[0]) << "nothing was rounded";
    EXPECT_GT(wanted[0].back(), 1e-5) << "the error";
    EXPECT_EQ(losses_of_two("deferred", compression), wanted) << core::name(compression);
  }
}

TEST_F(StepPipelineTest, RanksShareAGpuOnRequestOnlyAndWithoutARecordedStep) {
  using ::testing::HasSubstr;
  SessionOptions two = options("deferred_gpu");
  EXPECT_THAT(refusal(two), HasSubstr("ranks 0 and 1 use one GPU (here 0000:17:00.0), which NCCL"));
  EXPECT_THAT(refusal(two), HasSubstr("give --share-gpu"));
  two.share_gpu = true;
  EXPECT_EQ(refusal(two), "no error");
  two.cuda_graph = exec::GraphReplay::kOn;
  EXPECT_THAT(refusal(two), HasSubstr("--cuda-graph on with --share-gpu: ranks 0 and 1"));
}

TEST_F(StepPipelineTest, TimesAreThoseOfTheDevice) {
  const FakeTime hours_of_work;  // of which the host's clock sees seconds
  for (const exec::GraphReplay replay : {exec::GraphReplay::kOff, exec::GraphReplay::kAuto}) {
    const auto steps = repetition("deferred", {TrialKind::kSynthetic, "host"}, replay);
    const double step_s = device_s_ / static_cast<double>(kSteps);
    ASSERT_EQ(steps.step_wall_s.size(), static_cast<std::size_t>(kSteps));
    // When the step before the first ended is known to the host's clock alone. The last one does
    // not copy the batch of the next.
    for (std::size_t step = 1; step < steps.step_wall_s.size(); ++step) {
      EXPECT_NEAR(steps.step_wall_s[step], step_s, 0.2 * step_s)
          << core::name_in(exec::kGraphReplays, replay) << ", " << step;
    }
    EXPECT_EQ(phases_.steps, kSteps);
    const double inside =
        std::accumulate(phases_.engine.begin(), phases_.engine.end(), phases_.host_to_device);
    EXPECT_GT(inside, 0.5 * device_s_) << core::name_in(exec::kGraphReplays, replay);
    EXPECT_LE(inside, device_s_) << core::name_in(exec::kGraphReplays, replay);
  }
}

TEST_F(StepPipelineTest, TheDeviceGivesWhatWasPlanned) {
  comm::LoneRank alone;
  SessionPlan plan(options("deferred"), alone);
  const auto planned = static_cast<double>(plan.memory_need().device_bytes());
  const auto& device = dynamic_cast<exec::testing::DeferredBackend&>(plan.backend());
  const std::int64_t before = device.allocated_bytes();
  const Session session(plan);
  const auto given = static_cast<double>(device.allocated_bytes() - before);
  EXPECT_NEAR(given, planned, 1e-3 * planned);
}

// The others wait meanwhile, and would take it for one that hangs.
TEST_F(StepPipelineTest, ARankThatTunesGivesSignsOfLife) {
  comm::LoneRank alone;
  const SessionPlan plan(options("deferred"), alone);
  const std::uint64_t before = comm::own_progress().beats;
  plan.lowering().check();
  EXPECT_GT(comm::own_progress().beats, before);
}

// From the first step on.
TEST_F(StepPipelineTest, CompressedGradientsArePlannedToo) {
  dlbench::testing::on_ranks(2, [&](comm::Rendezvous& ranks) {
    SessionOptions shared = options("deferred");
    shared.share_gpu = true;
    SessionPlan exact(shared, ranks);
    shared.compression = core::DType::kBF16;
    SessionPlan plan(shared, ranks);
    const std::int64_t planned = plan.memory_need().device_bytes();
    EXPECT_EQ(planned, exact.memory_need().device_bytes() + plan.memory_need().gradients / 2);
    const auto& device = dynamic_cast<exec::testing::DeferredBackend&>(plan.backend());
    const std::int64_t before = device.allocated_bytes();
    Session session(plan);
    session.bind(session.cached_batch());
    session.step().run();
    session.step().synchronize();
    const auto given = static_cast<double>(device.allocated_bytes() - before);
    EXPECT_NEAR(given, static_cast<double>(planned), 1e-3 * static_cast<double>(planned));
    ranks.barrier();
  });
}

// The host has memory enough in all of these cases.
TEST_F(StepPipelineTest, ADeviceTooSmallForThePlanIsSeenBeforeItIsAsked) {
  comm::LoneRank alone;
  SessionPlan plan(options("deferred"), alone);
  const MemoryNeed& need = plan.memory_need();
  EXPECT_TRUE(need.on_device);
  EXPECT_EQ(need.total(), need.device_bytes() + need.saved_state + need.loader_buffers);
  const auto message = [&](std::int64_t free) {
    exec::testing::DeferredBackend::set_free_memory(free);
    return tests::error_of([&] { plan.check_memory(); }, core::ErrorCode::kMemory);
  };
  EXPECT_EQ(message(need.device_bytes() + need.device_reserve), "no error");
  EXPECT_THAT(message(need.device_bytes() + need.device_reserve - 1),
              HasSubstr("the largest --batch-size found to fit is 2"));
  EXPECT_THAT(message(1000),
              HasSubstr("MiB of device memory, and 1536 MiB are kept for further workspace and "
                        "libraries; 1 MiB are available; nothing smaller fits: another device"));
  exec::testing::DeferredBackend::set_free_memory(std::nullopt);
}

// What is planned is cuDNN's first choice, what runs the one that tuning found.
TEST_F(StepPipelineTest, WorkspaceThatOnlyTuningTakesIsReservedBeforeItFails) {
  using exec::testing::DeferredBackend;
  constexpr std::int64_t kTuned = std::int64_t{64} << 20;
  DeferredBackend::set_tuned_workspace(kTuned);
  const auto code_of = [](const std::function<void()>& work) -> std::optional<core::ErrorCode> {
    try {
      work();
    } catch (const core::Error& error) {
      return error.code();
    }
    return std::nullopt;
  };
  comm::LoneRank alone;
  SessionPlan small(options("deferred"), alone);
  DeferredBackend::set_free_memory(small.memory_need().device_bytes() + kTuned / 2);
  EXPECT_EQ(code_of([&] { small.check_memory(); }), core::ErrorCode::kMemory);
  EXPECT_EQ(code_of([&] { const Session session(small); }), core::ErrorCode::kRun);

  SessionPlan enough(options("deferred"), alone);
  const MemoryNeed& need = enough.memory_need();
  DeferredBackend::set_free_memory(need.device_bytes() + need.device_reserve);
  EXPECT_EQ(code_of([&] { enough.check_memory(); }), std::nullopt);
  EXPECT_EQ(code_of([&] { const Session session(enough); }), std::nullopt);
  const auto& device = dynamic_cast<DeferredBackend&>(enough.backend());
  EXPECT_GT(device.allocated_bytes(), need.device_bytes() + kTuned / 2);
  DeferredBackend::set_free_memory(std::nullopt);
  DeferredBackend::set_tuned_workspace(0);
}

TEST_F(StepPipelineTest, TheReportHasTheMemoryOfTheStepThatRuns) {
  using exec::testing::DeferredBackend;
  constexpr std::int64_t kTuned = std::int64_t{64} << 20;
  comm::LoneRank alone;
  SessionPlan plan(options("deferred"), alone);
  reports::RunRecord record;
  describe_plan(plan, record);
  const reports::MemoryRecord& memory = record.workload->memory;
  const auto expect_sums = [&memory] {
    EXPECT_EQ(*memory.planned_device_bytes,
              *memory.parameters_bytes + *memory.gradients_bytes + *memory.optimizer_bytes +
                  *memory.activations_bytes + *memory.workspace_bytes);
    EXPECT_EQ(*memory.planned_host_bytes, *memory.loader_buffers_bytes + *memory.saved_state_bytes);
    EXPECT_EQ(*memory.planned_peak_bytes,
              *memory.planned_host_bytes + *memory.planned_device_bytes);
  };
  describe_planned_memory(plan, record);
  expect_sums();
  const reports::MemoryRecord planned = memory;

  const auto& device = dynamic_cast<DeferredBackend&>(plan.backend());
  const std::int64_t before = device.allocated_bytes();
  DeferredBackend::set_tuned_workspace(kTuned);
  Session session(plan);
  DeferredBackend::set_tuned_workspace(0);
  describe_session(session, record);
  expect_sums();
  EXPECT_EQ(memory.activations_bytes, planned.activations_bytes);
  EXPECT_LT(*planned.workspace_bytes, kTuned);
  EXPECT_GE(*memory.workspace_bytes, kTuned);
  EXPECT_EQ(*memory.loader_buffers_bytes,
            static_cast<std::int64_t>(session.loader().buffer_bytes()));
  const auto given = static_cast<double>(device.allocated_bytes() - before);
  EXPECT_NEAR(static_cast<double>(*memory.planned_device_bytes), given, 1e-3 * given);
}

// By hand: 71,857,048 FLOP of a sample, one of a loss, and of Adadelta 15 for each of 1,199,882
// parameters on every rank that updates.
TEST_F(StepPipelineTest, TheWorkOfAStepIsThatOfAllRanks) {
  constexpr double kSample = 71'857'048.0;
  constexpr double kUpdate = 15.0 * 1'199'882.0;
  const auto expect_flop = [](const SessionOptions& asked, int ranks, int updates, double batch) {
    dlbench::testing::on_ranks(ranks, [&](comm::Rendezvous& members) {
      const SessionPlan plan(asked, members);
      EXPECT_DOUBLE_EQ(plan.training_flop_per_sample(),
                       kSample + (ranks + kUpdate * updates) / batch)
          << "rank " << members.rank() << " of " << ranks;
    });
  };
  SessionOptions even = options("ref");
  expect_flop(even, 1, 1, kBatch);
  expect_flop(even, 2, 2, 2 * kBatch);
  even.strategy = Strategy::kDataParallel;
  expect_flop(even, 1, 1, kBatch);
  expect_flop(even, 2, 1, 2 * kBatch);
  SessionOptions uneven = options("ref");
  uneven.batch_size.reset();
  uneven.global_batch_size = 4;
  expect_flop(uneven, 3, 3, 4);
  uneven.strategy = Strategy::kDataParallel;
  expect_flop(uneven, 3, 1, 4);
}

TEST_F(StepPipelineTest, TheRankThatReportsKnowsTheDevicesOfAll) {
  dlbench::testing::on_ranks(3, [&](comm::Rendezvous& ranks) {
    SessionOptions shared = options("deferred_gpu");
    shared.share_gpu = true;
    const SessionPlan plan(shared, ranks);
    if (ranks.rank() == 0) {
      EXPECT_THAT(plan.device_names(), ElementsAre("GPU 0", "GPU 1", "GPU 2"));
    }
  });
}

}  // namespace
}  // namespace dlbench::harness
