// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What of cuBLASLt needs a device; its descriptors are the real ones. In place of the library's
// functions by the linker's --wrap (README.md).
#include "tests/engine/backend/cuda/fake/cublaslt_task.h"
#include "tests/engine/backend/cuda/fake/device.h"
#include "tests/engine/backend/cuda/fake/products.h"
#include "tests/engine/backend/cuda/fake/refusal.h"
#include "tests/engine/backend/cuda/fake/tensor_view.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the linker's names.
cublasStatus_t __real_cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t*,
                                                           cublasLtMatmulAlgoConfigAttributes_t,
                                                           void*,
                                                           std::size_t,
                                                           std::size_t*);
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
}

namespace dlbench::fake {
namespace {

/// What is behind cuBLASLt's opaque handle here.
struct CublasHandle {
  int device = 0;
};

/// Handles that were created and not destroyed. Leaked, for they may be destroyed late.
struct CublasHandles {
  std::mutex mutex;
  std::set<cublasLtHandle_t> known;
};
CublasHandles& cublas_handles() {
  static auto* const handles = new CublasHandles;
  return *handles;
}

template <typename Call>
cublasStatus_t answer_cublas(const char* function, Call call) {
  try {
    call();
    return CUBLAS_STATUS_SUCCESS;
  } catch (const CublasRefusal& refusal) {
    print_refusal(function, refusal.what());
    return refusal.status();
  } catch (const std::exception& error) {
    print_refusal(function, error.what());
    return CUBLAS_STATUS_INTERNAL_ERROR;
  }
}

void require_usable(cublasLtHandle_t handle) {
  CublasHandles& handles = cublas_handles();
  const std::scoped_lock lock(handles.mutex);
  if (handles.known.count(handle) == 0) {
    throw CublasRefusal(CUBLAS_STATUS_NOT_INITIALIZED, "no handle, or a destroyed one");
  }
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess) {
    throw CublasRefusal(CUBLAS_STATUS_EXECUTION_FAILED, "the device failed before");
  }
  require_valid(device == reinterpret_cast<const CublasHandle*>(handle)->device,
                "the handle is of another device than the thread");
}

/// One call, checked: what its kernel needs.
class MatmulLaunch {
 public:
  struct Addresses {
    const void* a;
    const void* b;
    const void* c;
    void* d;
    void* workspace;
    std::size_t workspace_bytes;  ///< given
  };

  MatmulLaunch(MatmulTask task,
               const MatmulAlgorithm& algorithm,
               const Addresses& addresses,
               float alpha,
               float beta)
      : task_(std::move(task)),
        addresses_(addresses),
        workspace_bytes_(static_cast<std::size_t>(algorithm.workspace_bytes)),
        alpha_(alpha),
        beta_(beta) {
    require_valid(algorithm.fingerprint == task_.fingerprint(),
                  "the algorithm was found for another product");
    check("A", addresses.a, task_.a.bytes(), algorithm.alignments[0]);
    check("B", addresses.b, task_.b.bytes(), algorithm.alignments[1]);
    check("C", addresses.c, task_.c.bytes(), algorithm.alignments[2]);
    check("D", addresses.d, task_.d.bytes(), algorithm.alignments[3]);
    if (task_.has_bias) {
      check("the bias",
            task_.bias,
            task_.bias_bytes(),
            std::max<std::uint64_t>(algorithm.bias_alignment, bytes_of(task_.d.element)));
    }
    require_valid(workspace_bytes_ <= addresses.workspace_bytes,
                  "the workspace is smaller than the algorithm's");
    if (addresses.workspace_bytes > 0) {
      // 256: cuBLAS' manual of cublasLtMatmul; TransformerEngine pull request 2223.
      check("the workspace", addresses.workspace, addresses.workspace_bytes, 256);
    }
    require_apart("A", addresses.a, task_.a.bytes());
    require_apart("B", addresses.b, task_.b.bytes());
    require_apart("the bias", task_.bias, task_.bias_bytes());
    require_apart("the workspace", addresses.workspace, addresses.workspace_bytes);
    if (addresses.c != addresses.d || task_.c.strides != task_.d.strides) {
      require_apart("C", addresses.c, task_.c.bytes());
    }
    require_workspace_apart("A", addresses.a, task_.a.bytes());
    require_workspace_apart("B", addresses.b, task_.b.bytes());
    require_workspace_apart("C", addresses.c, task_.c.bytes());
    require_workspace_apart("the bias", task_.bias, task_.bias_bytes());
  }

  /// The workspace is left as anything.
  void operator()() const {
    if (workspace_bytes_ > 0) {
      std::memset(addresses_.workspace, 0xFF, workspace_bytes_);
    }
    std::vector<float> a = gather(task_.a, addresses_.a);
    std::vector<float> b = gather(task_.b, addresses_.b);
    if (task_.tf32) {
      round_all_to_tf32(a);
      round_all_to_tf32(b);
    }
    Panels panels(task_.terms(), task_.columns());
    panels.pack(b.data(), task_.columns(), 1);
    std::vector<double> sums(static_cast<std::size_t>(task_.rows() * panels.padded_columns()));
    std::vector<const float*> rows;
    std::vector<double*> results;
    for (std::int64_t row = 0; row < task_.rows(); ++row) {
      rows.push_back(a.data() + row * task_.terms());
      results.push_back(sums.data() + row * panels.padded_columns());
    }
    add_products(panels, rows, results);
    write(results);
  }

 private:
  static void check(const std::string& what,
                    const void* address,
                    std::size_t bytes,
                    std::uint64_t alignment) {
    require_valid(is_device_memory(address, bytes),
                  what + " is no device memory of " + std::to_string(bytes) + " bytes");
    require_valid(is_aligned(address, static_cast<std::size_t>(alignment)),
                  what + " is not aligned to " + std::to_string(alignment));
  }
  void require_apart(const std::string& what, const void* address, std::size_t bytes) const {
    require_valid(!overlap(address, bytes, addresses_.d, task_.d.bytes()), what + " overlaps D");
  }
  void require_workspace_apart(const std::string& what,
                               const void* address,
                               std::size_t bytes) const {
    require_valid(!overlap(address, bytes, addresses_.workspace, addresses_.workspace_bytes),
                  what + " overlaps the workspace");
  }

  void write(const std::vector<double*>& sums) const {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(task_.d.elements()));
    const std::vector<float> old =
        beta_ == 0 ? std::vector<float>{} : gather(task_.c, addresses_.c);
    const TensorView bias_view{
        .element = task_.d.element, .extents = {task_.rows()}, .strides = {1}};
    const std::vector<float> bias =
        task_.has_bias ? gather(bias_view, task_.bias) : std::vector<float>{};
    for (std::size_t row = 0; row < sums.size(); ++row) {
      for (std::int64_t column = 0; column < task_.columns(); ++column) {
        double value = static_cast<double>(alpha_) * sums[row][column];
        if (!old.empty()) {
          value += static_cast<double>(beta_) * static_cast<double>(old[values.size()]);
        }
        if (!bias.empty()) {
          value += static_cast<double>(bias[row]);
        }
        values.push_back(static_cast<float>(value));
      }
    }
    scatter(task_.d, values, addresses_.d);
  }

  MatmulTask task_;
  Addresses addresses_;
  std::size_t workspace_bytes_;
  float alpha_;
  float beta_;
};

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the linker's names.

cublasStatus_t __wrap_cublasLtCreate(cublasLtHandle_t* handle) {
  return answer_cublas("cublasLtCreate", [&] {
    require_valid(handle != nullptr, "no place for the handle");
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) {
      throw CublasRefusal(CUBLAS_STATUS_NOT_INITIALIZED, "no device");
    }
    CublasHandles& handles = cublas_handles();
    const std::scoped_lock lock(handles.mutex);
    *handle = reinterpret_cast<cublasLtHandle_t>(new CublasHandle{.device = device});
    handles.known.insert(*handle);
  });
}

cublasStatus_t __wrap_cublasLtDestroy(cublasLtHandle_t handle) {
  return answer_cublas("cublasLtDestroy", [&] {
    CublasHandles& handles = cublas_handles();
    const std::scoped_lock lock(handles.mutex);
    if (handles.known.erase(handle) == 0) {
      throw CublasRefusal(CUBLAS_STATUS_NOT_INITIALIZED, "no handle, or a destroyed one");
    }
    delete reinterpret_cast<CublasHandle*>(handle);
  });
}

cublasStatus_t __wrap_cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                                     cublasLtMatmulDesc_t operation,
                                                     cublasLtMatrixLayout_t a,
                                                     cublasLtMatrixLayout_t b,
                                                     cublasLtMatrixLayout_t c,
                                                     cublasLtMatrixLayout_t d,
                                                     cublasLtMatmulPreference_t preference,
                                                     int requested,
                                                     cublasLtMatmulHeuristicResult_t* results,
                                                     int* found) {
  return answer_cublas("cublasLtMatmulAlgoGetHeuristic", [&] {
    require_usable(handle);
    require_valid(requested > 0 && results != nullptr && found != nullptr, "no room for a result");
    *found = 0;
    const MatmulAlgorithm algorithm =
        found_algorithm(matmul_task(operation, {a, b, c, d}), preference);
    *results = {};
    std::memcpy(&results->algo, &algorithm, sizeof algorithm);
    results->workspaceSize = static_cast<std::size_t>(algorithm.workspace_bytes);
    results->state = CUBLAS_STATUS_SUCCESS;
    results->wavesCount = 1;
    *found = 1;
  });
}

cublasStatus_t __wrap_cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t* algo,
    cublasLtMatmulAlgoConfigAttributes_t name,
    void* value,
    std::size_t bytes,
    std::size_t* written) {
  return answer_cublas("cublasLtMatmulAlgoConfigGetAttribute", [&] {
    static_cast<void>(algorithm_of(algo));
    // The library reads a configuration of its own, all of whose parts are 0, from zeros.
    const cublasLtMatmulAlgo_t zeros{};
    const cublasStatus_t status =
        __real_cublasLtMatmulAlgoConfigGetAttribute(&zeros, name, value, bytes, written);
    if (status != CUBLAS_STATUS_SUCCESS) {
      throw CublasRefusal(status, "attribute " + std::to_string(static_cast<int>(name)));
    }
  });
}

cublasStatus_t __wrap_cublasLtMatmul(cublasLtHandle_t handle,
                                     cublasLtMatmulDesc_t operation,
                                     const void* alpha,
                                     const void* a,
                                     cublasLtMatrixLayout_t a_layout,
                                     const void* b,
                                     cublasLtMatrixLayout_t b_layout,
                                     const void* beta,
                                     const void* c,
                                     cublasLtMatrixLayout_t c_layout,
                                     void* d,
                                     cublasLtMatrixLayout_t d_layout,
                                     const cublasLtMatmulAlgo_t* algo,
                                     void* workspace,
                                     std::size_t workspace_bytes,
                                     cudaStream_t stream) {
  return answer_cublas("cublasLtMatmul", [&] {
    require_usable(handle);
    require_valid(alpha != nullptr && beta != nullptr, "no alpha or beta");
    const MatmulLaunch kernel(matmul_task(operation, {a_layout, b_layout, c_layout, d_layout}),
                              algorithm_of(algo),
                              {a, b, c, d, workspace, workspace_bytes},
                              *static_cast<const float*>(alpha),
                              *static_cast<const float*>(beta));
    const cudaError_t status =
        launch(stream,
               kernel,
               {.kernel = "fake_cublaslt_gemm", .call = "cuLaunchKernelEx", .api = Api::kDriver});
    if (status != cudaSuccess) {
      throw CublasRefusal(CUBLAS_STATUS_EXECUTION_FAILED, cudaGetErrorString(status));
    }
  });
}

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
}

}  // namespace dlbench::fake
