// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/proc.h"

#include "probes/registry.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::probes {
namespace {

TEST(ProcProbe, GivesEachNumberItsName) {
  Disturbance seen;
  seen.user_cpu_s = 1.0;
  seen.system_cpu_s = 2.0;
  seen.voluntary_context_switches = 3;
  seen.involuntary_context_switches = 4;
  seen.minor_faults = 5;
  seen.major_faults = 6;
  seen.read_bytes = 7;
  seen.steal_s = 8.0;
  const std::map<std::string, double> expected{{"user_cpu_seconds", 1},
                                               {"system_cpu_seconds", 2},
                                               {"voluntary_context_switches", 3},
                                               {"involuntary_context_switches", 4},
                                               {"minor_page_faults", 5},
                                               {"major_page_faults", 6},
                                               {"read_bytes", 7},
                                               {"steal_seconds", 8}};
  const auto probe = make_probe("proc");
  const std::vector<std::optional<double>> values = proc_values(seen);
  ASSERT_EQ(values.size(), probe->spec().values.size());
  std::map<std::string, double> named;
  for (std::size_t index = 0; index < values.size(); ++index) {
    named[probe->spec().values[index].name] = values[index].value();
  }
  EXPECT_EQ(named, expected);
}

TEST(ProcProbe, WhatTheSystemDoesNotTellHasNoNumber) {
  const std::vector<std::optional<double>> values = proc_values({});
  EXPECT_EQ(std::ranges::count(values, std::optional<double>()), 2) << "bytes read and steal time";
}

TEST(ProcProbe, AddsUpTheWindowsOfATrialAndKeepsTrialsApart) {
  const auto probe = make_probe("proc");
  ASSERT_EQ(open_probe(*probe, {}), "");
  // A sleep is at least one voluntary context switch.
  const auto window = [&](const char* trial, int sleeps) {
    probe->begin_trial(trial);
    for (int sleep = 0; sleep < sleeps; ++sleep) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    probe->end_trial();
  };
  const auto switches = [&](const char* trial) {
    const ProbeValues values = probe->collect(trial);
    const auto found = std::find_if(values.values.begin(), values.values.end(), [](const auto& v) {
      return v.name == "voluntary_context_switches";
    });
    return found->value;
  };
  window("full", 20);
  window("io", 1);
  const auto once = switches("full");
  window("full", 20);
  ASSERT_TRUE(once.has_value());
  EXPECT_GE(*once, 20);
  EXPECT_GE(*switches("full"), *once + 20);
  EXPECT_LT(*switches("io"), 20);
  EXPECT_FALSE(switches("never").has_value());
}

}  // namespace
}  // namespace dlbench::probes
