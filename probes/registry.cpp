// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/registry.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/nearest_name.h"

#include <map>
#include <utility>

namespace dlbench::probes {
namespace {

std::map<std::string, ProbeFactory>& registered() {
  static std::map<std::string, ProbeFactory> probes;
  return probes;
}

}  // namespace

void register_probe(const std::string& name, ProbeFactory factory) {
  const bool added = registered().emplace(name, std::move(factory)).second;
  DLBENCH_CHECK(added) << "two probes are called '" << name << "'";
}

ProbeRegistration::ProbeRegistration(const std::string& name, ProbeFactory factory) {
  register_probe(name, std::move(factory));
}

std::vector<std::string> probe_names() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : registered()) {
    names.push_back(name);
  }
  return names;
}

std::unique_ptr<Probe> make_probe(std::string_view name) {
  const auto found = registered().find(std::string(name));
  if (found == registered().end()) {
    throw core::Error(core::ErrorCode::kUsage,
                      core::unknown_name_message("probe", name, probe_names()));
  }
  return found->second();
}

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
