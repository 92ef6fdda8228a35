// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded streams through the code that measures, into the report's JSON.
#include "harness/trials/probe_set.h"

#include "probes/gpu_recording.h"
#include "probes/gpu_summary.h"
#include "reports/json_writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace dlbench::harness {
namespace {

using nlohmann::json;

reports::TrialRecord trial_of_two_repetitions() {
  reports::TrialRecord trial;
  trial.kind = reports::TrialKind::kSynthetic;
  trial.variant = "device";
  trial.batch_size_per_rank = 4;
  trial.repetitions = {{.index = 0, .steps = 100, .samples = 400},
                       {.index = 1, .discarded = "disturbed", .steps = 50, .samples = 200}};
  return trial;
}

json report_of(const probes::ProbeValues& values) {
  reports::RunRecord record;
  record.trials.push_back(trial_of_two_repetitions());
  record.trials[0].probes["nvml"] = probe_record(values, record.trials[0]);
  return json::parse(reports::to_json(record)).at("trials").at(0).at("probes").at("nvml");
}

// Two windows: 2 s at 300 W and 1 s at 600 W, limit 800 W, 600 samples.
TEST(ProbeRecord, ARecordedNvmlStreamBecomesTheReportsValues) {
  const probes::GpuRecording recording =
      probes::read_gpu_recording(DLBENCH_TEST_DATA "/recorded/nvml_synthetic.json");
  const json nvml = report_of(
      {true, "", probes::gpu_values(recording.gpu, recording.of_trial("synthetic/device"))});
  EXPECT_EQ(nvml.at("available"), true);
  EXPECT_DOUBLE_EQ(nvml.at("energy_joules"), 1200.0);
  EXPECT_DOUBLE_EQ(nvml.at("energy_integrated_joules"), 1200.0);
  EXPECT_DOUBLE_EQ(nvml.at("joules_per_sample"), 2.0);
  EXPECT_DOUBLE_EQ(nvml.at("power_mean_watt"), 400.0);
  EXPECT_DOUBLE_EQ(nvml.at("power_average_watt"), 390.0);
  EXPECT_DOUBLE_EQ(nvml.at("power_max_watt"), 600.0);
  EXPECT_DOUBLE_EQ(nvml.at("power_share_of_limit"), 0.5);
  EXPECT_DOUBLE_EQ(nvml.at("busy_share"), 0.9);
  EXPECT_DOUBLE_EQ(nvml.at("memory_used_max_bytes"), 8000000004.0);
  EXPECT_DOUBLE_EQ(nvml.at("sm_clock_min_mhz"), 1400.0);
  EXPECT_DOUBLE_EQ(nvml.at("sm_clock_limit_mhz"), 1980.0);
  EXPECT_DOUBLE_EQ(nvml.at("pcie_received_bytes"), 6e6);
  EXPECT_DOUBLE_EQ(nvml.at("power_cap_share"), 0.5);
  EXPECT_DOUBLE_EQ(nvml.at("throttled_share"), 0.125);
  EXPECT_DOUBLE_EQ(nvml.at("hardware_thermal_share"), 0.125);
  EXPECT_DOUBLE_EQ(nvml.at("xid_events"), 0.0);
  EXPECT_DOUBLE_EQ(nvml.at("ecc_corrected_events"), 1.0);
  EXPECT_DOUBLE_EQ(nvml.at("samples"), 8.0);
  EXPECT_DOUBLE_EQ(nvml.at("monitor_cpu_share"), 0.001);
  EXPECT_TRUE(nvml.at("memory_temperature_max_celsius").is_null());
  EXPECT_EQ(nvml.at("memory_temperature_max_celsius_reason"),
            "the device or its driver does not tell");
}

TEST(ProbeRecord, WithoutEnergyThereAreNoJoulesPerSample) {
  const json nvml = report_of({true, "", probes::gpu_values({}, {})});
  EXPECT_TRUE(nvml.at("joules_per_sample").is_null());
  EXPECT_EQ(nvml.at("energy_joules_reason"), "no window of this trial");
}

TEST(ProbeSet, LeavesProbesOfOtherDevicesClosed) {
  const ProbeSet probes({.kind = "cpu"});
  reports::RunRecord record;
  probes.collect(record);
  const json nvml = json::parse(reports::to_json(record)).at("probes").at("nvml");
  EXPECT_EQ(nvml.at("available"), false);
  EXPECT_EQ(nvml.at("reason"), "this run computes on cpu, the probe watches cuda");
}

}  // namespace
}  // namespace dlbench::harness
