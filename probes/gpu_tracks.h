// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A GPU's activities as tracks of a Chrome trace, below the threads of the host.
#pragma once

#include "probes/chrome_trace.h"
#include "probes/gpu_trace.h"

#include <vector>

namespace dlbench::probes {

/// One track per stream, "GPU stream 7", with its kernels, copies and memsets (id: the op), and one
/// with the overhead of driver and recording, if there is any. `trace` must outlive the tracks.
[[nodiscard]] std::vector<TraceTrack> gpu_tracks(const GpuTrace& trace);

}  // namespace dlbench::probes
