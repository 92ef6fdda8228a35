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

void synchronize_context() {
  auto* const synchronize = driver_function<CUresult()>("cuCtxSynchronize");
  if (synchronize != nullptr && current_context() != nullptr) {
    static_cast<void>(synchronize());
  }
}

}  // namespace dlbench::probes
