// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/runner_hooks.h"

#include "harness/trials/device_fault.h"

namespace dlbench::harness {

void FailureHooks::tell_failure(const std::function<void()>& steps,
                                const std::function<std::string()>& fault) const {
  try {
    naming_device_faults(steps, fault);
  } catch (const core::Error& error) {
    if (on_failure) {
      on_failure(error);
    }
    throw;
  }
}

}  // namespace dlbench::harness
