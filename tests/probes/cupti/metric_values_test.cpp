// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/metric_set.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace dlbench::probes {
namespace {

// The fake CUPTI counts 50 of everything.
TEST(MetricValues, AreInOurUnits) {
  const MetricPlan plan("GH100", CounterUse::kRange, range_metrics());
  ASSERT_EQ(plan.reason(), "");
  const std::vector<double> values = plan.evaluate({}, 0);
  ASSERT_EQ(values.size(), 6U) << "of one value the first of two counters";
  for (std::size_t index = 0; index < values.size(); ++index) {
    const Metric& metric = plan.metrics()[index];
    const double wanted = metric.unit.empty() ? 0.5 : metric.unit == "s" ? 50e-9 : 50.0;
    EXPECT_DOUBLE_EQ(values[index], wanted) << metric.value;
  }
}

}  // namespace
}  // namespace dlbench::probes
