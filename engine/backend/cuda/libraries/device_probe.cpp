// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/device_probe.h"

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nccl.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace dlbench::backend::cuda {
namespace {

/// The file that holds a function; empty if the loader does not know.
template <typename Function>
std::string file_of(Function* function) {
  Dl_info found{};
  const bool known = dladdr(reinterpret_cast<const void*>(function), &found) != 0;
  return known && found.dli_fname != nullptr ? found.dli_fname : "";
}

/// Whether cuDNN has the library that answers most of its calls: libcudnn.so.9 alone ends the
/// process at the first of them.
bool is_whole(const std::filesystem::path& cudnn) {
  constexpr const char* kGraph = "libcudnn_graph.so.9";
  std::error_code ignored;
  return !cudnn.filename().string().starts_with("libcudnn.so") ||
         std::filesystem::exists(cudnn.parent_path() / kGraph, ignored) ||
         dlopen(kGraph, RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

void read_libraries(DeviceStatus& status) {
  status.runtime_version = CUDART_VERSION;
  static_cast<void>(cudaDriverGetVersion(&status.driver_version));
  status.cudnn_built_with = CUDNN_VERSION;
  status.cudnn_path = file_of(&cudnnGetVersion);
  status.cudnn_whole = is_whole(status.cudnn_path);
  if (status.cudnn_whole) {
    status.cudnn_version = static_cast<long>(cudnnGetVersion());
    status.cudnn_cuda_version = static_cast<long>(cudnnGetCudartVersion());
  }
  status.nccl_built_with = NCCL_VERSION_CODE;
  static_cast<void>(ncclGetVersion(&status.nccl_version));
  status.nccl_path = file_of(&ncclGetVersion);
  status.architectures = kernel_architectures();
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible != nullptr) {
    status.visible_devices = visible;
  }
}

void read_device(DeviceStatus& status, Attach attach) {
  const auto fail = [&status](cudaError_t error) {
    status.attach_error = error;
    status.attach_error_text = error == cudaSuccess ? "" : cudaGetErrorString(error);
  };
  cudaDeviceProp properties{};
  if (const cudaError_t read = cudaGetDeviceProperties(&properties, status.index);
      read != cudaSuccess) {
    fail(read);
    return;
  }
  status.name = properties.name;
  status.major = properties.major;
  status.minor = properties.minor;
  status.address = fmt::format("{:04x}:{:02x}:{:02x}.0",
                               properties.pciDomainID,
                               properties.pciBusID,
                               properties.pciDeviceID);
  int mode = cudaComputeModeDefault;
  static_cast<void>(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, status.index));
  status.prohibited = mode == cudaComputeModeProhibited;
  if (!status.prohibited && attach == Attach::kYes) {
    cudaError_t attached = cudaSetDevice(status.index);  // makes the context
    if (attached == cudaSuccess) {
      attached = cudaFree(nullptr);
    }
    fail(attached);
  }
}

}  // namespace

DeviceStatus read_device_status(int index, Attach attach) {
  DeviceStatus status{.index = index};
  read_libraries(status);
  const cudaError_t counted = cudaGetDeviceCount(&status.devices);
  status.runtime_error = counted;
  if (counted != cudaSuccess) {
    status.runtime_error_text = cudaGetErrorString(counted);
    status.devices = 0;
  } else if (index < status.devices) {
    read_device(status, attach);
  }
  static_cast<void>(cudaGetLastError());
  return status;
}

std::vector<DeviceStatus> read_all_devices() {
  std::vector<DeviceStatus> devices{read_device_status(0, Attach::kNo)};
  for (int index = 1; index < devices.front().devices; ++index) {
    devices.push_back(read_device_status(index, Attach::kNo));
  }
  return devices;
}

}  // namespace dlbench::backend::cuda
