// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What `dlbench info` prints besides the lists of listing.h: this program, what it found on this
// machine, and why other things are unavailable.
#pragma once

#include "harness/commands/listing.h"
#include "reports/record.h"

#include <string>
#include <vector>

namespace dlbench::harness {

/// Version, commit, build type, compiler, features.
[[nodiscard]] std::string build_text();
/// Processor, usable cores, memory and its limits, operating system, scheduler.
[[nodiscard]] std::string host_text();
/// Lists the probes that can measure here, and why the others cannot: a requirement of their own is
/// missing, or the backend of their device is. Includes those of plug-ins that were not loaded.
/// Opens each probe once.
[[nodiscard]] std::string available_probes_text(const std::vector<FoundBackend>& backends);
/// Tries the plug-ins that connect ranks, and says why any of them is unavailable.
[[nodiscard]] std::string rank_plugins_text();
/// Shows the cache folder and the peaks in it for this machine and for the GPU of `backends`.
[[nodiscard]] std::string cache_text(const std::vector<FoundBackend>& backends);
/// Returns one line on the figures of `fresh` that are more than a tenth below those of `before`,
/// which they replace; empty if there are none. Compares records of one device by precision.
[[nodiscard]] std::string lower_peaks_text(const std::vector<reports::PeakRecord>& before,
                                           const std::vector<reports::PeakRecord>& fresh);

}  // namespace dlbench::harness
