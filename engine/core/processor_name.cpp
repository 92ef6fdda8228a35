// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/processor_name.h"

#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace dlbench::core {
namespace {

struct ArmCore {
  std::string_view implementer;
  std::string_view part;
  std::string_view name;
};

// Cores of GPU nodes and clusters, with the numbers as /proc/cpuinfo writes them.
constexpr std::array<ArmCore, 8> kArmCores{{{"0x41", "0xd0c", "Neoverse-N1"},
                                            {"0x41", "0xd40", "Neoverse-V1"},
                                            {"0x41", "0xd49", "Neoverse-N2"},
                                            {"0x41", "0xd4f", "Neoverse-V2"},
                                            {"0x41", "0xd84", "Neoverse-V3"},
                                            {"0x41", "0xd8e", "Neoverse-N3"},
                                            {"0x46", "0x001", "A64FX"},
                                            {"0xc0", "0xac3", "Ampere-1"}}};

std::string arm_name(std::string_view implementer, std::string_view part) {
  for (const ArmCore& core : kArmCores) {
    if (core.implementer == implementer && core.part == part) {
      return std::string(core.name);
    }
  }
  return "Arm core " + std::string(implementer) + "/" + std::string(part);
}

}  // namespace

std::string processor_name(std::string_view cpuinfo) {
  std::istringstream stream{std::string(cpuinfo)};
  std::string implementer;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(':');
    const std::size_t begin =
        colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (begin == std::string::npos) {
      continue;
    }
    const std::string value = line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
    if (line.starts_with("model name")) {
      return value;
    }
    if (line.starts_with("CPU implementer")) {
      implementer = value;
    } else if (line.starts_with("CPU part")) {
      return arm_name(implementer, value);
    }
  }
  return "";
}

std::string host_processor_name() {
  std::ifstream file("/proc/cpuinfo");
  const std::string name = processor_name(std::string(std::istreambuf_iterator<char>(file), {}));
  return name.empty() ? "unknown processor" : name;
}

}  // namespace dlbench::core
