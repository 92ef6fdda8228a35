// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// cuDNN's own description of this device, as JSON: what tests/engine/backend/cuda/devices has of
// others, so that plans can be asked for where no GPU is. Written to the file that
// $DLBENCH_DEVICE_PROPERTIES names.
#include "engine/backend/backend.h"
#include "engine/backend/cuda/libraries/cudnn_descriptor.h"  // for cuDNN's types

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace dlbench {
namespace {

/// The library that the plug-in has loaded: this program links none.
class Cudnn {
 public:
  Cudnn() : library_(dlopen("libcudnn.so.9", RTLD_NOW)) {
    if (library_ == nullptr) {
      throw std::runtime_error(dlerror());
    }
  }

  template <typename Function>
  [[nodiscard]] Function find(const char* name) const {
    void* const symbol = dlsym(library_, name);
    if (symbol == nullptr) {
      throw std::runtime_error(dlerror());
    }
    return reinterpret_cast<Function>(symbol);
  }

 private:
  void* library_;  // never closed: the plug-in goes on using it
};

#define DLBENCH_FIND(cudnn, function) (cudnn).find<decltype(&(function))>(#function)

std::string device_properties_json() {
  const Cudnn cudnn;
  const auto text = DLBENCH_FIND(cudnn, cudnnGetErrorString);
  const auto check = [text](cudnnStatus_t status, const char* call) {
    if (status != CUDNN_STATUS_SUCCESS) {
      throw std::runtime_error(std::string(call) + ": " + text(status));
    }
  };
  cudnnHandle_t handle = nullptr;
  check(DLBENCH_FIND(cudnn, cudnnCreate)(&handle), "cudnnCreate");
  cudnnBackendDescriptor_t device = nullptr;
  check(DLBENCH_FIND(cudnn, cudnnBackendCreateDescriptor)(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR,
                                                          &device),
        "cudnnBackendCreateDescriptor");
  check(DLBENCH_FIND(cudnn, cudnnBackendSetAttribute)(
            device, CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle),
        "cudnnBackendSetAttribute");
  check(DLBENCH_FIND(cudnn, cudnnBackendFinalize)(device), "cudnnBackendFinalize");
  const auto get = DLBENCH_FIND(cudnn, cudnnBackendGetAttribute);
  const auto name = CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION;
  std::int64_t size = 0;
  check(get(device, name, CUDNN_TYPE_CHAR, 0, &size, nullptr), "cudnnBackendGetAttribute");
  std::string json(static_cast<std::size_t>(size), '\0');
  check(get(device, name, CUDNN_TYPE_CHAR, size, &size, json.data()), "cudnnBackendGetAttribute");
  json.resize(json.find('\0') == std::string::npos ? json.size() : json.find('\0'));
  check(DLBENCH_FIND(cudnn, cudnnBackendDestroyDescriptor)(device),
        "cudnnBackendDestroyDescriptor");
  check(DLBENCH_FIND(cudnn, cudnnDestroy)(handle), "cudnnDestroy");
  return json;
}

TEST(GpuDevice, IsDescribedByCudnn) {
  if (const std::string why = backend::backend_unavailable_reason("cuda"); !why.empty()) {
    GTEST_SKIP() << why;
  }
  const auto device = backend::create_backend("cuda", {});  // cuDNN describes the current device
  const std::string json = device_properties_json();
  std::cout << json << '\n';
  EXPECT_NE(json.find("\"deviceVer\""), std::string::npos);
  EXPECT_NE(json.find(device->device().name), std::string::npos) << device->device().name;
  if (const char* file = std::getenv("DLBENCH_DEVICE_PROPERTIES"); file != nullptr) {
    std::ofstream(file) << json << '\n';
  }
}

}  // namespace
}  // namespace dlbench
