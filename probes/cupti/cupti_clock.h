// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/gpu/profiler_clock.h"

namespace dlbench::probes {

/// Reads the clock of CUPTI's records and samples together with the host's steady clock. CUPTI can
/// be told to use the latter (cuptiActivityRegisterTimestampCallback), but from CUDA 12.6 Update 2
/// until 13.1 kernels then get times of 0 (its release notes), and others report that it keeps its
/// own clock for device work (pytorch issue 192021). So its times are converted instead. Throws
/// core::Error(kUnavailable).
[[nodiscard]] ClockReading read_cupti_clock();

}  // namespace dlbench::probes
