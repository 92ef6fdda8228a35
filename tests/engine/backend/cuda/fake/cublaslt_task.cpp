// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/cublaslt_task.h"

#include "engine/core/fnv1a.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

namespace dlbench::fake {
namespace {

void require_supported(bool holds, const std::string& why) {
  if (!holds) {
    throw CublasRefusal(CUBLAS_STATUS_NOT_SUPPORTED, why + " is not interpreted here");
  }
}

using AttributeBytes = std::vector<std::byte>;

/// The value of an attribute; empty if the library knows none of that number.
template <typename Descriptor, typename Name>
AttributeBytes value_of(cublasStatus_t (*get)(Descriptor, Name, void*, std::size_t, std::size_t*),
                        Descriptor descriptor,
                        int name) {
  std::size_t bytes = 0;
  if (get(descriptor, static_cast<Name>(name), nullptr, 0, &bytes) != CUBLAS_STATUS_SUCCESS) {
    return {};
  }
  AttributeBytes value(bytes);
  std::size_t written = 0;
  require_valid(get(descriptor, static_cast<Name>(name), value.data(), bytes, &written) ==
                        CUBLAS_STATUS_SUCCESS &&
                    written == bytes,
                "attribute " + std::to_string(name));
  return value;
}

template <typename T, typename Descriptor, typename Name>
T get_as(cublasStatus_t (*get)(Descriptor, Name, void*, std::size_t, std::size_t*),
         Descriptor descriptor,
         Name name) {
  const AttributeBytes bytes = value_of(get, descriptor, static_cast<int>(name));
  require_valid(bytes.size() == sizeof(T), "attribute " + std::to_string(static_cast<int>(name)));
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// All attributes but those `interpreted` must be as in `fresh`, which nobody changed. `names`: how
/// many values the enumeration of their names can hold.
template <typename Descriptor, typename Name>
void require_defaults(cublasStatus_t (*get)(Descriptor, Name, void*, std::size_t, std::size_t*),
                      Descriptor descriptor,
                      Descriptor fresh,
                      std::initializer_list<Name> interpreted,
                      int names,
                      const char* what) {
  for (int name = 0; name < names; ++name) {
    if (std::find(interpreted.begin(), interpreted.end(), static_cast<Name>(name)) ==
        interpreted.end()) {
      require_supported(value_of(get, descriptor, name) == value_of(get, fresh, name),
                        "attribute " + std::to_string(name) + " of " + what);
    }
  }
}

Element element_of_cuda(std::int32_t type) {
  require_supported(type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF,
                    "data type " + std::to_string(type));
  return type == CUDA_R_32F ? Element::kF32 : type == CUDA_R_16F ? Element::kF16 : Element::kBF16;
}

/// (rows, columns) as the layout tells them.
TensorView matrix_of(cublasLtMatrixLayout_t layout) {
  require_valid(layout != nullptr, "no layout");
  const auto get = cublasLtMatrixLayoutGetAttribute;
  const auto type = get_as<std::int32_t>(get, layout, CUBLASLT_MATRIX_LAYOUT_TYPE);
  const auto order = get_as<std::int32_t>(get, layout, CUBLASLT_MATRIX_LAYOUT_ORDER);
  const auto rows =
      static_cast<std::int64_t>(get_as<std::uint64_t>(get, layout, CUBLASLT_MATRIX_LAYOUT_ROWS));
  const auto columns =
      static_cast<std::int64_t>(get_as<std::uint64_t>(get, layout, CUBLASLT_MATRIX_LAYOUT_COLS));
  const auto ld = get_as<std::int64_t>(get, layout, CUBLASLT_MATRIX_LAYOUT_LD);
  cublasLtMatrixLayout_t fresh = nullptr;
  require_valid(cublasLtMatrixLayoutCreate(&fresh,
                                           static_cast<cudaDataType_t>(type),
                                           static_cast<std::uint64_t>(rows),
                                           static_cast<std::uint64_t>(columns),
                                           ld) == CUBLAS_STATUS_SUCCESS,
                "a layout of these extents");
  try {
    require_defaults(get, layout, fresh, {CUBLASLT_MATRIX_LAYOUT_ORDER}, 16, "a layout");
  } catch (...) {
    cublasLtMatrixLayoutDestroy(fresh);
    throw;
  }
  cublasLtMatrixLayoutDestroy(fresh);
  require_supported(order == CUBLASLT_ORDER_COL || order == CUBLASLT_ORDER_ROW,
                    "order " + std::to_string(order));
  const bool by_columns = order == CUBLASLT_ORDER_COL;
  require_valid(rows > 0 && columns > 0 && ld >= (by_columns ? rows : columns),
                "rows, columns and leading dimension contradict each other");
  return {.element = element_of_cuda(type),
          .extents = {rows, columns},
          .strides = {by_columns ? 1 : ld, by_columns ? ld : 1}};
}

TensorView transposed_if(std::int32_t operation, TensorView view) {
  require_supported(operation == CUBLAS_OP_N || operation == CUBLAS_OP_T,
                    "operation " + std::to_string(operation));
  if (operation == CUBLAS_OP_T) {
    std::swap(view.extents[0], view.extents[1]);
    std::swap(view.strides[0], view.strides[1]);
  }
  return view;
}

void read_operation(cublasLtMatmulDesc_t operation,
                    const MatmulLayouts& layouts,
                    MatmulTask& task) {
  const auto get = cublasLtMatmulDescGetAttribute;
  task.a = transposed_if(get_as<std::int32_t>(get, operation, CUBLASLT_MATMUL_DESC_TRANSA),
                         matrix_of(layouts.a));
  task.b = transposed_if(get_as<std::int32_t>(get, operation, CUBLASLT_MATMUL_DESC_TRANSB),
                         matrix_of(layouts.b));
  task.c = matrix_of(layouts.c);
  task.d = matrix_of(layouts.d);
  const auto epilogue = get_as<std::uint32_t>(get, operation, CUBLASLT_MATMUL_DESC_EPILOGUE);
  require_supported(epilogue == CUBLASLT_EPILOGUE_DEFAULT || epilogue == CUBLASLT_EPILOGUE_BIAS,
                    "epilogue " + std::to_string(epilogue));
  task.has_bias = epilogue == CUBLASLT_EPILOGUE_BIAS;
  task.bias = get_as<const void*>(get, operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  const auto bias_type = get_as<std::int32_t>(get, operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
  require_supported(bias_type == -1 || element_of_cuda(bias_type) == task.d.element,
                    "a bias of another type than D");
}

/// The largest power of two, up to 256, that an address is a multiple of.
std::uint64_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | 256U;
  return bits & (~bits + 1);
}

}  // namespace

void require_valid(bool holds, const std::string& why) {
  if (!holds) {
    throw CublasRefusal(CUBLAS_STATUS_INVALID_VALUE, why);
  }
}

std::uint64_t MatmulTask::fingerprint() const {
  core::Fnv1a hash;
  const auto mix = [&hash](std::int64_t value) { hash.add(static_cast<std::uint64_t>(value)); };
  for (const TensorView* view : {&a, &b, &c, &d}) {
    mix(static_cast<std::int64_t>(view->element));
    for (std::size_t axis = 0; axis < 2; ++axis) {
      mix(view->extents[axis]);
      mix(view->strides[axis]);
    }
  }
  mix(tf32 ? 1 : 0);
  mix(has_bias ? 1 : 0);
  return hash.value();
}

MatmulTask matmul_task(cublasLtMatmulDesc_t operation, const MatmulLayouts& layouts) {
  require_valid(operation != nullptr, "no descriptor");
  const auto get = cublasLtMatmulDescGetAttribute;
  const auto compute = get_as<std::int32_t>(get, operation, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
  const auto scale = get_as<std::int32_t>(get, operation, CUBLASLT_MATMUL_DESC_SCALE_TYPE);
  require_supported(compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_FAST_TF32,
                    "compute type " + std::to_string(compute));
  require_supported(scale == CUDA_R_32F, "scale type " + std::to_string(scale));
  cublasLtMatmulDesc_t fresh = nullptr;
  require_valid(
      cublasLtMatmulDescCreate(&fresh,
                               static_cast<cublasComputeType_t>(compute),
                               static_cast<cudaDataType_t>(scale)) == CUBLAS_STATUS_SUCCESS,
      "a descriptor of these types");
  MatmulTask task;
  try {
    require_defaults(get,
                     operation,
                     fresh,
                     {CUBLASLT_MATMUL_DESC_TRANSA,
                      CUBLASLT_MATMUL_DESC_TRANSB,
                      CUBLASLT_MATMUL_DESC_EPILOGUE,
                      CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                      CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE},
                     64,
                     "a product");
    read_operation(operation, layouts, task);
  } catch (...) {
    cublasLtMatmulDescDestroy(fresh);
    throw;
  }
  cublasLtMatmulDescDestroy(fresh);
  require_valid(task.a.extents[0] == task.rows() && task.b.extents[1] == task.columns() &&
                    task.b.extents[0] == task.terms() && task.c.extents == task.d.extents,
                "the shapes of A, B, C and D contradict each other");
  require_supported(task.a.element == task.b.element && task.c.element == task.d.element &&
                        (task.d.element == task.a.element || task.d.element == Element::kF32),
                    "this mix of data types");
  task.tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  require_supported(!task.tf32 || task.a.element == Element::kF32, "TF32 of 16-bit operands");
  return task;
}

MatmulAlgorithm algorithm_of(const cublasLtMatmulAlgo_t* opaque) {
  require_valid(opaque != nullptr, "no algorithm");
  MatmulAlgorithm algorithm;
  std::memcpy(static_cast<void*>(&algorithm), opaque, sizeof algorithm);
  require_valid(algorithm.mark == MatmulAlgorithm::kMark,
                "an algorithm that cublasLtMatmulAlgoGetHeuristic did not give");
  return algorithm;
}

MatmulAlgorithm found_algorithm(const MatmulTask& task, cublasLtMatmulPreference_t preference) {
  require_valid(preference != nullptr, "no preference");
  const auto get = cublasLtMatmulPreferenceGetAttribute;
  cublasLtMatmulPreference_t fresh = nullptr;
  require_valid(cublasLtMatmulPreferenceCreate(&fresh) == CUBLAS_STATUS_SUCCESS, "a preference");
  try {
    // How sums may be split is nothing to these, which split none.
    require_defaults(get,
                     preference,
                     fresh,
                     {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                      CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES},
                     16,
                     "a preference");
  } catch (...) {
    cublasLtMatmulPreferenceDestroy(fresh);
    throw;
  }
  cublasLtMatmulPreferenceDestroy(fresh);
  MatmulAlgorithm algorithm{.fingerprint = task.fingerprint(),
                            .bias_alignment = task.has_bias ? alignment_of(task.bias) : 1};
  std::size_t operand = 0;
  for (const cublasLtMatmulPreferenceAttributes_t name :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    const auto alignment = get_as<std::uint32_t>(get, preference, name);
    require_valid(alignment != 0 && (alignment & (alignment - 1)) == 0, "an alignment");
    algorithm.alignments[operand++] = alignment;
  }
  // As the partial sums of a split in two would need, where there is room for them.
  const auto wanted = static_cast<std::uint64_t>(task.rows() * task.columns()) * 2 * sizeof(float);
  const auto most =
      get_as<std::uint64_t>(get, preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  algorithm.workspace_bytes = wanted <= most ? wanted : 0;
  return algorithm;
}

}  // namespace dlbench::fake
