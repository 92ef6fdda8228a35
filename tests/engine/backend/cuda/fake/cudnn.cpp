// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What of cuDNN needs a device. Descriptors, heuristics and plans are those of the real library,
// for the description of an H200; what a handle would tell it of its device, the description does.
// In place of the library's functions by the linker's --wrap (README.md).
#include "tests/engine/backend/cuda/fake/cudnn_launch.h"
#include "tests/engine/backend/cuda/fake/cudnn_program.h"
#include "tests/engine/backend/cuda/fake/cudnn_records.h"
#include "tests/engine/backend/cuda/fake/device.h"
#include "tests/engine/backend/cuda/fake/refusal.h"
#include "tests/engine/backend/cuda/fake/runtime.h"
#include "tests/engine/backend/cuda/fake/tensor_view.h"
#include "tests/engine/backend/cuda/fake/wrong_engines.h"

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// What is behind cuDNN's opaque handle here.
struct cudnnContext {
  int device = 0;
  bool has_stream = false;  ///< cudnnSetStream was called
  cudaStream_t stream = nullptr;
};

extern "C" {
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the linker's names.
cudnnStatus_t __real_cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t,
                                                  cudnnBackendDescriptor_t*);
cudnnStatus_t __real_cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t);
cudnnStatus_t __real_cudnnBackendFinalize(cudnnBackendDescriptor_t);
cudnnStatus_t __real_cudnnBackendSetAttribute(cudnnBackendDescriptor_t,
                                              cudnnBackendAttributeName_t,
                                              cudnnBackendAttributeType_t,
                                              std::int64_t,
                                              const void*);
cudnnStatus_t __real_cudnnBackendGetAttribute(cudnnBackendDescriptor_t,
                                              cudnnBackendAttributeName_t,
                                              cudnnBackendAttributeType_t,
                                              std::int64_t,
                                              std::int64_t*,
                                              void*);
void __real_cudnnGetLastErrorString(char*, std::size_t);
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
}

namespace dlbench::fake {
namespace {

/// Handles that were created and not destroyed. Leaked, as the records of descriptors are.
struct CudnnHandles {
  std::mutex mutex;
  std::set<cudnnHandle_t> known;
};
CudnnHandles& cudnn_handles() {
  static auto* const handles = new CudnnHandles;
  return *handles;
}

/// Of the thread's last call, if this file refused it.
std::string& last_cudnn_refusal() {
  thread_local std::string text;
  return text;
}

/// The status of what `call` returns or throws.
template <typename Call>
cudnnStatus_t answer_cudnn(const char* function, Call call) {
  last_cudnn_refusal().clear();
  try {
    return call();
  } catch (const CudnnRefusal& refusal) {
    last_cudnn_refusal() = refusal.what();
    print_refusal(function, refusal.what());
    return refusal.status();
  } catch (const std::exception& error) {
    last_cudnn_refusal() = error.what();
    print_refusal(function, error.what());
    return CUDNN_STATUS_INTERNAL_ERROR;
  }
}

void require_known(cudnnHandle_t handle) {
  CudnnHandles& handles = cudnn_handles();
  const std::scoped_lock lock(handles.mutex);
  require_or_bad(handles.known.count(handle) != 0, "no handle, or a destroyed one");
}

void require_success(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS) {
    std::array<char, 512> detail{};
    __real_cudnnGetLastErrorString(detail.data(), detail.size());
    throw CudnnRefusal(status, std::string(what) + ": " + detail.data());
  }
}

/// The description of the device in place of which this runs; never destroyed.
cudnnBackendDescriptor_t described_h200() {
  static const cudnnBackendDescriptor_t described = [] {
    std::ifstream file(DLBENCH_TEST_DEVICES "/h200_device_properties.json");
    std::string json((std::istreambuf_iterator<char>(file)), {});
    json.erase(json.find_last_not_of('\n') + 1);
    cudnnBackendDescriptor_t device = nullptr;
    require_success(
        __real_cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &device),
        "the device's description");
    require_success(__real_cudnnBackendSetAttribute(device,
                                                    CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
                                                    CUDNN_TYPE_CHAR,
                                                    static_cast<std::int64_t>(json.size()),
                                                    json.data()),
                    "the device's description");
    require_success(__real_cudnnBackendFinalize(device), "the device's description");
    return device;
  }();
  return described;
}

void describe_device(cudnnBackendDescriptor_t raw, cudnnBackendAttributeName_t name) {
  const cudnnBackendDescriptor_t device = described_h200();
  require_success(
      __real_cudnnBackendSetAttribute(raw, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &device),
      "the device's description in place of the handle");
}

class RealDescriptor {
 public:
  explicit RealDescriptor(cudnnBackendDescriptorType_t type) {
    require_success(__real_cudnnBackendCreateDescriptor(type, &raw_), "a descriptor");
  }
  ~RealDescriptor() { __real_cudnnBackendDestroyDescriptor(raw_); }
  RealDescriptor(const RealDescriptor&) = delete;
  RealDescriptor& operator=(const RealDescriptor&) = delete;

  void get_from(cudnnBackendDescriptor_t owner, cudnnBackendAttributeName_t name) {
    std::int64_t count = 0;
    require_success(__real_cudnnBackendGetAttribute(
                        owner, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw_),
                    "a descriptor of the plan");
  }
  [[nodiscard]] cudnnBackendDescriptor_t raw() const { return raw_; }

 private:
  cudnnBackendDescriptor_t raw_ = nullptr;
};

/// The engine of a plan.
class PlanEngine {
 public:
  explicit PlanEngine(cudnnBackendDescriptor_t plan) {
    configuration_.get_from(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    engine_.get_from(configuration_.raw(), CUDNN_ATTR_ENGINECFG_ENGINE);
  }

  [[nodiscard]] std::int64_t number() const {
    std::int64_t number = 0;
    get(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &number);
    return number;
  }
  /// Whether it says that it rounds operands in f32.
  [[nodiscard]] bool rounds_to_tf32() const {
    std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
    const std::int64_t count = get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                   CUDNN_TYPE_NUMERICAL_NOTE,
                                   static_cast<std::int64_t>(notes.size()),
                                   notes.data());
    return std::any_of(notes.begin(), notes.begin() + count, [](cudnnBackendNumericalNote_t note) {
      return note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
             note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS;
    });
  }

 private:
  std::int64_t get(cudnnBackendAttributeName_t name,
                   cudnnBackendAttributeType_t type,
                   std::int64_t most,
                   void* values) const {
    std::int64_t count = 0;
    require_success(
        __real_cudnnBackendGetAttribute(engine_.raw(), name, type, most, &count, values),
        "the plan's engine");
    return count;
  }

  RealDescriptor configuration_{CUDNN_BACKEND_ENGINECFG_DESCRIPTOR};
  RealDescriptor engine_{CUDNN_BACKEND_ENGINE_DESCRIPTOR};
};

struct EngineList {
  std::mutex mutex;
  std::string list;

  bool has(std::int64_t engine) {
    const std::scoped_lock lock(mutex);
    return list == "all" ||
           ("+" + list + "+").find(fmt::format("+{}+", engine)) != std::string::npos;
  }
};

/// Which engines compute something else than they should.
EngineList& wrong_engines() {
  static auto* const engines = new EngineList{.mutex = {}, .list = setting().wrong_engines};
  return *engines;
}

EngineList& engines_without_memory() {
  static auto* const engines = new EngineList;
  return *engines;
}

void set_list(EngineList& engines, const std::string& list) {
  const std::scoped_lock lock(engines.mutex);
  engines.list = list;
}

/// What the library finds out of a plan when it is finalised.
void complete_plan(cudnnBackendDescriptor_t raw, CudnnRecord& plan) {
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  require_success(
      __real_cudnnBackendGetAttribute(
          raw, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &bytes),
      "the plan's workspace");
  plan.workspace_bytes = static_cast<std::size_t>(bytes);
  try {
    for (const auto& [name, attribute] : plan.attributes) {
      if (name != CUDNN_ATTR_EXECUTION_PLAN_HANDLE &&
          name != CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP &&
          name != CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG) {
        throw CudnnRefusal(CUDNN_STATUS_NOT_SUPPORTED,
                           "attribute " + std::to_string(static_cast<int>(name)) +
                               " of a plan is not interpreted here");
      }
    }
    const CudnnAttribute* configuration = plan.find(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    if (configuration == nullptr || configuration->descriptors.at(0)->graph == nullptr) {
      throw CudnnRefusal(CUDNN_STATUS_NOT_SUPPORTED,
                         "a plan whose configuration is not from cuDNN's heuristics");
    }
    const PlanEngine engine(raw);
    CudnnProgram program =
        cudnn_program(*configuration->descriptors[0]->graph, engine.rounds_to_tf32());
    plan.engine = engine.number();
    if (wrong_engines().has(plan.engine)) {
      program.turn_filters();
    }
    plan.program = std::make_shared<const CudnnProgram>(std::move(program));
  } catch (const CudnnRefusal& refusal) {
    plan.refusal = refusal.what();  // said where it is to be executed: plans may only be looked at
  }
}

void execute(cudnnHandle_t handle,
             cudnnBackendDescriptor_t raw_plan,
             cudnnBackendDescriptor_t raw_pack) {
  require_known(handle);
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess) {
    throw CudnnRefusal(CUDNN_STATUS_EXECUTION_FAILED_CUDART, "the device failed before");
  }
  require_or_bad(device == handle->device, "the handle is of another device than the thread");
  require_or_bad(handle->has_stream, "the handle was told no stream");
  const CudnnRecordPtr plan = cudnn_records().find(raw_plan);
  const CudnnRecordPtr pack = cudnn_records().find(raw_pack);
  require_or_bad(plan->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR && plan->finalized,
                 "no finalised plan");
  require_or_bad(pack->type == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR && pack->finalized,
                 "no finalised variant pack");
  require_or_bad(plan->find(CUDNN_ATTR_EXECUTION_PLAN_HANDLE) != nullptr,
                 "the plan is of a description, not of a device");
  if (plan->program == nullptr) {
    throw CudnnRefusal(CUDNN_STATUS_NOT_SUPPORTED, plan->refusal);
  }
  if (engines_without_memory().has(plan->engine)) {
    throw CudnnRefusal(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, "no memory");
  }
  const cudaError_t status = launch(
      handle->stream,
      CudnnLaunch(*plan, *pack),
      {.kernel = kernel_name(*plan->program), .call = "cudaLaunchKernelExC", .api = Api::kRuntime});
  if (status != cudaSuccess) {
    throw CudnnRefusal(CUDNN_STATUS_EXECUTION_FAILED_CUDART, cudaGetErrorString(status));
  }
}

bool names_handle(cudnnBackendAttributeName_t name) {
  return name == CUDNN_ATTR_OPERATIONGRAPH_HANDLE || name == CUDNN_ATTR_EXECUTION_PLAN_HANDLE;
}

}  // namespace

void set_wrong_engines(const std::string& list) { set_list(wrong_engines(), list); }

void set_engines_without_memory(const std::string& list) {
  set_list(engines_without_memory(), list);
}

extern "C" {
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the linker's names.

cudnnStatus_t __wrap_cudnnCreate(cudnnHandle_t* handle) {
  return answer_cudnn("cudnnCreate", [&] {
    require_or_bad(handle != nullptr, "no place for the handle");
    auto made = std::make_unique<cudnnContext>();
    if (cudaGetDevice(&made->device) != cudaSuccess) {
      throw CudnnRefusal(CUDNN_STATUS_NOT_INITIALIZED, "no device");
    }
    CudnnHandles& handles = cudnn_handles();
    const std::scoped_lock lock(handles.mutex);
    *handle = made.release();
    handles.known.insert(*handle);
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t __wrap_cudnnDestroy(cudnnHandle_t handle) {
  return answer_cudnn("cudnnDestroy", [&] {
    require_known(handle);
    CudnnHandles& handles = cudnn_handles();
    const std::scoped_lock lock(handles.mutex);
    handles.known.erase(handle);
    delete handle;
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t __wrap_cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return answer_cudnn("cudnnSetStream", [&] {
    require_known(handle);
    handle->has_stream = true;
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
  });
}

void __wrap_cudnnGetLastErrorString(char* message, std::size_t max_size) {
  const std::string& refusal = last_cudnn_refusal();
  if (refusal.empty()) {
    __real_cudnnGetLastErrorString(message, max_size);
  } else if (max_size > 0) {
    std::snprintf(message, max_size, "%s", refusal.c_str());
  }
}

cudnnStatus_t __wrap_cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                                  cudnnBackendDescriptor_t* descriptor) {
  return answer_cudnn("cudnnBackendCreateDescriptor", [&] {
    const cudnnStatus_t status = __real_cudnnBackendCreateDescriptor(type, descriptor);
    if (status == CUDNN_STATUS_SUCCESS) {
      cudnn_records().add(*descriptor, {.type = type});
    }
    return status;
  });
}

cudnnStatus_t __wrap_cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  cudnn_records().remove(descriptor);
  return __real_cudnnBackendDestroyDescriptor(descriptor);
}

cudnnStatus_t __wrap_cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                              cudnnBackendAttributeName_t name,
                                              cudnnBackendAttributeType_t type,
                                              std::int64_t count,
                                              const void* values) {
  return answer_cudnn("cudnnBackendSetAttribute", [&] {
    if (names_handle(name)) {
      require_or_bad(type == CUDNN_TYPE_HANDLE && count == 1 && values != nullptr, "no handle");
      require_known(*static_cast<const cudnnHandle_t*>(values));
      require_or_bad(!cudnn_records().find(descriptor)->finalized, "the descriptor is finalised");
      if (name == CUDNN_ATTR_EXECUTION_PLAN_HANDLE) {
        describe_device(descriptor, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
      }
    } else {
      const cudnnStatus_t status =
          __real_cudnnBackendSetAttribute(descriptor, name, type, count, values);
      if (status != CUDNN_STATUS_SUCCESS) {
        return status;
      }
    }
    cudnn_records().set(descriptor, name, type, count, values);
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t __wrap_cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor,
                                              cudnnBackendAttributeName_t name,
                                              cudnnBackendAttributeType_t type,
                                              std::int64_t requested,
                                              std::int64_t* count,
                                              void* values) {
  return answer_cudnn("cudnnBackendGetAttribute", [&] {
    std::int64_t got = 0;
    const cudnnStatus_t status =
        __real_cudnnBackendGetAttribute(descriptor, name, type, requested, &got, values);
    if (count != nullptr) {
      *count = got;
    }
    if (status == CUDNN_STATUS_SUCCESS && name == CUDNN_ATTR_ENGINEHEUR_RESULTS &&
        values != nullptr) {
      const CudnnRecordPtr heuristics = cudnn_records().find(descriptor);
      const CudnnAttribute* graph = heuristics->find(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
      const auto* made = static_cast<const cudnnBackendDescriptor_t*>(values);
      for (std::int64_t i = 0; i < std::min(got, requested); ++i) {
        cudnn_records().add(made[i],
                            {.type = CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
                             .finalized = true,
                             .graph = graph == nullptr ? nullptr : graph->descriptors.at(0)});
      }
    }
    return status;
  });
}

cudnnStatus_t __wrap_cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return answer_cudnn("cudnnBackendFinalize", [&] {
    const CudnnRecordPtr record = cudnn_records().find(descriptor);
    if (record->type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR) {
      const CudnnAttribute* graph = record->find(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
      if (graph != nullptr &&
          graph->descriptors.at(0)->find(CUDNN_ATTR_OPERATIONGRAPH_HANDLE) != nullptr) {
        describe_device(descriptor, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
      }
    }
    const cudnnStatus_t status = __real_cudnnBackendFinalize(descriptor);
    if (status == CUDNN_STATUS_SUCCESS) {
      record->finalized = true;
      if (record->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
        complete_plan(descriptor, *record);
      }
    }
    return status;
  });
}

cudnnStatus_t __wrap_cudnnBackendExecute(cudnnHandle_t handle,
                                         cudnnBackendDescriptor_t plan,
                                         cudnnBackendDescriptor_t pack) {
  return answer_cudnn("cudnnBackendExecute", [&] {
    execute(handle, plan, pack);
    return CUDNN_STATUS_SUCCESS;
  });
}

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
}

}  // namespace dlbench::fake
