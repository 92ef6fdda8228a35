// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How well the job used its cores and memory, as schedulers report it, from the processes' own
// counters.
#pragma once

#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"
#include "reports/record.h"

#include <optional>
#include <string>

namespace dlbench::harness {

/// Returns the seconds since this process started, when its CPU time began to count: at most a
/// clock tick (10 ms) too many, never too few. From /proc/self/stat and CLOCK_BOOTTIME.
[[nodiscard]] double process_age_s();

/// Returns the job record of this rank alone, for a run whose other ranks may be gone.
[[nodiscard]] reports::JobRecord own_job(const comm::Rendezvous& ranks,
                                         const std::string& state,
                                         double wall_s);

/// Returns the job record of all ranks on rank 0, of the rank itself elsewhere: CPU time and memory
/// summed; cores and memory limits that ranks share count once. Collective.
[[nodiscard]] reports::JobRecord gather_job(comm::Rendezvous& ranks,
                                            const std::string& state,
                                            double wall_s);

/// Returns the scheduler's word for a job that ended with this error: "FAILED", "TIMEOUT",
/// "CANCELLED", "OUT_OF_MEMORY".
[[nodiscard]] std::string job_state(core::ErrorCode code);

}  // namespace dlbench::harness
