// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which devices support counting over a range, or sampling over time (PM sampling), and how.
#pragma once

#include "probes/cupti/metric_set.h"

#include <string>

namespace dlbench::probes {

/// The obstacles that CUPTI reports for a device. What it does not know of is none: reading the
/// counters will tell.
struct CounterObstacles {
  bool architecture = false;
  bool virtual_gpu = false;
  bool confidential_computing = false;
  bool linked_gpus = false;
  bool mining_card = false;
  bool windows_subsystem = false;
};

/// Returns those of the device of this thread's context; none if CUPTI cannot tell.
[[nodiscard]] CounterObstacles counter_obstacles(CounterUse use);

/// Returns one sentence on the obstacles; empty if there are none.
[[nodiscard]] std::string obstacle_text(const std::string& chip,
                                        CounterUse use,
                                        const CounterObstacles& obstacles);

/// Throws core::Error(kUnavailable) with that sentence if the device of this thread's context has
/// obstacles.
void refuse_obstacles(const std::string& chip, CounterUse use);

/// Whether samples can be triggered at an interval in nanoseconds. Turing and GA100 count cycles of
/// their system clock instead (cupti_pmsampling.h).
[[nodiscard]] bool samples_by_time(const std::string& chip);

}  // namespace dlbench::probes
