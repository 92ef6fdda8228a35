// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What `dlbench info` prints beside the lists of listing.h: what this program is and what it found
// here, and why something that could be here is not.
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
/// Probes that can measure here, and why the others cannot: for what they need themselves, or
/// because the backend whose device they watch is not here. Those of a plug-in that was not loaded
/// too. Opens each once.
[[nodiscard]] std::string available_probes_text(const std::vector<FoundBackend>& backends);
/// The plug-ins by which ranks meet, each tried, and why one is not here.
[[nodiscard]] std::string rank_plugins_text();
/// Cache folder and the peaks kept in it for this machine and for the GPU of `backends`.
[[nodiscard]] std::string cache_text(const std::vector<FoundBackend>& backends);
/// One line on the figures of `fresh` that are more than a tenth below those of `before`, which
/// they replace; empty without such. Records of one device, by precision.
[[nodiscard]] std::string lower_peaks_text(const std::vector<reports::PeakRecord>& before,
                                           const std::vector<reports::PeakRecord>& fresh);

}  // namespace dlbench::harness
