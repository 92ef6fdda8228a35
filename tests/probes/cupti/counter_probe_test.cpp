// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The probe cupti_counters: from what was counted to the values of the report.
#include "engine/core/plugin_part.h"
#include "probes/probe.h"
#include "probes/registry.h"
#include "tests/probes/cupti/fake_cupti.h"
#include "tests/probes/cupti/fake_range_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace dlbench::probes {
namespace {

using testing::HasSubstr;
using testing::Optional;

/// What the plug-in adds to the list of probes is added here, once.
std::unique_ptr<Probe> make_counters() {
  if (!std::ranges::count(probe_names(), "cupti_counters")) {
    core::PluginPart::add_all();
  }
  return make_probe("cupti_counters");
}

std::map<std::string, ProbeValue> counted(Probe& probe, double read_bytes) {
  FakeRangeCounters::instance() = {
      .metrics = {{"dram__bytes_read.sum", "dram_read_bytes", "B"},
                  {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "sm_active_share", ""}},
      .values = {read_bytes, 0.5}};
  probe.begin_trial("full");
  probe.begin_steps();
  const core::trace::RegionInfo step{core::trace::Category::kStep, "step", 0};
  for (int count = 0; count < 4; ++count) {
    probe.sink()->begin(step);
    probe.sink()->end(step);
  }
  probe.end_trial();
  const ProbeValues all = probe.collect("full");
  EXPECT_TRUE(all.available) << all.reason;
  std::map<std::string, ProbeValue> values;
  for (const ProbeValue& value : all.values) {
    values[value.name] = value;
  }
  return values;
}

TEST(CounterProbe, TellsSumsAndWhatIsOfAStep) {
  FakeCupti::instance() = {};
  const std::unique_ptr<Probe> probe = make_counters();
  ASSERT_EQ(open_probe(*probe, {}), "");
  auto values = counted(*probe, 1000.0);
  EXPECT_THAT(values["dram_read_bytes"].value, Optional(1000.0));
  EXPECT_THAT(values["dram_read_bytes_per_step"].value, Optional(250.0));
  EXPECT_THAT(values["sm_active_share"].value, Optional(0.5));
  EXPECT_EQ(values["dram_written_bytes"].value, std::nullopt);
  EXPECT_THAT(values["dram_written_bytes"].reason, HasSubstr("this GPU does not count"));
}

// Of units that slices of a GPU share (CUPTI's guide on MIG).
TEST(CounterProbe, WhatIsNoNumberIsNotToldAndSaidWhy) {
  FakeCupti::instance() = {};
  const std::unique_ptr<Probe> probe = make_counters();
  ASSERT_EQ(open_probe(*probe, {}), "");
  auto values = counted(*probe, std::numeric_limits<double>::quiet_NaN());
  for (const char* name : {"dram_read_bytes", "dram_read_bytes_per_step"}) {
    EXPECT_EQ(values[name].value, std::nullopt) << name;
    EXPECT_THAT(values[name].reason, HasSubstr("CUPTI gives no number of")) << name;
    EXPECT_THAT(values[name].reason, HasSubstr("(MIG)")) << name;
  }
  EXPECT_THAT(values["sm_active_share"].value, Optional(0.5));
  values = counted(*probe, 1000.0);
  EXPECT_THAT(values["dram_read_bytes"].value, Optional(1000.0)) << "the next window has one";
}

}  // namespace
}  // namespace dlbench::probes
