// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of probes in this build. A probe registers itself: one file, one ProbeRegistration.
#pragma once

#include "probes/probe.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

using ProbeFactory = std::function<std::unique_ptr<Probe>()>;

/// Adds a probe to the list. Two probes of one name are a programmer error (CheckFailure).
void register_probe(const std::string& name, ProbeFactory factory);

/// Registers a probe at program start: a constant of this type in the probe's .cpp file. Probes of
/// a plug-in use a core::PluginPart instead.
struct ProbeRegistration {
  ProbeRegistration(const std::string& name, ProbeFactory factory);
};

/// The probes of the CUDA plug-in, whose names are known even if it is not loaded.
inline constexpr std::array<std::string_view, 3> kPluginProbes{
    "cupti", "cupti_counters", "cupti_sampling"};

/// Returns the names of all loaded probes, sorted.
[[nodiscard]] std::vector<std::string> probe_names();

/// Returns a new, unopened probe. Throws Error(kUsage) that suggests the nearest name.
[[nodiscard]] std::unique_ptr<Probe> make_probe(std::string_view name);

/// Checks the option names against the probe's spec (Error(kUsage) that suggests the nearest name)
/// and opens it. Returns what Probe::open() returns.
[[nodiscard]] std::string open_probe(Probe& probe, const ProbeOptions& options);

}  // namespace dlbench::probes
