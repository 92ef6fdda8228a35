// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's way to the counters of the fake GPU, a GH100 whose driver lets only administrators
// read them. The real library is asked for nothing that it would look for on a device.
#include "tests/probes/cupti/fake/recorder.h"

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

// NOLINTBEGIN(readability-identifier-naming): CUPTI's names.
extern "C" {

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = "GH100";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* /*params*/) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* params) {
  if (params->api != CUPTI_PROFILER_RANGE_PROFILING && params->api != CUPTI_PROFILER_PM_SAMPLING) {
    dlbench::fake::refuse_cupti("ProfilerDeviceSupported", "asked for no kind of counting");
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  const bool is_virtual = dlbench::fake::cupti_setting().virtual_gpu;
  params->isSupported = is_virtual ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED
                                   : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  params->architecture = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  params->sli = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  params->vGpu =
      is_virtual ? CUPTI_PROFILER_CONFIGURATION_DISABLED : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  params->confidentialCompute = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  params->cmp = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  params->wsl = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params* /*params*/) {
  return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
}

CUptiResult cuptiPmSamplingGetCounterAvailability(
    CUpti_PmSampling_GetCounterAvailability_Params* /*params*/) {
  return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
