// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which devices can count over a range, or sample their counters over time (PM sampling), and how.
#pragma once

#include "probes/cupti/metric_set.h"

#include <string>

namespace dlbench::probes {

/// What CUPTI says is in the way on a device; `any` without another: it does not say what.
struct CounterObstacles {
  bool any = false;
  bool architecture = false;
  bool virtual_gpu = false;
  bool confidential_computing = false;
  bool linked_gpus = false;
  bool mining_card = false;
  bool windows_subsystem = false;
};

/// Of the device of this thread's context. Throws core::Error(kUnavailable).
[[nodiscard]] CounterObstacles counter_obstacles(CounterUse use);

/// One sentence; empty if nothing is in the way.
[[nodiscard]] std::string obstacle_text(const std::string& chip,
                                        CounterUse use,
                                        const CounterObstacles& obstacles);

/// Throws core::Error(kUnavailable) with that sentence if something is in the way on the device of
/// this thread's context.
void refuse_obstacles(const std::string& chip, CounterUse use);

/// Whether samples can be triggered every so many nanoseconds. Turing and GA100 count cycles of
/// their system clock instead (cupti_pmsampling.h).
[[nodiscard]] bool samples_by_time(const std::string& chip);

}  // namespace dlbench::probes
