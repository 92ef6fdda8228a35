// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/computing_device.h"

#include "probes/cupti/cupti_status.h"

#include <cupti.h>
#include <cupti_target.h>
#include <dlfcn.h>

namespace dlbench::probes {
namespace {

/// The context of the calling thread. The driver is loaded wherever CUDA computes; nothing links
/// it.
CUcontext current_context() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  using GetCurrent = CUresult (*)(CUcontext*);
  const auto get_current =
      driver != nullptr ? reinterpret_cast<GetCurrent>(dlsym(driver, "cuCtxGetCurrent")) : nullptr;
  CUcontext context = nullptr;
  if (get_current == nullptr || get_current(&context) != CUDA_SUCCESS || context == nullptr) {
    throw core::Error(core::ErrorCode::kUnavailable, "this thread computes on no GPU");
  }
  return context;
}

}  // namespace

ComputingDevice computing_device() {
  ComputingDevice device;
  device.context = current_context();
  check_cupti(cuptiGetDeviceId(device.context, &device.index),
              "cuptiGetDeviceId",
              core::ErrorCode::kUnavailable);
  CUpti_Device_GetChipName_Params params{CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  params.deviceIndex = device.index;
  check_cupti(
      cuptiDeviceGetChipName(&params), "cuptiDeviceGetChipName", core::ErrorCode::kUnavailable);
  device.chip = params.pChipName;
  return device;
}

}  // namespace dlbench::probes
