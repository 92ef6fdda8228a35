// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Counter sets and refusals by CUPTI's host interface: no GPU is needed, the chips are in its
// tables.
#include "probes/cupti/metric_set.h"

#include "probes/cupti/activity_records.h"
#include "probes/cupti/cupti_status.h"

#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace dlbench::probes {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MetricSet : public testing::TestWithParam<const char*> {};

TEST_P(MetricSet, NeedsOnePassOverARangeAndForSampling) {
  ASSERT_THAT(known_chips(), Contains(GetParam()));
  const MetricPlan range(GetParam(), CounterUse::kRange, range_metrics());
  EXPECT_EQ(range.reason(), "");
  EXPECT_EQ(range.passes(), 1U);
  EXPECT_THAT(range.missing(), IsEmpty());
  EXPECT_FALSE(range.config().empty());
  const MetricPlan sampling(GetParam(), CounterUse::kSampling, sampling_metrics());
  EXPECT_EQ(sampling.reason(), "");
  EXPECT_EQ(sampling.passes(), 1U);
  EXPECT_THAT(sampling.missing(), IsEmpty());
}

// A100, H100 and H200, L40S and RTX 4090, B200.
INSTANTIATE_TEST_SUITE_P(Chips, MetricSet, testing::Values("GA100", "GH100", "AD102", "GB100"));

TEST(MetricPlan, LeavesOutWhatAChipLacksAndRefusesSeveralPasses) {
  const std::vector<Metric> one_unknown{{"dram__bytes_read.sum", "read", "B"},
                                        {"no__such_counter.sum", "nothing", ""}};
  const MetricPlan plan("GH100", CounterUse::kRange, one_unknown);
  EXPECT_EQ(plan.reason(), "");
  EXPECT_THAT(plan.missing(), ElementsAre("no__such_counter.sum"));
  EXPECT_EQ(plan.metrics().size(), 1U);
  const std::vector<Metric> heavy{
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "throughput", ""}};
  EXPECT_THAT(MetricPlan("GH100", CounterUse::kRange, heavy).reason(), HasSubstr("passes"));
  EXPECT_THAT(MetricPlan("XX999", CounterUse::kRange, range_metrics()).reason(),
              HasSubstr("XX999"));
}

TEST(CuptiRefusal, SaysWhatAnAdministratorMustSetAndWhoOwnsTheProfiler) {
  EXPECT_THAT(cupti_refusal("cuptiRangeProfilerEnable", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
              HasSubstr("'options nvidia NVreg_RestrictProfilingToAdminUsers=0'"));
  EXPECT_THAT(cupti_refusal("cuptiActivityEnable", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
              HasSubstr("another tool owns the profiler"));
  EXPECT_EQ(cupti_refusal("cuptiActivityEnable", CUPTI_ERROR_INVALID_KIND),
            "cuptiActivityEnable: CUPTI_ERROR_INVALID_KIND (CUPTI error 21)");
}

}  // namespace
}  // namespace dlbench::probes
