// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How well the job used its cores and memory, as schedulers tell it, from the processes' own
// counters.
#pragma once

#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"
#include "reports/record.h"

#include <optional>
#include <string>

namespace dlbench::harness {

/// Seconds since this process was started, which its CPU time counts from. To the clock tick (10
/// ms), and not below: from /proc/self/stat and CLOCK_BOOTTIME.
[[nodiscard]] double process_age_s();

/// The job of this rank alone: for a run whose other ranks may be gone.
[[nodiscard]] reports::JobRecord own_job(const comm::Rendezvous& ranks,
                                         const std::string& state,
                                         double wall_s);

/// The job of all ranks, on rank 0 (elsewhere that of the rank): CPU time and memory summed, cores
/// and memory limits counted once where ranks share them. Collective.
[[nodiscard]] reports::JobRecord gather_job(comm::Rendezvous& ranks,
                                            const std::string& state,
                                            double wall_s);

/// How schedulers call a job that ended with this error: "FAILED", "TIMEOUT", "CANCELLED",
/// "OUT_OF_MEMORY".
[[nodiscard]] std::string job_state(core::ErrorCode code);

}  // namespace dlbench::harness
