// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/step_ring.h"

#include "tests/engine/exec/deferred_backend.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using graph::Phase;
using testing::DeferredBackend;
using testing::DeferredStream;

/// A ring on a device where each kernel takes a second, and so does the event behind them.
class StepRingTest : public ::testing::Test {
 protected:
  void SetUp() override { DeferredStream::pretend_time(std::chrono::seconds(1)); }
  void TearDown() override { DeferredStream::pretend_time(std::nullopt); }

  [[nodiscard]] StepRing ring(std::vector<Phase> parts, std::size_t watched = 0) {
    return {backend_, *stream_, std::move(parts), watched};
  }
  void kernels(int count) {
    for (int i = 0; i < count; ++i) {
      stream_->enqueue_kernel([this] { ++ran_; });
    }
  }
  /// A step whose parts have so many kernels, and so many before the first part.
  void step(StepRing& ring, int inputs, const std::vector<int>& parts) {
    ring.begin();
    kernels(inputs);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      stream_->record_time(*ring.part_begins()[part]);
      kernels(parts[part]);
    }
    ring.end({});
  }
  [[nodiscard]] int ran() const { return ran_; }
  [[nodiscard]] DeferredStream& stream() { return *stream_; }

 private:
  DeferredBackend backend_;
  std::unique_ptr<DeferredStream> stream_ = std::make_unique<DeferredStream>();
  int ran_ = 0;
};

double seconds_of(const FinishedStep& step, Phase phase) {
  return step.phases[static_cast<std::size_t>(phase)];
}

TEST_F(StepRingTest, APhaseIsTheSumOfItsParts) {
  StepRing ring = this->ring({Phase::kForward, Phase::kBackward, Phase::kForward});
  step(ring, 3, {1, 2, 4});
  const FinishedStep first = ring.await().value();
  EXPECT_DOUBLE_EQ(first.inputs_s, 3.0 + 1.0);
  EXPECT_DOUBLE_EQ(seconds_of(first, Phase::kForward), (1.0 + 1.0) + (4.0 + 1.0));
  EXPECT_DOUBLE_EQ(seconds_of(first, Phase::kBackward), 2.0 + 1.0);
  EXPECT_EQ(first.idle_s, std::nullopt);
  EXPECT_EQ(first.total_s(), std::nullopt) << "nobody knows when the step before ended";
}

TEST_F(StepRingTest, AStepLastsFromTheEndOfTheOneBefore) {
  StepRing ring = this->ring({Phase::kForward});
  step(ring, 0, {1});
  kernels(7);  // of somebody else
  step(ring, 2, {4});
  static_cast<void>(ring.await());
  const FinishedStep second = ring.await().value();
  EXPECT_DOUBLE_EQ(second.idle_s.value(), 7.0 + 1.0);
  EXPECT_DOUBLE_EQ(second.total_s().value(), 13.0 + 3.0);
  EXPECT_FALSE(ring.await().has_value()) << "none is on its way";
}

TEST_F(StepRingTest, ABeginWaitsForTheOldestOfTwoAndDropsIt) {
  StepRing ring = this->ring({Phase::kForward});
  step(ring, 0, {1});
  step(ring, 0, {2});
  EXPECT_EQ(ran(), 0);
  ring.begin();
  EXPECT_EQ(ran(), 1) << "of the first step alone";
  stream().record_time(*ring.part_begins()[0]);
  kernels(4);
  ring.end({});
  EXPECT_EQ(ring.in_flight(), 2U);
  EXPECT_DOUBLE_EQ(seconds_of(ring.await().value(), Phase::kForward), 2.0 + 1.0);
  EXPECT_DOUBLE_EQ(seconds_of(ring.await().value(), Phase::kForward), 4.0 + 1.0);
}

TEST_F(StepRingTest, NothingIsToldOfAStepThatIsNotDone) {
  StepRing ring = this->ring({Phase::kForward});
  EXPECT_FALSE(ring.poll().has_value());
  step(ring, 0, {1});
  EXPECT_FALSE(ring.poll().has_value());
  stream().synchronize();
  EXPECT_TRUE(ring.poll().has_value());
}

TEST_F(StepRingTest, EachStepKeepsWhatIsWatched) {
  StepRing ring = this->ring({Phase::kForward}, 2);
  std::array<std::array<float, 2>, 2> values{{{1.0F, 2.0F}, {3.0F, 4.0F}}};
  for (const auto& of_step : values) {
    ring.begin();
    stream().record_time(*ring.part_begins()[0]);
    const auto bytes = std::as_bytes(std::span(of_step));
    ring.end(std::array{bytes.first(sizeof(float)), bytes.last(sizeof(float))});
  }
  for (const auto& of_step : values) {
    const FinishedStep step = ring.await().value();
    EXPECT_EQ(std::vector<float>(step.watched.begin(), step.watched.end()),
              std::vector<float>(of_step.begin(), of_step.end()));
  }
}

}  // namespace
}  // namespace dlbench::exec
