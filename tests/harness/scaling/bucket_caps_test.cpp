// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// tests/integration/ranks_test.py measures caps.
#include "harness/scaling/bucket_caps.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace dlbench::harness {
namespace {

reports::BucketSweepRecord sweep_of(std::optional<double> modelled_s,
                                    std::optional<double> measured_s) {
  reports::BucketSweepRecord sweep{.ranks = 2};
  sweep.caps.push_back({.bucket_cap_mib = 25.0, .buckets = 3, .modelled_step_time_s = modelled_s});
  if (measured_s.has_value()) {
    sweep.caps[0].measured_step_time_s = reports::EstimateRecord{*measured_s, std::nullopt};
  }
  return sweep;
}

TEST(BucketCaps, WhatIsModelledStaysWhileCapsAreMeasured) {
  std::vector<reports::ScalingRecord> series(1);
  series[0].buckets = sweep_of(0.22, std::nullopt);
  series[0].buckets->best_modelled_mib = 25.0;
  for (const std::optional<double> measured_s : {std::optional<double>(), std::optional(0.3)}) {
    keep_sweeps({sweep_of(std::nullopt, measured_s)}, series);
    const reports::BucketSweepRecord& kept = *series[0].buckets;
    EXPECT_EQ(kept.caps[0].modelled_step_time_s, 0.22);
    EXPECT_EQ(kept.best_modelled_mib, 25.0);
    EXPECT_EQ(kept.caps[0].measured_step_time_s.has_value(), measured_s.has_value());
  }
}

}  // namespace
}  // namespace dlbench::harness
