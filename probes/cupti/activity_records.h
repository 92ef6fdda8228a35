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
/// buffer: with all that is behind it, which nobody can count, it is one dropped record.
void append_activity_records(std::uint8_t* buffer, std::size_t bytes, GpuTrace& trace);

/// Drops host calls that launched nothing on the device: they explain no gap.
void keep_launching_calls(GpuTrace& trace);

}  // namespace dlbench::probes
