// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples counters over time (PM sampling) on the GPU that the calling thread computes on.
#pragma once

#include "probes/gpu/gpu_samples.h"

#include <memory>

namespace dlbench::probes {

/// Samples from begin() to end(), about ten thousand times a second. Covers the whole device,
/// including work of other processes; serialises and replays nothing. Meanwhile a thread drains the
/// device's buffer. Needs the driver's permission to read counters. Sampling is disabled outside
/// windows, because while enabled the driver may lock the GPU's clocks (as reported in pull request
/// 188844 of PyTorch), which would affect other work.
class PmSampler {
 public:
  PmSampler();
  PmSampler(const PmSampler&) = delete;
  PmSampler& operator=(const PmSampler&) = delete;
  ~PmSampler();

  /// Throws core::Error(kUnavailable) with one sentence if this device cannot be sampled here.
  void begin();

  /// Returns the samples, without the trial and its steps. Throws core::Error(kLibrary).
  [[nodiscard]] GpuSamples end();

 private:
  struct Target;
  struct Session;
  std::unique_ptr<Target> target_;    // from the first window on; CUPTI keeps pointers into it
  std::unique_ptr<Session> session_;  // of the window that is open
};

}  // namespace dlbench::probes
