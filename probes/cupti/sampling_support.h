// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which devices can sample their counters over time (PM sampling), and how.
#pragma once

#include <string>

namespace dlbench::probes {

/// What CUPTI says is in the way on a device; `any` without another: it does not say what.
struct SamplingObstacles {
  bool any = false;
  bool architecture = false;
  bool virtual_gpu = false;
  bool confidential_computing = false;
  bool linked_gpus = false;
  bool mining_card = false;
  bool windows_subsystem = false;
};

/// One sentence; empty if nothing is in the way.
[[nodiscard]] std::string sampling_refusal(const std::string& chip,
                                           const SamplingObstacles& obstacles);

/// Whether samples can be triggered every so many nanoseconds. Turing and GA100 count cycles of
/// their system clock instead (cupti_pmsampling.h).
[[nodiscard]] bool samples_by_time(const std::string& chip);

}  // namespace dlbench::probes
