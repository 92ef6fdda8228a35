// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/gpu_tables.h"

#include "reports/text/show.h"
#include "reports/value.h"
#include "tests/reports/sample_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace dlbench::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ValueMap kernel(const char* name, const char* op, double total_s) {
  return {{"name", name},
          {"op", op},
          {"phase", "forward"},
          {"calls", 10},
          {"total_s", total_s},
          {"share", total_s}};
}

ValueMap sensors() {
  return {{"available", true},
          {"power_mean_watt", 350.4},
          {"power_share_of_limit", 0.5},
          {"joules_per_sample", 5.581},
          {"sm_clock_mean_mhz", 1755},
          {"temperature_max_celsius", 62.0},
          {"memory_used_max_bytes", 3221225472.0},
          {"throttled_share", 0.025},
          {"power_cap_share", 1.0},
          {"hardware_slowdown_share", 0.0},
          {"hardware_thermal_share", 0.025}};
}

ValueMap activity(ValueList kernels) {
  return {{"available", true},
          {"busy_share", 0.9},
          {"idle",
           ValueMap{{"waiting_for_data_share", 0.05},
                    {"launch_share", 0.03},
                    {"synchronization_share", 0.0},
                    {"queued_share", 0.02}}},
          {"copy_share", 0.1},
          {"copy_beside_compute_share", 0.08},
          {"collective_share", 0.2},
          {"collective_beside_compute_share", 0.15},
          {"dropped_records", 3},
          {"kernels", std::move(kernels)}};
}

TrialRecord trial_of(TrialKind kind, ValueMap probes) {
  TrialRecord trial;
  trial.kind = kind;
  trial.probes = std::move(probes);
  return trial;
}

RunRecord record_of(std::vector<TrialRecord> trials) {
  RunRecord record;
  record.trials = std::move(trials);
  return record;
}

TEST(GpuTables, SensorsAreALineForEachTrial) {
  const RunRecord record =
      record_of({trial_of(TrialKind::kIo, {{"nvml", ValueMap{{"available", true}}}}),
                 trial_of(TrialKind::kFull, {{"nvml", sensors()}})});
  EXPECT_EQ(
      gpu_text(record),
      "\nGPU\n"
      "  trial  mean power  of limit  J/sample  mean SM clock  hottest  most memory  throttled"
      "  clocks held back by\n"
      "  full        350 W    50.0 %      5.58       1755 MHz     62 C     3.00 GiB      2.5 %"
      "  power_cap 100.0 %, hardware_thermal 2.5 %\n");
}

TEST(GpuTables, SensorsOfATrainingAreALineOfTheirOwn) {
  RunRecord record;
  record.probes = {{"nvml", sensors()}};
  EXPECT_EQ(gpu_text(record), "") << "nothing was trained";
  record.history.emplace_back();
  EXPECT_THAT(gpu_text(record), HasSubstr("  training       350 W    50.0 %      5.58"));
}

TEST(GpuTables, WhatTheDeviceDidAddsUp) {
  const RunRecord record = record_of({trial_of(TrialKind::kFull, {{"cupti", activity({})}})});
  EXPECT_EQ(gpu_text(record),
            "\nWhat the GPU did, shares of recorded time (hidden: of copies and of NCCL's kernels, "
            "beside the network's)\n"
            "  trial    busy  idle: data  launch  synchronization  queued  copies  hidden    NCCL"
            "  hidden  dropped\n"
            "  full   90.0 %       5.0 %   3.0 %            0.0 %   2.0 %  10.0 %  80.0 %  20.0 %"
            "  75.0 %        3\n");
  EXPECT_EQ(kernels_text(record), "") << "none was recorded";
}

ValueMap counted(double tensor_share) {
  return {{"available", true},
          {"sm_active_share", 0.75},
          {"warps_active_share", 0.25},
          {"tensor_active_share", tensor_share},
          {"dram_read_bytes_per_step", 2147483648.0},
          {"dram_written_bytes_per_step", 1073741824.0},
          {"dram_share_of_measured_copy", 0.4}};
}

ValueMap sampled(double tensor_share) {
  return {{"available", true},
          {"counters",
           ValueMap{
               {"tensor_active_share", ValueMap{{"n", 5}, {"mean", tensor_share}, {"max", 1.0}}}}}};
}

TEST(GpuTables, CountersAreALineForEachTrial) {
  ValueMap uncounted = counted(0.0);
  uncounted["tensor_active_share"] = Value();
  const RunRecord record =
      record_of({trial_of(TrialKind::kIo, {{"cupti_counters", ValueMap{{"available", false}}}}),
                 trial_of(TrialKind::kSynthetic,
                          {{"cupti_counters", uncounted}, {"cupti_sampling", sampled(0.125)}}),
                 trial_of(TrialKind::kFull,
                          {{"cupti_counters", counted(0.5)},
                           {"cupti_sampling", sampled(0.125)},
                           {"nvml_pcie",
                            ValueMap{{"available", true},
                                     {"received_bytes_per_step", 6291456.0},
                                     {"sent_bytes_per_step", 1024.0}}}})});
  EXPECT_EQ(gpu_text(record),
            "\nWhat the GPU counted, shares of its cycles and bytes of a step, in repetitions of "
            "their own\n"
            "  trial      SMs active   warps  tensor pipes  memory read   written  of a copy's rate"
            "  PCIe received      sent\n"
            "  synthetic      75.0 %  25.0 %        12.5 %     2.00 GiB  1.00 GiB            40.0 %"
            "              -         -\n"
            "  full           75.0 %  25.0 %        50.0 %     2.00 GiB  1.00 GiB            40.0 %"
            "       6.00 MiB  1.00 KiB\n");
}

TEST(GpuTables, OfSeveralRanksTheyAreOfTheFirst) {
  RunRecord record = record_of({trial_of(
      TrialKind::kFull, {{"nvml", sensors()}, {"cupti", activity({kernel("gemm", "fc1", 0.1)})}})});
  record.trials[0].ranks = 2;
  EXPECT_THAT(gpu_text(record), HasSubstr("\nGPU of rank 0\n"));
  EXPECT_THAT(gpu_text(record), HasSubstr("\nWhat the GPU of rank 0 did, shares"));
  EXPECT_THAT(kernels_text(record), HasSubstr("\nKernels of full on rank 0\n"));
}

TEST(GpuTables, KernelsAreTheLongestOfTheFullTrial) {
  TrialRecord step =
      trial_of(TrialKind::kSynthetic, {{"cupti", activity({kernel("of the step", "fc1", 0.5)})}});
  const RunRecord record =
      record_of({step,
                 trial_of(TrialKind::kFull,
                          {{"cupti",
                            activity({kernel("short", "loss", 0.001),
                                      kernel("gemm<float>", "fc1/linear_backward_data", 0.6),
                                      kernel("dgrad", "conv2", 0.3),
                                      kernel("shorter", "loss", 0.0005)})}}),
                 step});
  EXPECT_EQ(kernels_text(record, 2),
            "\nKernels of full\n"
            "  op                        phase    calls  per call   share  kernel\n"
            "  fc1/linear_backward_data  forward     10   60.0 ms  60.0 %  gemm<float>\n"
            "  conv2                     forward     10   30.0 ms  30.0 %  dgrad\n"
            "  and 2 more: 1.50 ms in all\n");
  EXPECT_THAT(kernels_text(record_of({step})), HasSubstr("Kernels of synthetic\n"));
  step.kind = TrialKind::kIo;
  EXPECT_EQ(kernels_text(record_of({step})), "") << "it trains nothing";
}

TEST(GpuTables, NamesOfKernelsAreCutAndStayOnTheirLine) {
  const auto text_of_name = [](const std::string& name) {
    return kernels_text(record_of(
        {trial_of(TrialKind::kFull, {{"cupti", activity({kernel(name.c_str(), "fc", 0.1)})}})}));
  };
  const std::string sixty(60, 'k');
  EXPECT_TRUE(text_of_name(sixty).ends_with("  " + sixty + "\n"));
  EXPECT_TRUE(text_of_name(sixty + "k").ends_with("  " + std::string(57, 'k') + "...\n"));
  EXPECT_THAT(text_of_name("a\nb\x1b[31m"), HasSubstr("  a\\nb\\x1b[31m\n"));
  std::string umlauts;
  for (int index = 0; index < 61; ++index) {
    umlauts += "\u00fc";
  }
  EXPECT_TRUE(text_of_name(umlauts).ends_with("  " + umlauts.substr(0, 114) + "...\n"));
}

TEST(GpuTables, WhatIsMissingOrOfAnotherTypeIsADash) {
  const RunRecord record = record_of({trial_of(
      TrialKind::kFull,
      {{"nvml",
        ValueMap{{"available", true},
                 {"power_mean_watt", 250},
                 {"power_share_of_limit", Value()},
                 {"joules_per_sample", "much"},
                 {"power_cap_share", 0.0}}},
       {"cupti",
        ValueMap{{"available", true},
                 {"busy_share", 1},
                 {"idle", 0.5},
                 {"copy_share", 0.0},
                 {"copy_beside_compute_share", 0.0},
                 {"dropped_records", "none"},
                 {"kernels", ValueList{"gemm", Value(), ValueMap{{"calls", 0}, {"name", 7}}}}}}})});
  const std::string text = gpu_text(record);
  EXPECT_THAT(text,
              HasSubstr("  full        250 W         -         -              -        -"
                        "            -          -  nothing\n"));
  EXPECT_THAT(text,
              HasSubstr("  full   100.0 %           -       -                -       -   0.0 %"
                        "       -     -       -        -\n"));
  EXPECT_THAT(kernels_text(record), HasSubstr("  -   -          0         -      -  -\n"));
}

TEST(GpuTables, WithoutValuesThereIsNone) {
  const ValueMap absent{{"available", false}, {"reason", "no driver"}, {"busy_share", 0.5}};
  for (const Value& probe : {Value(absent), Value(), Value("on"), Value(ValueMap{})}) {
    const RunRecord record =
        record_of({trial_of(TrialKind::kFull, {{"nvml", probe}, {"cupti", probe}})});
    EXPECT_EQ(gpu_text(record) + kernels_text(record), "") << text_of(probe);
  }
  EXPECT_EQ(gpu_text(RunRecord{}) + kernels_text(RunRecord{}), "");
  EXPECT_EQ(gpu_text(sample_record()) + kernels_text(sample_record()), "");
}

TEST(GpuTables, AreAmongThoseOfTheReport) {
  RunRecord record = sample_record();
  record.system.hosts.clear();  // which have one
  EXPECT_THAT(tables_text(record), Not(HasSubstr("GPU")));
  record.trials[2].probes = {{"nvml", sensors()},
                             {"cupti", activity({kernel("gemm", "fc1", 0.1)})}};
  const std::string text = tables_text(record);
  EXPECT_THAT(text, HasSubstr(gpu_text(record)));
  EXPECT_THAT(text, HasSubstr(kernels_text(record)));
}

}  // namespace
}  // namespace dlbench::reports
