// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts a GPU's activities and counters to tracks of a Chrome trace, below the host's threads.
#pragma once

#include "probes/chrome_trace.h"
#include "probes/gpu/gpu_samples.h"
#include "probes/gpu/gpu_trace.h"

#include <vector>

namespace dlbench::probes {

/// Tracks of a GPU are numbered from here, above the numbers of threads, which start at 1.
inline constexpr int kFirstGpuTrack = 1000000;

/// Returns one track per stream, "GPU stream 7", with its kernels, copies and memsets (id: the op,
/// with name and phase if known) and, if there are any, one with the waits of the host or streams
/// and one with the overhead of driver and recording. `trace` must outlive the tracks.
[[nodiscard]] std::vector<TraceTrack> gpu_tracks(const GpuTrace& trace);

/// Returns one track per counter, "GPU dram_read_bytes_per_s". It is 0 where samples are missing:
/// viewers hold a value until the next one, which would show a lost sample, or the time between two
/// trials, as measured. No tracks for samples that are not on the host's clock.
[[nodiscard]] std::vector<CounterTrack> counter_tracks(const GpuSamples& samples);

}  // namespace dlbench::probes
