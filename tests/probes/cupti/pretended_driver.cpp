// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/cupti/pretended_driver.h"

namespace dlbench::probes {

PretendedDriver& PretendedDriver::instance() {
  static PretendedDriver driver;
  return driver;
}

}  // namespace dlbench::probes

// NOLINTBEGIN(readability-identifier-naming): the names of CUDA.
extern "C" {

int cuCtxGetCurrent(void** context) {
  static int object = 0;
  *context = dlbench::probes::PretendedDriver::instance().has_context ? &object : nullptr;
  return 0;
}
int cuCtxSynchronize() {
  if (const auto& waited = dlbench::probes::PretendedDriver::instance().synchronized; waited) {
    waited();
  }
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
