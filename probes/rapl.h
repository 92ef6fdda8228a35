// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Energy of the processor packages, from the powercap files of Intel's and AMD's RAPL counters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::probes {

/// One processor package's energy counter.
struct RaplZone {
  std::filesystem::path energy_file;  ///< energy_uj: microjoules, wraps at range_uj
  std::uint64_t range_uj = 0;
};

/// The package zones below `root` (normally /sys/class/powercap), or why there are none.
struct RaplZones {
  std::vector<RaplZone> zones;
  std::string reason;
};

[[nodiscard]] RaplZones find_rapl_zones(const std::filesystem::path& root);

/// The counter's value in microjoules, or empty if it cannot be read.
[[nodiscard]] std::optional<std::uint64_t> read_energy_uj(const RaplZone& zone);

/// Joules from `begin` to `end`, allowing for one wrap at range_uj.
[[nodiscard]] double energy_difference_joules(std::uint64_t begin_uj,
                                              std::uint64_t end_uj,
                                              std::uint64_t range_uj);

}  // namespace dlbench::probes
