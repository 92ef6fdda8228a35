// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// libcuda.so.1, with the functions that cuDNN looks for when it makes plans. They answer that there
// is no device.
// NOLINTBEGIN(readability-identifier-naming): the names of the driver.
#define DLBENCH_DRIVER_FUNCTION(name) \
  extern "C" int name() { return 100; }  // CUDA_ERROR_NO_DEVICE
DLBENCH_DRIVER_FUNCTION(cuCtxGetCurrent)
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
