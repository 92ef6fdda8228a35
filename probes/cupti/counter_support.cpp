// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/counter_support.h"

#include "probes/cupti/cupti_status.h"

#include <cupti.h>
#include <cupti_profiler_target.h>

namespace dlbench::probes {
namespace {

bool in_the_way(CUpti_Profiler_Support_Level level) {
  return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
         level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
}

}  // namespace

CounterObstacles counter_obstacles(CounterUse use) {
  CUpti_Profiler_DeviceSupported_Params params{CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE};
  // No cuDevice: that of the current context.
  params.api =
      use == CounterUse::kRange ? CUPTI_PROFILER_RANGE_PROFILING : CUPTI_PROFILER_PM_SAMPLING;
  if (cuptiProfilerDeviceSupported(&params) != CUPTI_SUCCESS) {
    return {};
  }
  return {.architecture = in_the_way(params.architecture),
          .virtual_gpu = in_the_way(params.vGpu),
          .confidential_computing = in_the_way(params.confidentialCompute),
          .linked_gpus = in_the_way(params.sli),
          .mining_card = in_the_way(params.cmp),
          .windows_subsystem = in_the_way(params.wsl)};
}

std::string obstacle_text(const std::string& chip,
                          CounterUse use,
                          const CounterObstacles& obstacles) {
  const bool ranges = use == CounterUse::kRange;
  const std::string start =
      "counters of this GPU (" + chip + ") cannot be " + (ranges ? "read: " : "sampled: ");
  if (obstacles.architecture) {
    return start + "compute capability " + (ranges ? "7.0 (Volta)" : "7.5 (Turing)") +
           " or newer is needed";
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
  return "";
}

void refuse_obstacles(const std::string& chip, CounterUse use) {
  if (const std::string text = obstacle_text(chip, use, counter_obstacles(use)); !text.empty()) {
    refuse_counters(text);
  }
}

bool samples_by_time(const std::string& chip) {
  return chip.rfind("TU", 0) != 0 && chip != "GA100";
}

}  // namespace dlbench::probes
