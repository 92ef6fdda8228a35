// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/registry.h"

#include "engine/core/error.h"
#include "engine/core/named_registry.h"
#include "engine/core/nearest_name.h"

#include <utility>

namespace dlbench::probes {
namespace {

core::NamedRegistry<ProbeFactory>& registry() {
  static core::NamedRegistry<ProbeFactory> probes("probe");
  return probes;
}

}  // namespace

void register_probe(const std::string& name, ProbeFactory factory) {
  registry().add(name, std::move(factory));
}

ProbeRegistration::ProbeRegistration(const std::string& name, ProbeFactory factory) {
  register_probe(name, std::move(factory));
}

std::vector<std::string> probe_names() { return registry().names(); }

std::unique_ptr<Probe> make_probe(std::string_view name) { return registry().find(name)(); }

std::string open_probe(Probe& probe, const ProbeOptions& options) {
  std::vector<std::string> known;
  for (const OptionSpec& option : probe.spec().options) {
    known.push_back(option.name);
  }
  for (const auto& [name, value] : options) {
    bool is_known = false;
    for (const std::string& candidate : known) {
      is_known = is_known || candidate == name;
    }
    if (!is_known) {
      throw core::Error(
          core::ErrorCode::kUsage,
          core::unknown_name_message("option of probe " + probe.spec().name, name, known));
    }
  }
  return probe.open(options);
}

}  // namespace dlbench::probes
