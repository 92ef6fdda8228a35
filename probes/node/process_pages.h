// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory this process has.
#pragma once

#include <cstdint>

namespace dlbench::probes {

/// In pages of the size that the system has, sysconf(_SC_PAGESIZE).
struct ProcessPages {
  std::int64_t address_space = 0;
  std::int64_t resident = 0;
  std::int64_t data = 0;  ///< and stack
};

/// Of this process, now; all 0 without /proc.
[[nodiscard]] ProcessPages read_process_pages();

}  // namespace dlbench::probes
