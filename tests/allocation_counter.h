// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts what a program allocates: replaces malloc and its family, operator new, mmap and oneDNN's
// creation of primitives for the whole test executable, libdlbench included.
#pragma once

#include <cstdint>
#include <string>

namespace dlbench::tests {

struct AllocationCount {
  std::int64_t own = 0;  ///< malloc, new or mmap called by libdlbench or the standard library
  std::int64_t library =
      0;  ///< by libdnnl (copies of an execution's arguments) or libjpeg (a picture's state)
  std::int64_t openmp = 0;      ///< by libgomp: a team for a region of one thread
  std::int64_t primitives = 0;  ///< oneDNN primitives created
  std::string first_own{};      ///< object file and symbol of the first caller in `own`
};

/// Counting starts here, on all threads.
void start_counting();
/// Ends counting.
[[nodiscard]] AllocationCount stop_counting();

}  // namespace dlbench::tests
