// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// libcuda.so.1, with the functions that cuDNN looks for when it makes plans. They answer that there
// is no device; only the thread's context, the wait for it and some of its attributes are the
// runtime's, which says so when it takes a device.
// NOLINTBEGIN(readability-identifier-naming): the names of the driver.
#include <atomic>

namespace {

constexpr int kNoDevice = 100;        // CUDA_ERROR_NO_DEVICE
constexpr int kInvalidContext = 201;  // CUDA_ERROR_INVALID_CONTEXT

std::atomic<void* (*)()> thread_context{nullptr};
std::atomic<int (*)()> wait_for_device{nullptr};
std::atomic<int (*)(int)> attribute_of_device{nullptr};

}  // namespace

extern "C" {

void dlbench_fake_driver_calls(void* (*context)(),
                               int (*synchronize)(),
                               int (*attribute)(int number)) {
  wait_for_device = synchronize;
  attribute_of_device = attribute;
  thread_context = context;  // last: who finds it finds the others
}

int cuCtxGetCurrent(void** context) {
  const auto current = thread_context.load();
  if (current == nullptr) {
    return kNoDevice;
  }
  *context = current();
  return 0;
}

int cuCtxSynchronize() {
  const auto current = thread_context.load();
  if (current == nullptr) {
    return kNoDevice;
  }
  return current() != nullptr ? wait_for_device.load()() : kInvalidContext;
}

int cuCtxGetDevice(int* device) {
  const auto current = thread_context.load();
  if (current == nullptr) {
    return kNoDevice;
  }
  *device = 0;
  return current() != nullptr ? 0 : kInvalidContext;
}

int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
  const auto told = attribute_of_device.load();
  *value = told != nullptr ? told(attribute) : -1;
  return *value >= 0 ? 0 : kNoDevice;
}

}  // extern "C"

#define DLBENCH_DRIVER_FUNCTION(name) \
  extern "C" int name() { return kNoDevice; }
DLBENCH_DRIVER_FUNCTION(cuCtxGetLimit)
DLBENCH_DRIVER_FUNCTION(cuCtxPopCurrent)
DLBENCH_DRIVER_FUNCTION(cuCtxPushCurrent)
DLBENCH_DRIVER_FUNCTION(cuDeviceGet)
DLBENCH_DRIVER_FUNCTION(cuDeviceGetCount)
DLBENCH_DRIVER_FUNCTION(cuDriverGetVersion)
DLBENCH_DRIVER_FUNCTION(cuGetErrorName)
DLBENCH_DRIVER_FUNCTION(cuGetErrorString)
DLBENCH_DRIVER_FUNCTION(cuInit)
DLBENCH_DRIVER_FUNCTION(cuKernelGetAttribute)
DLBENCH_DRIVER_FUNCTION(cuKernelSetAttribute)
DLBENCH_DRIVER_FUNCTION(cuLaunchCooperativeKernel)
DLBENCH_DRIVER_FUNCTION(cuLaunchKernel)
DLBENCH_DRIVER_FUNCTION(cuLaunchKernelEx)
DLBENCH_DRIVER_FUNCTION(cuLibraryGetKernel)
DLBENCH_DRIVER_FUNCTION(cuLibraryLoadData)
DLBENCH_DRIVER_FUNCTION(cuLibraryLoadFromFile)
DLBENCH_DRIVER_FUNCTION(cuLibraryUnload)
DLBENCH_DRIVER_FUNCTION(cuLinkAddData)
DLBENCH_DRIVER_FUNCTION(cuLinkComplete)
DLBENCH_DRIVER_FUNCTION(cuLinkCreate)
DLBENCH_DRIVER_FUNCTION(cuLinkDestroy)
DLBENCH_DRIVER_FUNCTION(cuOccupancyMaxPotentialClusterSize)
DLBENCH_DRIVER_FUNCTION(cuStreamGetCtx)
// NOLINTEND(readability-identifier-naming)
