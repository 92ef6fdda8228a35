// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From CUPTI's activity records to ours.
#pragma once

#include "probes/gpu/gpu_trace.h"

#include <cstddef>
#include <cstdint>

namespace dlbench::probes {

/// Appends the records of one of CUPTI's buffers to the trace: kernels, copies, memsets, waits of
/// the host, overhead, host calls, and the ops that external correlation ids name. Records of kinds
/// that are not known here are left out. A record that CUPTI calls invalid or incomplete ends the
/// buffer: with all that is behind it, which nobody can count, it is as many dropped records as may
/// have been there.
void append_activity_records(std::uint8_t* buffer, std::size_t bytes, GpuTrace& trace);

/// How many records so many bytes hold at most: of the kinds that are recorded here.
[[nodiscard]] std::int64_t most_records_in(std::size_t bytes);

/// Drops host calls that launched nothing on the device: they explain no gap.
void keep_launching_calls(GpuTrace& trace);

}  // namespace dlbench::probes
