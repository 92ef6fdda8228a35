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
int cuCtxGetDevice(int* device) {
  *device = 3;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr int kCapabilityMajor = 75;
  constexpr int kMpsEnabled = 133;
  constexpr int kInvalidValue = 1;
  const auto& driver = dlbench::probes::FakeDriver::instance();
  if (device != 3 || (attribute != kCapabilityMajor && attribute != kMpsEnabled)) {
    return kInvalidValue;
  }
  *value =
      attribute == kMpsEnabled ? static_cast<int>(driver.shared_by_mps) : driver.capability_major;
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
