// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/validation/forgery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::reports {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ScalingPointRecord& second_point(RunRecord& record) { return record.scaling[0].points[1]; }

TEST(ScalingArithmetic, TheSampleIsRight) {
  EXPECT_THAT(problems_after([](RunRecord& /*record*/) {}), IsEmpty());
}

TEST(ScalingArithmetic, AGlobalBatchIsTheSumOfTheLocalOnes) {
  EXPECT_THAT(problems_after([](RunRecord& r) {
                second_point(r).local_batch_sizes = {2, 3};
              }),
              Contains(HasSubstr("global_batch_size: is 4, but local_batch_sizes sum to 5")));
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).local_batch_sizes = {4}; }),
              Contains(HasSubstr("local_batch_sizes: has 1 entries for 2 ranks")));
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).local_batch_sizes.clear(); }),
              Contains(HasSubstr("local_batch_sizes: has 0 entries for 2 ranks")));
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).batch_size_per_rank = 1; }),
              Contains(HasSubstr("but the largest of local_batch_sizes is 2")));
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).trials[0].samples = 49; }),
              Contains(HasSubstr("49 do not fit into 12 steps of 4")));
}

TEST(ScalingArithmetic, RanksAscend) {
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).ranks = 1; }),
              Contains(HasSubstr("points[1]: ranks do not ascend")));
}

TEST(ScalingArithmetic, IntervalsOfTimesMayBeCutOffAtZero) {
  const auto with_waiting = [](double upper) {  // the mean is 0.006
    return problems_after([upper](RunRecord& r) {
      second_point(r).in_step->waiting_s.ci95 = IntervalRecord{0.0, upper};
    });
  };
  EXPECT_THAT(with_waiting(0.02), IsEmpty());
  EXPECT_THAT(with_waiting(0.011), Contains(HasSubstr("0.006 is not the middle")));
  EXPECT_THAT(problems_after([](RunRecord& r) {
                second_point(r).in_step->contention_s.ci95 = IntervalRecord{0.0, 0.02};
              }),
              Contains(HasSubstr("0.005 is not the middle")))
      << "a difference, which may be negative";
}

TEST(ScalingArithmetic, ExposedCommunicationIsWaitingAndTransfer) {
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).waiting_s = 0.01; }),
              Contains(HasSubstr("but waiting_s + transfer_s is 0.025")));
  EXPECT_THAT(problems_after([](RunRecord& r) {
                second_point(r).transfer_ci95 = IntervalRecord{0.1, 0.2};
              }),
              Contains(HasSubstr("transfer_ci95: 0.015 is outside its interval")));
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).slowest_rank = 2; }),
              Contains(HasSubstr("slowest_rank: is not one of 2 ranks")));
}

TEST(ScalingArithmetic, WhatTheClocksSaySumsToWhatIsExposed) {
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).in_step->waiting_s.mean = 0.007; }),
              Contains(HasSubstr("in_step: the parts sum to 0.021, but exposed_communication_s")));
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).overlap = 0.72; }),
              Contains(HasSubstr("but 1 - in_step.exposed_all_reduce_s / in_step.all_reduce_s is "
                                 "0.75")));
  EXPECT_THAT(problems_after([](RunRecord& r) { second_point(r).all_reduce_s = 0.06; }),
              Contains(HasSubstr("all_reduce_ci95: 0.06 is outside its interval")));
}

TEST(ScalingArithmetic, ProjectionsAndTheirTest) {
  EXPECT_THAT(
      problems_after([](RunRecord& r) { r.scaling[0].projection[0].samples_per_second = 1.0; }),
      Contains(HasSubstr("projection[0].samples_per_second: is 1")));
  EXPECT_THAT(
      problems_after([](RunRecord& r) { r.scaling[0].leave_largest_out->relative_error = 0.1; }),
      Contains(HasSubstr("leave_largest_out.relative_error: is 0.1")));
  EXPECT_THAT(
      problems_after([](RunRecord& r) { r.scaling[0].leave_largest_out->inside_band = false; }),
      Contains(HasSubstr("contradicts the band")));
  EXPECT_THAT(problems_after([](RunRecord& r) {
                r.scaling[0].leave_largest_out->from_ranks = {1, 4};
              }),
              Contains(HasSubstr("4 is not below 4")));
  EXPECT_THAT(problems_after([](RunRecord& r) { r.scaling[0].buckets->best_modelled_mib = 100.0; }),
              Contains(HasSubstr("best_modelled_mib: is not 25, the cap with the shortest step")));
  // Of a difference that says nothing earlier reports name the best, too.
  for (const std::optional<double> best : {std::optional<double>(), std::optional(25.0)}) {
    EXPECT_THAT(problems_after([best](RunRecord& r) {
                  BucketSweepRecord& buckets = *r.scaling[0].buckets;
                  for (BucketCapRecord& cap : buckets.caps) {
                    cap.modelled_step_time_s = cap.bucket_cap_mib == 25.0 ? 0.22 : 0.221;
                  }
                  buckets.best_modelled_mib = best;
                }),
                Not(Contains(HasSubstr("best_modelled_mib"))));
  }
  EXPECT_THAT(problems_after([](RunRecord& r) { r.scaling[0].buckets->best_measured_mib = 1.0; }),
              Contains(HasSubstr("best_measured_mib: is not 25, the cap with the shortest step")));
}

}  // namespace
}  // namespace dlbench::reports
