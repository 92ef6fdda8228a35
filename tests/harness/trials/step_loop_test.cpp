// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/step_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

namespace dlbench::harness {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::SizeIs;

// Whose queue never holds what it held at the start, and whose steps are told `ahead` steps later.
class EverFullerArm final : public Arm {
 public:
  explicit EverFullerArm(std::int64_t ahead = 0)
      : Arm({reports::TrialKind::kIo, ""}), ahead_(ahead) {}
  void prepare() override {}
  std::optional<StepSample> step() override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return ++started_ - told_ > ahead_ ? drain() : std::nullopt;
  }
  std::optional<StepSample> drain() override {
    if (told_ == started_) {
      return std::nullopt;
    }
    ++told_;
    return StepSample{.samples = 1, .loss = static_cast<double>(told_)};
  }
  void finish() override {}
  [[nodiscard]] std::optional<std::int64_t> queue_fill() const override { return started_; }

 private:
  std::int64_t ahead_;
  std::int64_t started_ = 0;
  std::int64_t told_ = 0;
};

TEST(TimeSteps, GoesOnForTheQueueButNotBeyondTheMost) {
  EverFullerArm arm;
  EXPECT_EQ(time_steps(arm, {.steps = 4}, nullptr).steps, 7);
  EXPECT_EQ(time_steps(arm, {.steps = 4, .max_steps = 5}, nullptr).steps, 5);
  EXPECT_EQ(time_steps(arm, RepetitionLength::exactly(4), nullptr).steps, 4);
  EXPECT_EQ(time_steps(arm, {.steps = 2, .max_steps = 5, .min_s = 1e6}, nullptr).steps, 5)
      << "beyond the most";
}

TEST(StepUntil, TellsEachStepOnceAndNoneThatWasOnItsWay) {
  EverFullerArm arm(2);
  static_cast<void>(arm.step());
  static_cast<void>(arm.step());
  const auto enough = [](std::int64_t started, double /*done_s*/) { return started == 3; };
  const reports::RepetitionRecord repetition = step_until(arm, nullptr, 3, enough, 2);
  EXPECT_EQ(repetition.steps, 3);
  EXPECT_EQ(repetition.samples, 3);
  EXPECT_THAT(repetition.step_loss, ElementsAre(3.0, 4.0, 5.0));
  EXPECT_THAT(repetition.step_wall_s, SizeIs(3));
  EXPECT_THAT(repetition.step_wall_s, Each(Gt(0.0)));
  EXPECT_EQ(repetition.samples_per_second, 3.0 / repetition.wall_s);
}

}  // namespace
}  // namespace dlbench::harness
