// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps measured peaks between runs: one JSON file per kind of machine in the cache folder.
#pragma once

#include "harness/peaks/peaks.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace dlbench::harness {

/// `run` and `scale` measure quickly until the figures are the best of this many measurements, as a
/// single quick one may have met a busy machine. A thorough measurement ends that.
inline constexpr int kQuickMeasurements = 5;

/// Returns this machine's file in the cache folder: peaks/<processor>-<isa>-<threads>-threads.json.
[[nodiscard]] std::filesystem::path peak_file(const std::filesystem::path& folder,
                                              const PeakKey& key);

/// Loads the peaks; nothing if the file is missing or belongs to another machine. Throws
/// core::Error(kData) for any other content.
[[nodiscard]] std::optional<MachinePeaks> load_peaks(const std::filesystem::path& folder,
                                                     const PeakKey& key);

/// Replaces the file atomically. Throws core::Error(kFile).
void store_peaks(const std::filesystem::path& folder, const MachinePeaks& peaks);

/// Returns this machine's cached figures, if there are any. An unusable file is a warning.
[[nodiscard]] std::optional<MachinePeaks> cached_machine_peaks();

/// Returns the records of cached_machine_peaks(); empty if there are none.
[[nodiscard]] std::vector<reports::PeakRecord> cached_peaks();

/// Like cached_peaks(), but while only a few quick measurements are cached, or no peak of fp32,
/// takes one more (below 1.5 s) and caches the best. Never call it while something is timed. An
/// unwritable cache is a warning.
[[nodiscard]] std::vector<reports::PeakRecord> known_peaks();

}  // namespace dlbench::harness
