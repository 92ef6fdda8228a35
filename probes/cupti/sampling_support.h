// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which devices support sampling counters over time (PM sampling), and how.
#pragma once

#include <string>

namespace dlbench::probes {

/// The obstacles that CUPTI reports for a device; `any` alone: it does not say which.
struct SamplingObstacles {
  bool any = false;
  bool architecture = false;
  bool virtual_gpu = false;
  bool confidential_computing = false;
  bool linked_gpus = false;
  bool mining_card = false;
  bool windows_subsystem = false;
};

/// Returns one sentence on the obstacles; empty if there are none.
[[nodiscard]] std::string sampling_refusal(const std::string& chip,
                                           const SamplingObstacles& obstacles);

/// Whether samples can be triggered at an interval in nanoseconds. Turing and GA100 count cycles of
/// their system clock instead (cupti_pmsampling.h).
[[nodiscard]] bool samples_by_time(const std::string& chip);

}  // namespace dlbench::probes
