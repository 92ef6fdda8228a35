// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/device_probe.h"

#include "engine/core/library_file.h"
#include "engine/core/plugin.h"

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

/// The file that contains a function; empty if the loader does not know it.
template <typename Function>
std::string file_of(Function* function) {
  Dl_info found{};
  const bool known = dladdr(reinterpret_cast<const void*>(function), &found) != 0;
  return known && found.dli_fname != nullptr ? found.dli_fname : "";
}

/// Looks for the libraries that cuDNN needs for convolutions. Without the first of them
/// libcudnn.so.9 kills the process at its first call, without the others it has no plans.
void find_missing_part(DeviceStatus& status) {
  const std::filesystem::path cudnn = status.cudnn_path;
  if (!cudnn.filename().string().starts_with("libcudnn.so")) {
    return;
  }
  constexpr const char* kGraph = "libcudnn_graph.so.9";
  for (const char* part : {kGraph,
                           "libcudnn_engines_precompiled.so.9",
                           "libcudnn_engines_runtime_compiled.so.9",
                           "libcudnn_heuristic.so.9"}) {
    const std::filesystem::path beside = cudnn.parent_path() / part;
    std::error_code ignored;
    const bool is_beside = std::filesystem::exists(beside, ignored);
    std::string defect = is_beside ? core::library_defect(beside) : "";
    if (defect.empty() && (!is_beside || part == kGraph)) {
      void* const library = dlopen(is_beside ? beside.c_str() : part, RTLD_LAZY | RTLD_LOCAL);
      if (library == nullptr || (part == kGraph && dlsym(library, "cudnnGetVersion") == nullptr)) {
        defect = core::last_loader_error();
      }
    }
    if (!defect.empty()) {
      status.cudnn_lacks = part;
      status.why_lacking = defect;
      return;
    }
  }
}

void read_libraries(DeviceStatus& status) {
  status.runtime_version = CUDART_VERSION;
  static_cast<void>(cudaDriverGetVersion(&status.driver_version));
  status.cudnn_built_with = CUDNN_VERSION;
  status.cudnn_path = file_of(&cudnnGetVersion);
  find_missing_part(status);
  if (status.cudnn_lacks.empty()) {
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
    cudaError_t attached = cudaSetDevice(status.index);  // creates the context
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
