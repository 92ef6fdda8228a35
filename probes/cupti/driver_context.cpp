// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/driver_context.h"

#include <cupti.h>  // and the types of the driver
#include <dlfcn.h>

namespace dlbench::probes {
namespace {

/// Returns null if the driver is not loaded, or lacks the function.
template <typename Function>
Function* driver_function(const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver != nullptr ? reinterpret_cast<Function*>(dlsym(driver, name)) : nullptr;
}

}  // namespace

CUctx_st* current_context() {
  auto* const get_current = driver_function<CUresult(CUcontext*)>("cuCtxGetCurrent");
  CUcontext context = nullptr;
  return get_current != nullptr && get_current(&context) == CUDA_SUCCESS ? context : nullptr;
}

DriverDevice driver_device() {
  auto* const get_device = driver_function<CUresult(CUdevice*)>("cuCtxGetDevice");
  auto* const get_attribute =
      driver_function<CUresult(int*, CUdevice_attribute, CUdevice)>("cuDeviceGetAttribute");
  CUdevice device = 0;
  if (get_device == nullptr || get_attribute == nullptr || current_context() == nullptr ||
      get_device(&device) != CUDA_SUCCESS) {
    return {};
  }
  const auto told = [&](CUdevice_attribute attribute) {
    int value = 0;
    return get_attribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
  };
  return {.shared_by_mps = told(CU_DEVICE_ATTRIBUTE_MPS_ENABLED) != 0,
          .capability_major = told(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)};
}

void synchronize_context() {
  auto* const synchronize = driver_function<CUresult()>("cuCtxSynchronize");
  if (synchronize != nullptr && current_context() != nullptr) {
    static_cast<void>(synchronize());
  }
}

}  // namespace dlbench::probes
