// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/gpu/profiler_clock.h"

namespace dlbench::probes {

/// The clock of CUPTI's records and samples beside the host's steady one. CUPTI could be told to
/// use the latter (cuptiActivityRegisterTimestampCallback), but from CUDA 12.6 Update 2 until 13.1
/// gives kernels times of 0 then (its release notes), and others have seen it go on with its own
/// for what the device does (pytorch issue 192021). So it keeps its clock, and its times are moved.
/// Throws core::Error(kUnavailable).
[[nodiscard]] ClockReading read_cupti_clock();

}  // namespace dlbench::probes
