// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/host_processor.h"

#include <fstream>

namespace dlbench::backend {

std::string host_processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    const std::size_t colon = line.find(':');
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos && colon + 2 < line.size()) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

}  // namespace dlbench::backend
