// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/sampling_support.h"

namespace dlbench::probes {

std::string sampling_refusal(const std::string& chip, const SamplingObstacles& obstacles) {
  if (!obstacles.any) {
    return "";
  }
  const std::string start = "counters of this GPU (" + chip + ") cannot be sampled: ";
  if (obstacles.architecture) {
    return start + "compute capability 7.5 (Turing) or newer is needed";
  }
  if (obstacles.virtual_gpu) {
    return start +
           "it is a virtual GPU whose host does not allow it; the host's administrator may enable "
           "profiling for the virtual machine";
  }
  if (obstacles.confidential_computing) {
    return start + "confidential computing is on";
  }
  if (obstacles.linked_gpus) {
    return start + "it is linked to others by SLI";
  }
  if (obstacles.mining_card) {
    return start + "it is a mining card";
  }
  if (obstacles.windows_subsystem) {
    return start + "this is the Windows Subsystem for Linux";
  }
  return start + "CUPTI does not support its configuration";
}

bool samples_by_time(const std::string& chip) {
  return chip.rfind("TU", 0) != 0 && chip != "GA100";
}

}  // namespace dlbench::probes
