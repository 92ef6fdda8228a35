// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/process_pages.h"

#include "probes/node/kernel_file.h"

#include <array>
#include <sstream>

namespace dlbench::probes {

ProcessPages read_process_pages() {
  // size, resident, shared, text, 0, data and stack
  std::array<std::int64_t, 6> pages{};
  std::istringstream statm(read_kernel_file("/proc/self/statm").value_or(""));
  for (std::int64_t& number : pages) {
    statm >> number;
  }
  return {.address_space = pages[0], .resident = pages[1], .data = pages[5]};
}

}  // namespace dlbench::probes
