// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A GPU's activities and counters as tracks of a Chrome trace, below the threads of the host.
#pragma once

#include "probes/chrome_trace.h"
#include "probes/gpu/gpu_samples.h"
#include "probes/gpu/gpu_trace.h"

#include <vector>

namespace dlbench::probes {

/// Tracks of a GPU count from here, above the numbers of threads, which count from 1.
inline constexpr int kFirstGpuTrack = 1000000;

/// One track per stream, "GPU stream 7", with its kernels, copies and memsets (id: the op, with its
/// name and phase where they are known), and, if there are any, one with the times for which the
/// host or a stream waited and one with the overhead of driver and recording. `trace` must outlive
/// the tracks.
[[nodiscard]] std::vector<TraceTrack> gpu_tracks(const GpuTrace& trace);

/// One track per counter, "GPU dram_read_bytes_per_s". 0 where no sample is: viewers hold a value
/// until the next one, which would draw a lost sample, or the time between two trials, as measured.
/// No tracks from samples that are not on the host's clock.
[[nodiscard]] std::vector<CounterTrack> counter_tracks(const GpuSamples& samples);

}  // namespace dlbench::probes
