// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples counters of the GPU that the calling thread computes on, over time (PM sampling).
#pragma once

#include "probes/gpu/gpu_samples.h"

#include <memory>

namespace dlbench::probes {

/// Samples from begin() to end(), about ten thousand times a second. The device is sampled as a
/// whole, work of other processes included; nothing is serialised or replayed. A thread empties the
/// device's buffer meanwhile. Needs the driver's permission to read counters. Outside of windows
/// sampling is disabled: while it is not, the driver may hold the GPU's clocks (seen by others, in
/// pull request 188844 of PyTorch), for whatever runs then.
class PmSampler {
 public:
  PmSampler();
  PmSampler(const PmSampler&) = delete;
  PmSampler& operator=(const PmSampler&) = delete;
  ~PmSampler();

  /// Throws core::Error(kUnavailable) with one sentence if this device cannot be sampled here.
  void begin();

  /// What was sampled, without the trial and its steps. Throws core::Error(kLibrary).
  [[nodiscard]] GpuSamples end();

 private:
  struct Target;
  struct Session;
  std::unique_ptr<Target> target_;    // from the first window on; CUPTI keeps pointers into it
  std::unique_ptr<Session> session_;  // of the window that is open
};

}  // namespace dlbench::probes
