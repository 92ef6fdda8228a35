// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/open_probe.h"

#include "engine/core/log.h"
#include "probes/registry.h"

#include <filesystem>

namespace dlbench::harness {

std::string other_device_reason(const std::string& computes_on, const std::string& watches) {
  return "this run computes on " + computes_on + ", the probe watches " + watches;
}

std::string open_on_device(const backend::DeviceInfo& device,
                           const std::string& record_folder,
                           int processes,
                           probes::Probe& probe,
                           OpenFailure failure) {
  const probes::ProbeSpec& spec = probe.spec();
  if (!spec.device.empty() && spec.device != device.kind) {
    return other_device_reason(device.kind, spec.device);
  }
  probes::ProbeOptions options;
  for (const probes::OptionSpec& option : spec.options) {
    if (option.name == "device" && !device.address.empty()) {
      options.emplace_back("device", device.address);
    }
    if (option.name == "processes") {
      options.emplace_back("processes", std::to_string(processes));
    }
    if (option.name == "record" && !record_folder.empty()) {
      const auto file = std::filesystem::path(record_folder) / (spec.name + ".json");
      options.emplace_back("record", file.string());
    }
  }
  std::string reason = probes::open_probe(probe, options);
  if (!reason.empty() && !spec.device.empty() && failure == OpenFailure::kWarns) {
    core::log::warn("probe " + spec.name + " does not measure: " + reason);
  }
  return reason;
}

}  // namespace dlbench::harness
