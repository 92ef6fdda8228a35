// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Measured peaks between runs: one JSON file per kind of machine in the cache folder.
#pragma once

#include "harness/peaks/peaks.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace dlbench::harness {

/// `run` and `scale` measure quickly until the figures are the best of so many measurements: a
/// single quick one may have met a busy machine. A thorough one ends that.
inline constexpr int kQuickMeasurements = 5;

/// The file of this machine below the cache folder: peaks/<processor>-<isa>-<threads>-threads.json.
[[nodiscard]] std::filesystem::path peak_file(const std::filesystem::path& folder,
                                              const PeakKey& key);

/// Nothing if there is no such file, or it is of another machine. Throws core::Error(kData) if it
/// holds something else.
[[nodiscard]] std::optional<MachinePeaks> load_peaks(const std::filesystem::path& folder,
                                                     const PeakKey& key);

/// Replaces the file atomically. Throws core::Error(kFile).
void store_peaks(const std::filesystem::path& folder, const MachinePeaks& peaks);

/// What is cached for this machine; empty if nothing is. A file that cannot be used is a warning.
[[nodiscard]] std::vector<reports::PeakRecord> cached_peaks();

/// The same, but while nothing better is cached than a few quick measurements it takes one more
/// (below 1.5 s) and caches the best. Never call it while something is timed. A cache that cannot
/// be written is a warning.
[[nodiscard]] std::vector<reports::PeakRecord> known_peaks();

}  // namespace dlbench::harness
