// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "workloads/metrics.h"

#include "engine/core/check.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace dlbench::workloads {
namespace {

TEST(Metrics, SegmentationRatiosOfCounts) {
  const std::array<double, 4> counts{30, 10, 20, 40};
  const auto metrics = metrics_of_counts(MetricKind::kSegmentation, counts);
  EXPECT_DOUBLE_EQ(metrics.at("dice"), 60.0 / 90.0);
  EXPECT_DOUBLE_EQ(metrics.at("iou"), 0.5);
  EXPECT_DOUBLE_EQ(metrics.at("precision"), 0.75);
  EXPECT_DOUBLE_EQ(metrics.at("recall"), 0.6);
}

TEST(Metrics, ARatioOfNothingIsNotANumberAndHasAReason) {
  const std::array<double, 4> no_prediction{0, 0, 5, 95};
  const auto metrics = metrics_of_counts(MetricKind::kSegmentation, no_prediction);
  EXPECT_TRUE(std::isnan(metrics.at("precision")));
  EXPECT_EQ(undefined_metric_reason("precision"), "0 / 0: nothing was predicted");
  EXPECT_EQ(metrics.at("recall"), 0.0);
  for (const auto& [name, value] :
       metrics_of_counts(MetricKind::kSegmentation, std::array<double, 4>{0, 0, 0, 9})) {
    EXPECT_TRUE(std::isnan(value)) << name;
    EXPECT_FALSE(undefined_metric_reason(name).empty());
  }
}

TEST(Metrics, Accuracy) {
  EXPECT_DOUBLE_EQ(
      metrics_of_counts(MetricKind::kClassification, std::array<double, 2>{17, 20}).at("accuracy"),
      0.85);
}

TEST(Metrics, AnotherNumberOfCountsIsAProgrammerError) {
  EXPECT_THROW((void)metrics_of_counts(MetricKind::kClassification, std::array<double, 4>{}),
               core::CheckFailure);
}

TEST(Metrics, NamesMatchWhatIsComputed) {
  for (const MetricKind kind : {MetricKind::kSegmentation, MetricKind::kClassification}) {
    const std::vector<double> counts(count_size(kind), 1.0);
    const auto metrics = metrics_of_counts(kind, counts);
    EXPECT_EQ(metrics.size(), metric_names(kind).size());
    for (const auto& name : metric_names(kind)) {
      EXPECT_TRUE(metrics.contains(name)) << name;
    }
  }
}

}  // namespace
}  // namespace dlbench::workloads
