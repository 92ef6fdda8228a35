// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/show.h"
#include "tests/reports/sample_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ScalingTables, OneTablePerModeWithEveryTrialAndBatch) {
  const std::string text = scaling_text(sample_record());
  EXPECT_THAT(text, HasSubstr("Weak scaling, batch per rank fixed (samples/s; "));
  EXPECT_THAT(text, HasSubstr("io  synthetic  synthetic/nocomm  full  speedup"));
  // 4 ranks of 2: 12 steps of 8 samples; io 156, synthetic 38.5, nocomm 42.9, full 34 samples/s.
  EXPECT_THAT(text, HasSubstr("  4          2       8     12       96   156       38.5"));
  EXPECT_THAT(text, HasSubstr("3.40x  85.0 % (83.3 to 86.7)"));
  EXPECT_THAT(text, HasSubstr("contention_bound"));
  EXPECT_THAT(text, HasSubstr("verdict at 4 ranks: contention_bound: io alone reaches"));
}

TEST(ScalingTables, UnevenLocalBatchesAreShownAsARange) {
  const std::string text = scaling_text(sample_record());
  EXPECT_THAT(text,
              HasSubstr("Strong scaling, global batch fixed, sweep ddp-options, "
                        "bucket-cap-mib=100"));
  EXPECT_THAT(text, HasSubstr("1-2       3"));
}

TEST(ScalingTables, CommunicationSaysWhatIsHiddenAndWhoIsSlow) {
  const std::string text = scaling_text(sample_record());
  EXPECT_THAT(
      text,
      HasSubstr("180 ms  20.0 ms (+-2.00 ms)  5.00 ms (+-1.00 ms)  15.0 ms (+-1.50 ms)  1 on "
                "node1, 75.0 % of the steps, 3.0 % of the time lost\n"));
  EXPECT_THAT(text, HasSubstr("30.0 ms      32.0 ms  75.0 %  8.00 ms  6.00 ms"));
  RunRecord record = sample_record();
  record.scaling[0].points[1].transfer_s = -0.001;
  record.scaling[0].points[1].transfer_ci95.reset();
  record.scaling[0].points[1].slowest_lost_share.reset();
  EXPECT_THAT(scaling_text(record), HasSubstr("-1.00 ms  1 on node1, 75.0 % of the steps\n"))
      << "an older report";
}

// 1 rank: 2 samples at 11 a second, 181.8 ms. 4 ranks: 180 ms of computing and 20 ms more.
TEST(ScalingTables, AWeakStepGrowsByComputingAndByCommunication) {
  RunRecord record = sample_record();
  const std::string growth = "  step of synthetic at 4 ranks, beyond that at 1 rank: ";
  EXPECT_THAT(scaling_text(record),
              HasSubstr(growth + "18.2 ms = -1.82 ms of computing + 20.0 ms of communication\n"));
  std::vector<ScalingPointRecord>& points = record.scaling[0].points;
  points[2].nocomm_s = 0.25;
  points.erase(points.begin());  // from 2 ranks on, which take 180 ms and 20 ms
  EXPECT_THAT(scaling_text(record),
              HasSubstr("at 4 ranks, beyond that at 2 ranks: 70.0 ms = 70.0 ms of computing + "));
  points[1].nocomm_s.reset();
  EXPECT_THAT(scaling_text(record), Not(HasSubstr("step of synthetic at")));
  record = sample_record();
  record.scaling[0].mode = "strong";
  EXPECT_THAT(scaling_text(record), Not(HasSubstr("step of synthetic at"))) << "of other batches";
}

// As after a sweep that ended early.
TEST(ScalingTables, OneCapAloneCannotBeTheBest) {
  RunRecord record = sample_record();
  BucketSweepRecord& buckets = *record.scaling[0].buckets;
  buckets.best_measured_mib.reset();
  EXPECT_THAT(scaling_text(record), HasSubstr("by the model, measured none beyond noise\n"));
  buckets.caps[2].measured_step_time_s.reset();
  EXPECT_THAT(scaling_text(record), HasSubstr("by the model, one alone was measured\n"));
  buckets.caps[1].measured_step_time_s.reset();
  EXPECT_THAT(scaling_text(record), HasSubstr("best cap: 25.0 MiB by the model\n"));
}

TEST(ScalingTables, ProjectionNetworkAndBucketCaps) {
  const std::string text = scaling_text(sample_record());
  EXPECT_THAT(text,
              HasSubstr("network (switched): 10.0 us a message and 2.00 GB/s between nodes of 2 "
                        "ranks, 1.00 us a message and 10.0 GB/s inside; fits 24 measurements to "
                        "3.0 %"));
  EXPECT_THAT(
      text,
      HasSubstr("64            128        256  500 ms (475 ms to 525 ms)  40.0 % (38.1 to 42.1)"));
  EXPECT_THAT(text,
              HasSubstr("4 ranks predicted from fewer: 231 ms (208 ms to 254 ms), measured 220 ms: "
                        "+5.0 %, inside the band"));
  EXPECT_THAT(text, HasSubstr("best cap: 25.0 MiB by the model, 25.0 MiB measured"));
}

TEST(ScalingTables, ABandThatHoldsEverythingIsNoAgreement) {
  RunRecord record = sample_record();
  record.scaling[0].leave_largest_out->predicted_step_time_s.ci95 = {0.0001, 2.0};
  EXPECT_THAT(scaling_text(record), HasSubstr("+5.0 %, a band too wide to say anything\n"));
}

TEST(ScalingTables, APredictionInDoubtIsMarked) {
  RunRecord record = sample_record();
  record.scaling[0].leave_largest_out->doubt = "others disturbed the measurement";
  EXPECT_THAT(scaling_text(record),
              HasSubstr("  4 ranks predicted from fewer *: 231 ms (208 ms to 254 ms), measured "
                        "220 ms: +5.0 %, inside the band\n"
                        "  * the prediction is not to be trusted: others disturbed the "
                        "measurement\n"));
}

TEST(ScalingTables, TheHeadlineStandsBesideWhatIsSaidOfIt) {
  RunRecord record = sample_record();
  std::erase_if(record.scaling[0].points[0].trials,
                [](const auto& trial) { return trial.trial == "synthetic/nocomm"; });
  const std::string text = scaling_text(record);
  EXPECT_THAT(text, HasSubstr("speedup, efficiency and step of full; baseline: 1 rank)"));
  EXPECT_THAT(text, HasSubstr("io  synthetic  synthetic/nocomm  full  speedup"));
}

TEST(ScalingTables, DoubtfulProjectionsAndFitsAreMarked) {
  RunRecord record = sample_record();
  EXPECT_THAT(scaling_text(record), Not(HasSubstr("trusted")));
  record.scaling[0].projection[0].doubt = "no network between nodes was measured";
  record.scaling[0].projection[1].doubt = "no network between nodes was measured";
  record.scaling[0].fit->residual = 0.61;
  const std::string text = scaling_text(record);
  EXPECT_THAT(text, HasSubstr("fits 24 measurements to 61.0 %: it cannot be trusted\n"));
  EXPECT_THAT(text, HasSubstr("64 *"));
  EXPECT_THAT(text,
              HasSubstr("  * 16, 64 ranks, not to be trusted: no network between nodes was "
                        "measured\n"));
}

TEST(ScalingTables, VariantsOfASweepStandSideBySide) {
  RunRecord record = sample_record();
  EXPECT_THAT(scaling_text(record), Not(HasSubstr("Sweep ddp-options")));
  record.scaling.push_back(record.scaling[1]);
  record.scaling[2].variant = "bucket-cap-mib=25";
  const std::string text = scaling_text(record);
  EXPECT_THAT(text, HasSubstr("Sweep ddp-options, strong scaling, samples/s"));
  EXPECT_THAT(text, HasSubstr("bucket-cap-mib=25     10.0     16.0\n"));
}

TEST(ScalingTables, CollectivesHaveTheColumnsOfNcclTests) {
  const std::string text = collectives_text(sample_record());
  EXPECT_THAT(text, HasSubstr("median      p95  algbw GB/s  busbw GB/s  wrong"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "all_reduce      4  shared_window  1000000  f32   yes       no        1.00 ms  1.20 ms"));
}

TEST(ScalingTables, ValuesThatWereNotCheckedAreNotCalledRight) {
  RunRecord record = sample_record();
  record.collectives.resize(1);
  record.collectives[0].wrong.reset();
  EXPECT_TRUE(collectives_text(record).ends_with(" -\n")) << collectives_text(record);
}

TEST(ScalingTables, CompressionShowsItsError) {
  EXPECT_THAT(scaling_text(sample_record()), Not(HasSubstr("compressed gradients")));
  RunRecord record = sample_record();
  record.scaling[0].points[1].compression_relative_error = 0.00166;
  EXPECT_THAT(scaling_text(record),
              HasSubstr("compressed gradients at 2 ranks: relative error 1.66e-03"));
}

TEST(ScalingTables, CapsThatGiveTheSameBucketsHaveNoBest) {
  RunRecord record = sample_record();
  for (auto& cap : record.scaling[0].buckets->caps) {
    cap.buckets = 2;
    cap.measured_step_time_s.reset();
  }
  record.scaling[0].buckets->best_measured_mib.reset();
  record.scaling[0].buckets->best_modelled_mib.reset();
  EXPECT_THAT(scaling_text(record), HasSubstr("all caps give the same buckets"));
  record.scaling[0].buckets->caps[0].buckets = 3;
  record.scaling[0].buckets->best_modelled_mib = 25.0;
  EXPECT_THAT(scaling_text(record), HasSubstr("best cap: 25.0 MiB by the model\n"));
  record.scaling[0].buckets->best_modelled_mib.reset();
  EXPECT_THAT(scaling_text(record), HasSubstr("best cap: by the model none beyond 1.0 %\n"));
}

TEST(ScalingTables, NothingMeasuredIsNothingShown) {
  EXPECT_EQ(scaling_text(RunRecord{}), "");
  EXPECT_EQ(collectives_text(RunRecord{}), "");
}

}  // namespace
}  // namespace dlbench::reports
