// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What `dlbench info` prints beside the lists of listing.h: what this program is and what it found
// here, and why something that could be here is not.
#pragma once

#include <string>

namespace dlbench::harness {

/// Version, commit, build type, compiler, features.
[[nodiscard]] std::string build_text();
/// Processor, usable cores, memory and its limits, operating system, scheduler.
[[nodiscard]] std::string host_text();
/// Probes that can measure here, and why the others cannot. Opens each once.
[[nodiscard]] std::string available_probes_text();
/// Cache folder and the peaks kept in it for this machine.
[[nodiscard]] std::string cache_text();

}  // namespace dlbench::harness
