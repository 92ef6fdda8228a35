// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of probes compiled into this build. A probe adds itself: one file, one
// ProbeRegistration.
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

/// A constant of this type in a probe's .cpp file does so when the program starts; in a plug-in's a
/// core::PluginPart stands in its place.
struct ProbeRegistration {
  ProbeRegistration(const std::string& name, ProbeFactory factory);
};

/// What the CUDA plug-in brings: names that are known also where it is not loaded.
inline constexpr std::array<std::string_view, 3> kPluginProbes{
    "cupti", "cupti_counters", "cupti_sampling"};

/// Names of all probes that are loaded, sorted.
[[nodiscard]] std::vector<std::string> probe_names();

/// A new probe that has not been opened. Throws Error(kUsage) with the nearest name.
[[nodiscard]] std::unique_ptr<Probe> make_probe(std::string_view name);

/// Opens a probe after checking the option names against its spec (Error(kUsage) with the nearest
/// name). Returns what Probe::open() returns.
[[nodiscard]] std::string open_probe(Probe& probe, const ProbeOptions& options);

}  // namespace dlbench::probes
