// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Devices, what the environment makes of them, and errors.
#include "tests/engine/backend/cuda/fake/runtime.h"

#include <cuda_profiler_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::fake {
namespace {

thread_local int thread_device = 0;
thread_local bool thread_has_context = false;
thread_local cudaError_t last_error = cudaSuccess;

[[noreturn]] void refuse_setting(const std::string& word) {
  fmt::print(stderr,
             "DLBENCH_FAKE_GPU: '{}' is not known (tests/engine/backend/cuda/fake/README.md)\n",
             word);
  std::exit(64);
}

void read_word(const std::string& word, Setting& made) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    return refuse_setting(word);
  }
  const std::string name = word.substr(0, equals);
  const std::string value = word.substr(equals + 1);
  if (name == "devices") {
    made.devices = std::stoi(value);
  } else if (name == "capability") {
    made.major = std::stoi(value);
    made.minor = std::stoi(value.substr(value.find('.') + 1));
  } else if (name == "memory_mib") {
    made.memory_bytes = std::stoull(value) << 20;
  } else if (name == "filled_after") {
    made.filled_after = std::stoll(value);
  } else if (name == "integrated") {
    made.integrated = value == "1";
  } else if (name == "mps") {
    made.mps = value == "1";
  } else if (name == "attach_error") {
    made.attach_error = std::stoi(value);
  } else if (name == "taken") {
    made.taken = std::stoi(value);
  } else if (name == "prohibited") {
    made.prohibited = value == "1";
  } else if (name == "fails_at") {
    made.fails_at = std::stoll(value);
  } else if (name == "calls") {
    made.calls = value;
  } else if (name == "graphs") {
    made.graphs = value != "0";
  } else if (name == "wrong_engines") {
    made.wrong_engines = value;
  } else if (name == "late_us") {
    made.late_us = std::stoi(value);
  } else {
    refuse_setting(word);
  }
}

Setting read_setting() {
  Setting made;
  const char* text = std::getenv("DLBENCH_FAKE_GPU");
  std::istringstream words(text != nullptr ? text : "");
  for (std::string word; std::getline(words, word, ',');) {
    read_word(word, made);
  }
  return made;
}

/// The numbers of the devices that CUDA_VISIBLE_DEVICES leaves; what is behind a wrong one is
/// hidden too.
std::vector<int> read_visible() {
  std::vector<int> devices;
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (text == nullptr) {
    for (int device = 0; device < setting().devices; ++device) {
      devices.push_back(device);
    }
    return devices;
  }
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    if (!number || std::stoi(word) >= setting().devices) {
      break;
    }
    devices.push_back(std::stoi(word));
  }
  return devices;
}

const std::vector<int>& visible() {
  static const std::vector<int> devices = read_visible();
  return devices;
}

bool is_visible(int device) {
  return device >= 0 && static_cast<std::size_t>(device) < visible().size();
}

/// Into the log of tests/probes/nvtx_tool.cpp, so that a test sees which ranges are captured.
void note_capture(const char* what) {
  if (const char* log = std::getenv("DLBENCH_NVTX_LOG"); log != nullptr) {
    std::ofstream(log, std::ios::app) << "profiler " << what << '\n';
  }
}

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};
#define DLBENCH_ERROR(error, text) \
  { error, #error, text }
constexpr ErrorText kErrors[] = {
    DLBENCH_ERROR(cudaSuccess, "no error"),
    DLBENCH_ERROR(cudaErrorInvalidValue, "invalid argument"),
    DLBENCH_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    DLBENCH_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    DLBENCH_ERROR(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    DLBENCH_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    DLBENCH_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    DLBENCH_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    DLBENCH_ERROR(cudaErrorNotReady, "device not ready"),
    DLBENCH_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    DLBENCH_ERROR(cudaErrorAssert, "device-side assert triggered"),
    DLBENCH_ERROR(cudaErrorNotSupported, "operation not supported"),
    DLBENCH_ERROR(cudaErrorStreamCaptureUnsupported,
                  "operation not permitted when stream is capturing"),
    DLBENCH_ERROR(cudaErrorStreamCaptureInvalidated,
                  "operation failed due to a previous error during capture"),
    DLBENCH_ERROR(cudaErrorStreamCaptureMerge,
                  "operation would result in a merge of separate capture sequences"),
    DLBENCH_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream"),
    DLBENCH_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    DLBENCH_ERROR(cudaErrorStreamCaptureIsolation,
                  "dependency created on uncaptured work in another stream"),
    DLBENCH_ERROR(cudaErrorCapturedEvent,
                  "operation not permitted on an event last recorded in a capturing stream"),
    DLBENCH_ERROR(cudaErrorStreamCaptureWrongThread,
                  "attempt to terminate a thread-local capture sequence from another thread"),
};
#undef DLBENCH_ERROR

const ErrorText& text_of(cudaError_t error) {
  static constexpr ErrorText kUnknown{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
  for (const ErrorText& known : kErrors) {
    if (known.error == error) {
      return known;
    }
  }
  return kUnknown;
}

std::atomic<cudaError_t> device_error{cudaSuccess};

void* thread_context() { return thread_has_context ? context_of(thread_device) : nullptr; }

int synchronize_context() {
  const Call call("cuCtxSynchronize", Wait::kDevice, Api::kDriver);
  if (refuse_while_device_records(thread_device) != cudaSuccess) {
    return cudaErrorStreamCaptureUnsupported;  // the driver's number is the same
  }
  drain_device(thread_device);
  return device_failure();
}

/// -1: not told.
int driver_attribute(int number) {
  switch (number) {
    case cudaDevAttrComputeCapabilityMajor:
      return setting().major;
    case cudaDevAttrMpsEnabled:
      return setting().mps ? 1 : 0;
    default:
      return -1;
  }
}

/// As the runtime loads the driver. Where it is another one it does nothing.
void load_driver() {
  using Tell = void(void* (*)(), int (*)(), int (*)(int));
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver != nullptr) {
    if (auto* tell = reinterpret_cast<Tell*>(dlsym(driver, "dlbench_fake_driver_calls"));
        tell != nullptr) {
      tell(thread_context, synchronize_context, driver_attribute);
    }
  }
}

}  // namespace

const Setting& setting() {
  static const Setting made = read_setting();
  return made;
}

Runtime& runtime() {
  static auto* const all = new Runtime;
  return *all;
}

std::unique_lock<std::recursive_mutex> lock_runtime() { return std::unique_lock(runtime().mutex); }

// Who asks is about to use it: its context is the thread's from now on.
int current_device() {
  thread_has_context = true;
  return thread_device;
}

cudaError_t answer(cudaError_t status) {
  if (status != cudaSuccess) {
    last_error = status;
  }
  return status;
}

cudaError_t device_failure() { return device_error.load(); }

void fail_device(cudaError_t error) {
  cudaError_t none = cudaSuccess;
  device_error.compare_exchange_strong(none, error);
}

}  // namespace dlbench::fake

// NOLINTNEXTLINE(google-build-using-namespace): all that follows are functions of C, outside of it.
using namespace dlbench::fake;

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(visible().size());
  return answer(*count == 0 ? cudaErrorNoDevice : device_failure());
}

cudaError_t cudaGetDevice(int* device) {
  *device = thread_device;
  return answer(device_failure());
}

cudaError_t cudaSetDevice(int device) {
  if (!is_visible(device)) {
    return answer(cudaErrorInvalidDevice);
  }
  if (setting().attach_error != 0) {
    return answer(static_cast<cudaError_t>(setting().attach_error));
  }
  if (setting().taken == device) {
    return answer(cudaErrorDevicesUnavailable);
  }
  static std::once_flag loaded;
  std::call_once(loaded, load_driver);
  thread_device = device;
  thread_has_context = true;
  return answer(device_failure());
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!is_visible(device)) {
    return answer(cudaErrorInvalidDevice);
  }
  *properties = {};
  const int number = visible()[static_cast<std::size_t>(device)];
  const std::string name = fmt::format("fake GPU {}", number);
  std::memcpy(properties->name, name.c_str(), name.size() + 1);
  properties->major = setting().major;
  properties->minor = setting().minor;
  properties->pciBusID = 0x41 + number;  // where tests/probes/gpu/fake_nvml.cpp has its device
  properties->totalGlobalMem = setting().memory_bytes;
  properties->integrated = setting().integrated ? 1 : 0;
  return answer(device_failure());
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!is_visible(device)) {
    return answer(cudaErrorInvalidDevice);
  }
  if (attribute != cudaDevAttrComputeMode) {
    return answer(cudaErrorNotSupported);
  }
  *value = setting().prohibited ? cudaComputeModeProhibited : cudaComputeModeDefault;
  return answer(device_failure());
}

cudaError_t cudaGetLastError() {
  if (device_failure() != cudaSuccess) {
    return device_failure();
  }
  return std::exchange(last_error, cudaSuccess);
}

const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }

const char* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }

cudaError_t cudaProfilerStart() {
  note_capture("start");
  return answer(device_failure());
}

cudaError_t cudaProfilerStop() {
  note_capture("stop");
  return answer(device_failure());
}
