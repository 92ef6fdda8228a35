// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/batch_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dlbench::harness {
namespace {

/// Forward 1 ms + 1 ms a sample, backward 2 ms a sample with one gradient in its middle and one at
/// its end, optimizer 4 ms. The clock of the timeline runs `scale` times too slow.
BatchStep step_of(double batch, double scale) {
  const double forward_s = 0.001 + 0.001 * batch;
  const double backward_s = 0.002 * batch;
  StepTimeline timeline;
  timeline.gradients = {{100, scale * (forward_s + backward_s)},
                        {200, scale * (forward_s + 0.5 * backward_s)}};
  timeline.backward_end_s = scale * (forward_s + backward_s);
  timeline.step_s = timeline.backward_end_s + scale * 0.004;
  return {batch, forward_s + backward_s + 0.004, batch, timeline};
}

TEST(BatchModel, EachPartIsALineInTheBatch) {
  const BatchModel model({step_of(16, 1.0), step_of(8, 0.9), step_of(4, 1.2)});
  EXPECT_TRUE(model.knows_batches());
  const BatchCurve curve = model.curve();
  for (const double batch : {1.0, 6.0, 16.0, 32.0}) {
    const StepTimeline expected = step_of(batch, 1.0).timeline;
    const StepTimeline timeline = model.timeline(curve, batch);
    EXPECT_NEAR(timeline.step_s, expected.step_s, 1e-9) << batch;
    EXPECT_NEAR(timeline.backward_end_s, expected.backward_end_s, 1e-9) << batch;
    ASSERT_EQ(timeline.gradients.size(), 2U);
    for (std::size_t gradient = 0; gradient < 2; ++gradient) {
      EXPECT_EQ(timeline.gradients[gradient].bytes, expected.gradients[gradient].bytes);
      EXPECT_NEAR(timeline.gradients[gradient].ready_s, expected.gradients[gradient].ready_s, 1e-9)
          << batch;
    }
  }
}

TEST(BatchModel, TheTimelineIsOfARankWithTheLargestBatch) {
  // 3 and 2 samples: the mean takes as long as 2.5 samples, the timeline is of the rank with 3.
  BatchStep uneven = step_of(3, 1.0);
  uneven.mean_batch = 2.5;
  uneven.compute_s = step_of(2.5, 1.0).compute_s;
  const BatchModel model({step_of(5, 1.0), uneven});
  const StepTimeline timeline = model.timeline(model.curve(), 1.0);
  EXPECT_NEAR(timeline.step_s, 0.008, 1e-9);
  EXPECT_NEAR(timeline.backward_end_s, 0.004, 1e-9);
}

TEST(BatchModel, OneBatchHasItsOwnProportions) {
  const BatchModel model({step_of(8, 1.0), step_of(8, 2.0)});
  EXPECT_FALSE(model.knows_batches());
  EXPECT_EQ(model.backward_error(0.0), 0.0);
  EXPECT_GT(model.backward_error(0.1), 0.0) << "its two parts vary all the same";
  const StepTimeline expected = step_of(8, 1.0).timeline;
  const StepTimeline timeline = model.timeline(model.curve(), 8.0);
  EXPECT_NEAR(timeline.step_s, expected.step_s, 1e-9);
  EXPECT_NEAR(timeline.backward_end_s, expected.backward_end_s, 1e-9);
  EXPECT_NEAR(timeline.gradients[1].ready_s, expected.gradients[1].ready_s, 1e-9);
}

TEST(BatchModel, ALineLeavesNoPartNegative) {
  // The optimizer shrinks faster than any line that is positive at one sample.
  BatchStep large = step_of(16, 1.0);
  BatchStep small = step_of(8, 1.0);
  large.timeline.backward_end_s = 0.5 * large.timeline.step_s;
  small.timeline.backward_end_s = 0.99 * small.timeline.step_s;
  const BatchModel model({large, small});
  const StepTimeline timeline = model.timeline(model.curve(), 1.0);
  EXPECT_LE(timeline.backward_end_s, timeline.step_s);
  for (const GradientTiming& gradient : timeline.gradients) {
    EXPECT_GE(gradient.ready_s, 0.0);
    EXPECT_LE(gradient.ready_s, timeline.backward_end_s);
  }
}

TEST(BatchModel, ItsErrorIsWhatTheLinesMiss) {
  BatchModel exact({step_of(16, 1.0), step_of(8, 1.0), step_of(4, 1.0)});
  EXPECT_NEAR(exact.backward_error(0.0), 0.0, 1e-9);
  // The backward pass ends after 0.8 of the step of 4 samples (17 ms), 0.923 of that of 16.
  const double share = 13.0 / 17.0;
  EXPECT_NEAR(exact.backward_error(0.1), std::sqrt(2.0) * 0.1 * share * (1.0 - share), 1e-9);
  BatchStep off = step_of(8, 1.0);
  off.timeline.backward_end_s -= 0.2 * off.timeline.step_s;
  const BatchModel bent({step_of(16, 1.0), off, step_of(4, 1.0)});
  EXPECT_GT(bent.backward_error(0.0), 0.1);
}

TEST(BatchModel, ErrorsMoveTheEndOfTheBackwardPass) {
  const BatchModel model({step_of(16, 1.0), step_of(8, 1.0)});
  const StepTimeline plain = model.timeline(model.curve(), 8.0);
  const BatchCurve erring = model.curve(std::vector<double>{0.0, 0.1}, {0.0, -0.05});
  const StepTimeline moved = model.timeline(erring, 8.0);
  EXPECT_NEAR(moved.step_s, 1.1 * plain.step_s, 1e-9);
  const double share = plain.backward_end_s / plain.step_s;
  EXPECT_NEAR(moved.backward_end_s / moved.step_s, share - 0.05, 1e-9);
  EXPECT_NEAR(moved.gradients[1].ready_s / moved.backward_end_s,
              plain.gradients[1].ready_s / plain.backward_end_s,
              1e-9);
}

TEST(BatchModel, TimelinesOfOneBatchKeepTheirSharesAtOthers) {
  BatchStep small = step_of(4, 1.0);
  small.timeline = step_of(8, 1.0).timeline;
  small.timeline_batch = 8;
  const BatchModel model({step_of(8, 1.0), small});
  ASSERT_FALSE(model.knows_batches());
  const StepTimeline timeline = model.timeline(model.curve(), 4.0);
  EXPECT_NEAR(timeline.step_s, 0.017, 1e-9);
  EXPECT_NEAR(timeline.backward_end_s, 0.017 * 25.0 / 29.0, 1e-9);
}

// Backward passes end after 8.5, 23.2 and 26.5 of 17, 29 and 53 ms. The line through these ends
// with weights 1/17^2, 1/29^2 and 1/53^2 is 2.1251 + 1.92071 batch.
TEST(BatchModel, EndsWeighByTheirRelativeErrors) {
  const auto ending = [](double batch, double share) {
    BatchStep step = step_of(batch, 1.0);
    step.timeline.backward_end_s = share * step.timeline.step_s;
    return step;
  };
  const BatchModel model({ending(16, 0.5), ending(8, 0.8), ending(4, 0.5)});
  EXPECT_NEAR(model.timeline(model.curve(), 8.0).backward_end_s, 0.0174907664, 1e-9);
}

TEST(BatchModel, NoGradientIsReadyAfterTheBackwardPass) {
  BatchStep large = step_of(16, 1.0);
  large.timeline.gradients[0].ready_s *= 0.5;  // 24.5 ms of 49; of 8 samples 25 of 25
  const BatchModel model({large, step_of(8, 1.0)});
  const StepTimeline timeline = model.timeline(model.curve(), 1.0);
  EXPECT_NEAR(timeline.backward_end_s, 0.004, 1e-9);
  EXPECT_NEAR(timeline.gradients[0].ready_s, 0.004, 1e-9) << "the line says 25.4 ms";
}

}  // namespace
}  // namespace dlbench::harness
