// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of this process.
#pragma once

#include <cstdint>

namespace dlbench::probes {

/// In pages of the system's page size, sysconf(_SC_PAGESIZE).
struct ProcessPages {
  std::int64_t address_space = 0;
  std::int64_t resident = 0;
  std::int64_t data = 0;  ///< including stack
};

/// Returns the current values; all 0 without /proc.
[[nodiscard]] ProcessPages read_process_pages();

}  // namespace dlbench::probes
