// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/cupti/fake_driver.h"

namespace dlbench::probes {

FakeDriver& FakeDriver::instance() {
  static FakeDriver driver;
  return driver;
}

}  // namespace dlbench::probes

// NOLINTBEGIN(readability-identifier-naming): the names of CUDA.
extern "C" {

int cuCtxGetCurrent(void** context) {
  static int object = 0;
  *context = dlbench::probes::FakeDriver::instance().has_context ? &object : nullptr;
  return 0;
}
int cuCtxSynchronize() {
  if (const auto& waited = dlbench::probes::FakeDriver::instance().synchronized; waited) {
    waited();
  }
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
