// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/failure_codes.h"

#include <algorithm>
#include <array>

namespace dlbench::backend::cuda {
namespace {

// Numbers of cudaError_t (CUDA 13.0, driver_types.h); they are part of its binary interface.
constexpr std::array kCudaRunErrors{
    2,    // cudaErrorMemoryAllocation
    46,   // cudaErrorDevicesUnavailable: another process took it
    214,  // cudaErrorECCUncorrectable
    220,  // cudaErrorNvlinkUncorrectable
    226,  // cudaErrorContained: like the two before, but other work is not affected
    304,  // cudaErrorOperatingSystem
    700,  // cudaErrorIllegalAddress
    702,  // cudaErrorLaunchTimeout: the display's watchdog ended a kernel
    709,  // cudaErrorContextIsDestroyed
    710,  // cudaErrorAssert
    714,  // cudaErrorHardwareStackError
    715,  // cudaErrorIllegalInstruction
    716,  // cudaErrorMisalignedAddress
    717,  // cudaErrorInvalidAddressSpace
    718,  // cudaErrorInvalidPc
    719,  // cudaErrorLaunchFailure
    721,  // cudaErrorTensorMemoryLeak
    802,  // cudaErrorSystemNotReady: the fabric manager of an NVSwitch machine
    805,  // cudaErrorMpsConnectionFailed
    806,  // cudaErrorMpsRpcFailure
    807,  // cudaErrorMpsServerNotReady
    808,  // cudaErrorMpsMaxClientsReached
    809,  // cudaErrorMpsMaxConnectionsReached
    810,  // cudaErrorMpsClientTerminated
    909,  // cudaErrorTimeout
    911,  // cudaErrorExternalDevice
    999,  // cudaErrorUnknown: for instance from a device that fell off the bus
};

// Numbers of cudnnStatus_t (cuDNN 9, cudnn_graph.h).
constexpr int kCudnnFpOverflow = 1007;       // CUDNN_STATUS_RUNTIME_FP_OVERFLOW
constexpr int kCudnnDeviceMemory = 4004;     // CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED
constexpr int kCudnnExecutionFailed = 5000;  // CUDNN_STATUS_EXECUTION_FAILED and its kinds up to
constexpr int kCudnnAfterExecution = 6000;   // here

// Numbers of cublasStatus_t (cuBLAS 13, cublas_api.h).
constexpr std::array kCublasRunErrors{
    3,   // CUBLAS_STATUS_ALLOC_FAILED: by cudaMalloc
    11,  // CUBLAS_STATUS_MAPPING_ERROR: memory of the device could not be reached
    13,  // CUBLAS_STATUS_EXECUTION_FAILED
    14,  // CUBLAS_STATUS_INTERNAL_ERROR: of a copy, as its manual says
};

core::ErrorCode run_if(bool device_failed) {
  return device_failed ? core::ErrorCode::kRun : core::ErrorCode::kLibrary;
}

}  // namespace

core::ErrorCode code_of_cuda(int status) {
  return run_if(std::find(kCudaRunErrors.begin(), kCudaRunErrors.end(), status) !=
                kCudaRunErrors.end());
}

core::ErrorCode code_of_cudnn(int status) {
  return run_if(status == kCudnnFpOverflow || status == kCudnnDeviceMemory ||
                (status >= kCudnnExecutionFailed && status < kCudnnAfterExecution));
}

core::ErrorCode code_of_cublas(int status) {
  return run_if(std::find(kCublasRunErrors.begin(), kCublasRunErrors.end(), status) !=
                kCublasRunErrors.end());
}

}  // namespace dlbench::backend::cuda
