// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/peak_rates.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace dlbench::reports {
namespace {

PeakRecord peak_of(const std::string& source,
                   double flop_per_s,
                   std::optional<double> bytes_per_s = std::nullopt) {
  PeakRecord peak;
  peak.precision = "fp32";
  peak.flop_per_s = flop_per_s;
  peak.memory_bytes_per_s = bytes_per_s;
  peak.source = source;
  return peak;
}

const std::vector<PeakRecord> kSheetFirst = {peak_of("datasheet", 200.0, 20.0),
                                             peak_of("measured", 100.0, 10.0)};
const std::vector<PeakRecord> kSheetLast = {kSheetFirst[1], kSheetFirst[0]};

TEST(PeakRates, MfuDividesByTheDataSheetWhereverItStands) {
  EXPECT_EQ(mfu_flop_per_s(kSheetFirst, "fp32"), 200.0);
  EXPECT_EQ(mfu_flop_per_s(kSheetLast, "fp32"), 200.0);
  EXPECT_EQ(mfu_flop_per_s({kSheetLast[0]}, "fp32"), 100.0);
  EXPECT_FALSE(mfu_flop_per_s(kSheetFirst, "bf16").has_value());
}

TEST(PeakRates, WhatWasMeasuredIsNoDataSheet) {
  for (const std::vector<PeakRecord>& peaks : {kSheetFirst, kSheetLast}) {
    EXPECT_EQ(measured_flop_per_s(peaks, "fp32"), 100.0);
    EXPECT_EQ(measured_bytes_per_s(peaks), 10.0);
    EXPECT_EQ(peak_rates(peaks, "fp32")->flop_per_s, 100.0);
    EXPECT_EQ(peak_rates(peaks, "fp32")->bytes_per_s, 10.0);
  }
  EXPECT_FALSE(measured_flop_per_s({kSheetFirst[0]}, "fp32").has_value());
  EXPECT_FALSE(measured_flop_per_s(kSheetFirst, "bf16").has_value());
  EXPECT_FALSE(measured_bytes_per_s({kSheetFirst[0]}).has_value());
}

TEST(PeakRates, AreNothingUnlessBothAreKnown) {
  EXPECT_FALSE(peak_rates({peak_of("measured", 100.0)}, "fp32").has_value());
  EXPECT_FALSE(peak_rates(kSheetFirst, "bf16").has_value());
}

TEST(PeakRates, AnOperatorIsBoundByTheNearerPeakOrByNeither) {
  const PeakRates one{1.0, 1.0};
  EXPECT_EQ(bound_of(0.07, 0.06, one), Bound::kLatency);
  EXPECT_EQ(bound_of(0.1, 0.05, one), Bound::kCompute);
  EXPECT_EQ(bound_of(0.3, 0.4, one), Bound::kMemory);
  EXPECT_EQ(bound_of(0.4, 0.4, one), Bound::kCompute);
  EXPECT_EQ(bound_of(30.0, 4.0, {100.0, 10.0}), Bound::kMemory);
}

}  // namespace
}  // namespace dlbench::reports
