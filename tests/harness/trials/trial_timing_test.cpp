// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the clock of a repetition begins.
#include "engine/comm/rendezvous.h"
#include "harness/trials/arm.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/run_guard.h"
#include "harness/trials/trial_runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace dlbench::harness {
namespace {

/// Of which five batches are ready when the clock is to start; wants repetitions of six.
class AheadArm final : public Arm {
 public:
  AheadArm() : Arm({reports::TrialKind::kIo, ""}) {}
  void prepare() override { surplus_ = 5; }
  [[nodiscard]] std::int64_t surplus() const override { return surplus_; }
  void use_up(std::int64_t batches) override {
    used_up += batches;
    surplus_ = 0;
  }
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return StepSample{.samples = 1};
  }
  void finish() override {}
  [[nodiscard]] std::int64_t least_steps() const override { return 6; }

  std::int64_t used_up = 0;

 private:
  std::int64_t surplus_ = 0;
};

TEST(TrialTiming, GivesNoBatchForNothingWhereStepsForbidsToLengthen) {
  RunnerOptions options;
  options.stopping.min_repetitions = 3;
  options.stopping.max_time_s = 0.001;
  options.steps = 4;
  options.max_discards = 0;
  RunGuard guard(std::nullopt);
  comm::LoneRank alone;
  RankGroup group(alone);
  TrialRunner runner(options, group, guard, [](const std::vector<TrialResult>&) {});
  std::vector<std::unique_ptr<Arm>> arms;
  arms.push_back(std::make_unique<AheadArm>());
  runner.run(arms);
  const TrialResult& result = runner.results().front();
  const auto repetitions = static_cast<std::int64_t>(result.repetitions.size());
  EXPECT_EQ(static_cast<AheadArm&>(*arms.front()).used_up, 5 * repetitions);
  for (const auto& repetition : result.repetitions) {
    EXPECT_EQ(repetition.samples, 6) << "--steps is 4";
  }
}

}  // namespace
}  // namespace dlbench::harness
