// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Counter sets and refusals by CUPTI's host interface: no GPU is needed, the chips are in its
// tables.
#include "probes/cupti/metric_set.h"

#include "probes/cupti/counter_support.h"
#include "probes/cupti/cupti_clock.h"
#include "probes/cupti/cupti_library.h"
#include "probes/cupti/cupti_status.h"
#include "probes/cupti/pm_sampler.h"

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
  EXPECT_FALSE(sampling.config().empty());
  EXPECT_FALSE(std::equal(range.config().begin(),
                          range.config().end(),
                          sampling.config().begin(),
                          sampling.config().end()))
      << "a range's configuration is no sampler's";
}

// A100, H100 and H200, L40S and RTX 4090, B200, RTX 5090 and its smaller ones.
INSTANTIATE_TEST_SUITE_P(
    Chips,
    MetricSet,
    testing::Values(
        "GA100", "GH100", "AD102", "GB100", "GB202", "GB203", "GB205", "GB206", "GB207"),
    [](const auto& test) { return std::string(test.param); });

// By a counter's own description, which the probes never ask for.
TEST_P(MetricSet, HasNoCounterThatCuptiCallsDeprecated) {
  void* const cupti = dlopen((opened_cupti().folder / "libcupti.so.13").c_str(), RTLD_NOW);
  ASSERT_NE(cupti, nullptr);
  const auto properties = reinterpret_cast<decltype(&cuptiProfilerHostGetMetricProperties)>(
      dlsym(cupti, "cuptiProfilerHostGetMetricProperties"));
  ASSERT_NE(properties, nullptr);
  static_cast<void>(start_profiler());
  for (const CounterUse use : {CounterUse::kRange, CounterUse::kSampling}) {
    CUpti_Profiler_Host_Initialize_Params host{CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
    host.profilerType = use == CounterUse::kRange ? CUPTI_PROFILER_TYPE_RANGE_PROFILER
                                                  : CUPTI_PROFILER_TYPE_PM_SAMPLING;
    host.pChipName = GetParam();
    ASSERT_EQ(cuptiProfilerHostInitialize(&host), CUPTI_SUCCESS);
    const auto description = [&](const std::string& counter) -> std::string {
      CUpti_Profiler_Host_GetMetricProperties_Params metric{
          CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE};
      metric.pHostObject = host.pHostObject;
      metric.pMetricName = counter.c_str();
      return properties(&metric) == CUPTI_SUCCESS ? metric.pDescription : "";
    };
    const MetricPlan plan(
        GetParam(), use, use == CounterUse::kRange ? range_metrics() : sampling_metrics());
    for (const Metric& metric : plan.metrics()) {
      EXPECT_NE(description(metric.counter), "") << metric.counter;
      EXPECT_THAT(description(metric.counter), Not(HasSubstr("DEPRECATED"))) << metric.counter;
    }
    if (GetParam() == std::string("AD102")) {  // so that this can fail
      EXPECT_THAT(description("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"),
                  HasSubstr("DEPRECATED"));
    }
    CUpti_Profiler_Host_Deinitialize_Params end{
        CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
    end.pHostObject = host.pHostObject;
    EXPECT_EQ(cuptiProfilerHostDeinitialize(&end), CUPTI_SUCCESS);
  }
}

TEST(MetricPlan, LeavesOutWhatAChipLacksAndRefusesSeveralPasses) {
  const std::vector<Metric> one_unknown{{"dram__bytes_read.sum", "read", "B"},
                                        {"no__such_counter.sum", "nothing", ""}};
  const MetricPlan plan("GH100", CounterUse::kRange, one_unknown);
  EXPECT_EQ(plan.reason(), "");
  EXPECT_THAT(plan.missing(), ElementsAre("no__such_counter.sum"));
  EXPECT_EQ(plan.metrics().size(), 1U);
  const std::vector<Metric> heavy{
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "throughput", ""}};
  EXPECT_THAT(MetricPlan("GH100", CounterUse::kRange, heavy).reason(), HasSubstr("one pass"));
  EXPECT_THAT(MetricPlan("XX999", CounterUse::kRange, range_metrics()).reason(),
              HasSubstr("XX999"));
}

std::vector<std::string> values_of(const MetricPlan& plan) {
  std::vector<std::string> values;
  for (const Metric& metric : plan.metrics()) {
    values.push_back(metric.value);
  }
  return values;
}

TEST(MetricPlan, LeavesOutWhatWouldNeedAnotherPassAndKeepsTheRest) {
  const std::vector<Metric> mixed{
      {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "active", ""},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "throughput", ""},
      {"dram__bytes_read.sum", "read", "B"}};
  const MetricPlan plan("GH100", CounterUse::kRange, mixed);
  EXPECT_EQ(plan.reason(), "");
  EXPECT_EQ(plan.passes(), 1U);
  EXPECT_THAT(values_of(plan), ElementsAre("active", "read"));
  EXPECT_THAT(plan.missing(), ElementsAre("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
}

TEST(MetricPlan, TakesTheFirstOfSeveralCountersOfOneValue) {
  const std::vector<Metric> choice{
      {"no__such_counter.sum", "bytes", "B"},
      {"dram__bytes_read.sum", "bytes", "B"},
      {"dram__bytes_write.sum", "bytes", "B"},
  };
  const MetricPlan plan("GH100", CounterUse::kRange, choice);
  EXPECT_THAT(plan.counter_names(), ElementsAre(testing::StrEq("dram__bytes_read.sum")));
  EXPECT_THAT(plan.missing(), IsEmpty());
}

// Where Turing has tensor pipes they have a counter of their own: neither "_realtime" nor, in one
// pass, the plain one fits.
TEST(MetricPlan, SamplesOnTuringWhatTuringCounts) {
  const std::string own =
      "sm__pipe_shared_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed";
  for (const char* chip : {"TU102", "TU104", "TU106"}) {
    const MetricPlan plan(chip, CounterUse::kSampling, sampling_metrics());
    EXPECT_EQ(plan.reason(), "") << chip;
    EXPECT_EQ(plan.passes(), 1U) << chip;
    EXPECT_THAT(values_of(plan),
                testing::UnorderedElementsAre("sm_active_share",
                                              "dram_read_bytes_per_s",
                                              "dram_written_bytes_per_s",
                                              "tensor_active_share",
                                              "warps_active_share"));
    EXPECT_THAT(plan.counter_names(), Contains(testing::StrEq(own))) << chip;
    EXPECT_THAT(plan.missing(), IsEmpty()) << chip;
  }
  // Others have that counter and are asked by theirs; without tensor pipes it is of others.
  for (const char* chip : {"TU116", "TU117", "GA100"}) {
    const MetricPlan plan(chip, CounterUse::kSampling, sampling_metrics());
    EXPECT_THAT(values_of(plan), Contains("tensor_active_share")) << chip;
    EXPECT_THAT(plan.counter_names(), Not(Contains(testing::StrEq(own)))) << chip;
  }
  const std::vector<Metric> for_another{{"dram__bytes_read.sum", "read", "B", 1.0, {"TU102"}},
                                        {"dram__bytes_write.sum", "written", "B"}};
  const MetricPlan plan("GH100", CounterUse::kRange, for_another);
  EXPECT_THAT(values_of(plan), ElementsAre("written"));
  EXPECT_THAT(plan.missing(), IsEmpty());
}

TEST(MetricPlan, SamplesTensorPipesAndWarpsByTheCountersListedForIt) {
  for (const char* chip : {"GA100", "GA102", "AD102", "GH100", "GB100"}) {
    const MetricPlan plan(chip, CounterUse::kSampling, sampling_metrics());
    EXPECT_THAT(plan.missing(), IsEmpty()) << chip;
    EXPECT_EQ(std::ranges::count_if(plan.metrics(),
                                    [](const Metric& metric) {
                                      return metric.counter.find("_realtime") != std::string::npos;
                                    }),
              2)
        << chip;
  }
  const MetricPlan plan("GB202", CounterUse::kSampling, sampling_metrics());
  EXPECT_EQ(plan.passes(), 1U);
  EXPECT_THAT(values_of(plan), Contains("tensor_active_share"));
}

TEST(RangeMetrics, AreInTheUnitsThatTheyName) {
  std::map<std::string, std::string> value_of;
  for (const std::vector<Metric>* metrics : {&range_metrics(), &sampling_metrics()}) {
    for (const Metric& metric : *metrics) {
      value_of[metric.counter] = metric.value;
      const bool in_percent = metric.counter.find(".pct_of_peak") != std::string::npos;
      const bool in_ns = metric.counter.find("time_duration") != std::string::npos;
      EXPECT_EQ(metric.factor, in_percent ? 0.01 : in_ns ? 1e-9 : 1.0) << metric.counter;
      EXPECT_EQ(metric.value.ends_with("_share"), in_percent) << metric.counter;
    }
  }
  EXPECT_EQ(value_of.at("dram__bytes_read.sum"), "dram_read_bytes");
  EXPECT_EQ(value_of.at("dram__bytes_write.sum"), "dram_written_bytes");
  EXPECT_EQ(value_of.at("dram__bytes_read.sum.per_second"), "dram_read_bytes_per_s");
  EXPECT_EQ(value_of.at("dram__bytes_write.sum.per_second"), "dram_written_bytes_per_s");
  EXPECT_EQ(value_of.at("gpu__time_duration.sum"), "gpu_time_seconds");
}

TEST(Sampling, IsTriggeredByCyclesWhereTheClockCannot) {
  EXPECT_FALSE(samples_by_time("TU102"));
  EXPECT_FALSE(samples_by_time("GA100"));
  for (const char* chip : {"GA102", "AD102", "GH100", "GB100"}) {
    EXPECT_TRUE(samples_by_time(chip)) << chip;
    EXPECT_THAT(known_chips(), Contains(chip));
  }
}

TEST(Sampling, SaysWhatIsInTheWay) {
  const auto said = [](const std::string& chip, const CounterObstacles& obstacles) {
    return obstacle_text(chip, CounterUse::kSampling, obstacles);
  };
  EXPECT_EQ(said("GH100", {}), "");
  EXPECT_THAT(said("GV100", {.architecture = true}),
              AllOf(HasSubstr("GV100) cannot be sampled"), HasSubstr("7.5 (Turing)")));
  EXPECT_THAT(said("GH100", {.virtual_gpu = true}), HasSubstr("administrator"));
  EXPECT_THAT(said("GH100", {.confidential_computing = true}), HasSubstr("confidential"));
  EXPECT_THAT(obstacle_text("GP100", CounterUse::kRange, {.architecture = true}),
              AllOf(HasSubstr("GP100) cannot be read"), HasSubstr("7.0 (Volta)")));
}

// This thread has no context of CUDA, with or without a GPU in the machine.
TEST(Sampling, WithoutAComputingThreadItIsOneSentence) {
  PmSampler sampler;
  try {
    sampler.begin();
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUnavailable);
    EXPECT_STREQ(error.what(), "this thread computes on no GPU");
  }
}

TEST(CuptiRefusal, SaysWhatAnAdministratorMustSetAndWhoOwnsTheProfiler) {
  EXPECT_THAT(cupti_refusal("cuptiRangeProfilerEnable", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
              AllOf(HasSubstr("'options nvidia NVreg_RestrictProfilingToAdminUsers=0'"),
                    HasSubstr("CAP_SYS_ADMIN"),
                    HasSubstr("CAP_PERFMON")));
  EXPECT_THAT(cupti_refusal("cuptiActivityEnable", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
              HasSubstr("another tool owns the profiler"));
  const auto for_good = [](int status) {
    try {
      check_cupti(status, "cuptiRangeProfilerEnable", core::ErrorCode::kUnavailable);
    } catch (const core::Error& error) {
      return is_for_good(error);
    }
    return false;
  };
  EXPECT_TRUE(for_good(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES));
  EXPECT_FALSE(for_good(CUPTI_ERROR_HARDWARE_BUSY)) << "the other process may be done soon";
  EXPECT_EQ(cupti_refusal("cuptiActivityEnable", CUPTI_ERROR_INVALID_KIND),
            "cuptiActivityEnable: CUPTI_ERROR_INVALID_KIND (CUPTI error 21)");
}

// There is no module of the kernel to set, and root is as refused as anybody.
TEST(CuptiRefusal, BelowWindowsItNamesTheDriverThere) {
  EXPECT_THAT(
      privilege_refusal(true),
      AllOf(HasSubstr("NVIDIA Control Panel"), Not(HasSubstr("modprobe")), Not(HasSubstr("CAP_"))));
  EXPECT_TRUE(is_windows_subsystem("5.15.167.4-microsoft-standard-WSL2"));
  EXPECT_TRUE(is_windows_subsystem("4.4.0-19041-Microsoft"));
  EXPECT_FALSE(is_windows_subsystem("6.8.0-48-generic"));
  EXPECT_FALSE(is_windows_subsystem(""));
}

TEST(CuptiRefusal, CountersThatSomebodyHasAlreadyAreNamedAsSuch) {
  for (const CUptiResult taken :
       {CUPTI_ERROR_INVALID_OPERATION, CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED}) {
    for (const char* call : {"cuptiRangeProfilerEnable", "cuptiPmSamplingEnable"}) {
      EXPECT_THAT(counters_refusal(call, taken),
                  HasSubstr("another tool in this process reads this GPU's counters already"));
    }
  }
  EXPECT_THAT(counters_refusal("cuptiRangeProfilerEnable", CUPTI_ERROR_NOT_COMPATIBLE),
              HasSubstr("another tool owns the profiler"));
  EXPECT_THAT(counters_refusal("cuptiPmSamplingEnable", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
              HasSubstr("CAP_PERFMON"));
  EXPECT_EQ(cupti_refusal("cuptiRangeProfilerStart", CUPTI_ERROR_INVALID_OPERATION),
            "cuptiRangeProfilerStart: CUPTI_ERROR_INVALID_OPERATION (CUPTI error 7)");
}

TEST(CuptiRefusal, AProfilerThatDidNotStartIsNamedWithWhatFailedLater) {
  const auto refused = [] {
    throw core::Error(core::ErrorCode::kUnavailable, "counters are refused");
  };
  const auto said = [&](int started) {
    try {
      with_start(started, refused);
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kUnavailable);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said(CUPTI_SUCCESS), "counters are refused");
  EXPECT_EQ(said(CUPTI_ERROR_UNKNOWN),
            "counters are refused; before, cuptiProfilerInitialize: CUPTI_ERROR_UNKNOWN (CUPTI "
            "error 999)");
  with_start(CUPTI_ERROR_UNKNOWN, [] {});
}

TEST(CuptiRefusal, AnOlderCuptiThanThatOfTheBuildIsRefused) {
  std::uint32_t linked = 0;
  ASSERT_EQ(cuptiGetVersion(&linked), CUPTI_SUCCESS);
  EXPECT_EQ(cupti_version_refusal(linked, CUPTI_API_VERSION), "");
  EXPECT_EQ(cupti_version_refusal(130102, 130101), "");
  EXPECT_EQ(cupti_version_refusal(130101, 130101), "");
  EXPECT_EQ(cupti_version_refusal(130100, 130101),
            "CUPTI 13.1.0 was loaded, this build needs CUPTI 13.1.1 or newer");
  EXPECT_EQ(cupti_version_refusal(130000, 130000),
            "CUPTI 13.0.0 was loaded, this build needs CUPTI 13.0.1 or newer")
      << "also of a build with its headers";
}

TEST(CuptiClock, IsTheDates) {
  using std::chrono::nanoseconds;
  using std::chrono::system_clock;
  const auto date_ns = [] {
    return std::chrono::duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  };
  const std::int64_t before_ns = date_ns();
  const ClockReading reading = read_cupti_clock();
  EXPECT_GE(reading.profiler_ns, before_ns);
  EXPECT_LE(reading.profiler_ns, date_ns());
}

}  // namespace
}  // namespace dlbench::probes
