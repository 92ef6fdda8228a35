// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts CUPTI's activity records to ours.
#pragma once

#include "probes/gpu/gpu_trace.h"

#include <cstddef>
#include <cstdint>

namespace dlbench::probes {

/// Appends the records of one CUPTI buffer to the trace: kernels, copies, memsets, waits of the
/// host, overhead, host calls, and the ops named by external correlation ids. Other kinds of
/// records are skipped. An invalid or incomplete record ends the buffer: it and everything after it
/// count as max_records_in() the rest dropped records, since their number is unknown.
void append_activity_records(std::uint8_t* buffer, std::size_t bytes, GpuTrace& trace);

/// Returns the largest number of records, of the kinds recorded here, that fit into `bytes`.
[[nodiscard]] std::int64_t max_records_in(std::size_t bytes);

/// Drops host calls that launched nothing on the device, since they explain no gap.
void keep_launching_calls(GpuTrace& trace);

}  // namespace dlbench::probes
