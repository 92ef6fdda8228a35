// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The trials of a session on a device that runs later than it is told, as a GPU does, against the
// same trials on the ref backend, which runs at once.
#include "data/generators/generate.h"
#include "engine/backend/backend_list.h"
#include "engine/comm/rendezvous.h"
#include "harness/trials/arm.h"
#include "harness/trials/session.h"
#include "harness/trials/trial_runner.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using exec::testing::DeferredStream;
using reports::TrialKind;

constexpr std::int64_t kSteps = 6;
constexpr std::int64_t kBatch = 3;

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
  }

  StepPipelineTest() { data::generate("mnist", {.out = data_.file("data"), .samples = 30}); }

  /// A repetition of `id` on the device.
  reports::RepetitionRecord repetition(const std::string& device,
                                       const TrialId& id,
                                       const std::string& cuda_graph = "auto") {
    SessionOptions options{.workload = "mnist_cnn",
                           .device = device,
                           .batch_size = kBatch,
                           .threads = 1,
                           .workers = 1,
                           .cuda_graph = cuda_graph,
                           .data = data_.file("data")};
    comm::LoneRank alone;
    SessionPlan plan(options, alone);
    Session session(plan);
    const std::unique_ptr<Arm> arm = make_arm(id, session);
    arm->prepare();
    copies_ = DeferredStream::copies_to_device();
    reports::RepetitionRecord repetition = TrialRunner::time_steps(*arm, kSteps, true, nullptr);
    copies_ = DeferredStream::copies_to_device() - copies_;
    phases_ = arm->phases();
    EXPECT_FALSE(arm->drain().has_value());
    arm->finish();
    return repetition;
  }

  tests::CacheFolder data_;
  std::int64_t copies_ = 0;  ///< from the host to the device, in the last repetition's steps
  PhaseTotals phases_;
};

TEST_F(StepPipelineTest, AStepThatIsToldLaterIsTheSameStep) {
  const std::vector<double> wanted = repetition("ref", {TrialKind::kFull, ""}).step_loss;
  ASSERT_EQ(wanted.size(), static_cast<std::size_t>(kSteps));
  EXPECT_NE(wanted[0], wanted[1]);
  for (const char* cuda_graph : {"off", "auto"}) {
    const auto later = repetition("deferred", {TrialKind::kFull, ""}, cuda_graph);
    EXPECT_EQ(later.step_loss, wanted) << cuda_graph;
    EXPECT_EQ(later.steps, kSteps);
    EXPECT_EQ(later.samples, kSteps * kBatch);
    EXPECT_EQ(copies_, 2 * kSteps) << "images and labels";
  }
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

TEST_F(StepPipelineTest, TimesAreThoseOfTheDevice) {
  for (const char* cuda_graph : {"off", "auto"}) {
    const auto steps = repetition("deferred", {TrialKind::kSynthetic, "host"}, cuda_graph);
    const double sum = std::accumulate(steps.step_wall_s.begin(), steps.step_wall_s.end(), 0.0);
    EXPECT_GT(sum, 0.9 * steps.wall_s) << cuda_graph;
    EXPECT_LT(sum, 1.1 * steps.wall_s) << cuda_graph;
    EXPECT_EQ(phases_.steps, kSteps);
    const double inside =
        std::accumulate(phases_.engine.begin(), phases_.engine.end(), phases_.host_to_device);
    EXPECT_GT(inside, 0.5 * steps.wall_s) << cuda_graph;
    EXPECT_LE(inside, steps.wall_s) << cuda_graph;
  }
}

}  // namespace
}  // namespace dlbench::harness
