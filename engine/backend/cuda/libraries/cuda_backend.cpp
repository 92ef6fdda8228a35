// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/cuda_backend.h"

#include "engine/backend/cuda/layout.h"
#include "engine/backend/cuda/libraries/cuda_call.h"
#include "engine/backend/cuda/libraries/cuda_stream.h"
#include "engine/backend/cuda/libraries/device_contractions.h"
#include "engine/backend/cuda/libraries/device_probe.h"
#include "engine/backend/cuda/lowering.h"
#include "engine/backend/tuning.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <cuda_profiler_api.h>
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>

namespace dlbench::backend::cuda {
namespace {

/// Ampere, the first architecture with bf16 and tf32.
constexpr int kAmpere = 80;

}  // namespace

CudaBackend::CudaBackend(const BackendOptions& options)
    : CudaBackend(read_device_status(
          options.device_index >= 0
              ? options.device_index
              : choose_device(read_all_devices(),
                              {.local_rank = options.local_rank, .address = options.gpu_address}),
          Attach::kYes)) {}

CudaBackend::CudaBackend(const DeviceStatus& status)
    : index_(status.index),
      capability_((throw_if_unusable(status), 10 * status.major + status.minor)),
      pinned_(status.index) {
  warn_of_environment();
  cudaDeviceProp properties{};
  DLBENCH_CUDA(cudaGetDeviceProperties(&properties, status.index));
  integrated_ = properties.integrated != 0;
  info_ = {.name = properties.name,
           .kind = "cuda",
           .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem),
           .threads = 0,
           .isa = fmt::format("sm_{}", capability_),
           .address = status.address};
  libraries_ = {{"cuda", cuda_version_text(status.runtime_version)},
                {"cuda_driver", cuda_version_text(status.driver_version)},
                {"cudnn", library_version_text(status.cudnn_version)},
                {"nccl", library_version_text(status.nccl_version)},
                {"cublaslt", library_version_text(static_cast<long>(cublasLtGetVersion()))}};
}

void CudaBackend::warn_of_environment() {
  if (const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
      blocking != nullptr && std::string_view(blocking) != "0") {
    core::log::warn_once(
        fmt::format("CUDA_LAUNCH_BLOCKING={}: the host waits for each kernel, and no time is that "
                    "of a training; unset it",
                    blocking));
  }
  if (const char* emulates = std::getenv("CUBLAS_EMULATE_SINGLE_PRECISION");
      emulates != nullptr && std::string_view(emulates) != "0") {
    core::log::warn_once(fmt::format(
        "CUBLAS_EMULATE_SINGLE_PRECISION={}: cuBLAS may make products in f32 of several "
        "in bf16, which is not what --precision fp32 and its peak mean; unset it",
        emulates));
  }
}

void CudaBackend::throw_if_unusable(const DeviceStatus& status) {
  if (const std::string why = why_unusable(status); !why.empty()) {
    throw core::Error(core::ErrorCode::kUnavailable, why);
  }
}

void CudaBackend::attach_thread() { DLBENCH_CUDA(cudaSetDevice(index_)); }

bool CudaBackend::supports(core::DType dtype, std::string* why) const {
  std::string reason;
  if (dtype == core::DType::kBF16 && capability_ < kAmpere) {
    reason = fmt::format("bf16 needs compute capability 8.0, {} is {}", info_.name, info_.isa);
  } else if (dtype != core::DType::kF32 && dtype != core::DType::kBF16 &&
             dtype != core::DType::kF16) {
    reason =
        "the cuda backend computes in f32, bf16 and f16, not in " + std::string(core::name(dtype));
  }
  if (why != nullptr) {
    *why = reason;
  }
  return reason.empty();
}

std::unique_ptr<Buffer> CudaBackend::allocate(std::size_t bytes) {
  return std::make_unique<CudaBuffer>(bytes);
}

// What an integrated GPU reports as free is what the kernel reports, without page cache that could
// be dropped (github.com/vllm-project/vllm/pull/35356).
std::optional<std::int64_t> CudaBackend::free_memory() const {
  if (integrated_) {
    return std::nullopt;
  }
  std::size_t free = 0;
  std::size_t total = 0;
  DLBENCH_CUDA(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

bool CudaBackend::set_profiler_capture(bool on) {
  const cudaError_t done = cudaDeviceSynchronize();
  if (!on) {  // recording is stopped even if a step has failed
    DLBENCH_CUDA(cudaProfilerStop());
  }
  check(done, "cudaDeviceSynchronize()");
  if (on) {
    DLBENCH_CUDA(cudaProfilerStart());
  }
  return true;
}

std::unique_ptr<Stream> CudaBackend::create_stream() { return std::make_unique<CudaStream>(); }

StateLayout CudaBackend::state_layout(const graph::Value& value) const {
  StateLayout layout = Backend::state_layout(value);
  layout.name = layout_name(value);
  return layout;
}

void CudaBackend::pack_state(const graph::Value& value,
                             const core::HostTensor& logical,
                             std::byte* physical) const {
  to_physical(value, logical, physical);
}

void CudaBackend::unpack_state(const graph::Value& value,
                               const std::byte* physical,
                               core::HostTensor& logical) const {
  to_logical(value, physical, logical);
}

std::unique_ptr<LoweredGraph> CudaBackend::lower(const graph::Graph& graph,
                                                 const LoweringOptions& options) {
  if (options.allow_tf32 && capability_ < kAmpere) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      fmt::format("--precision tf32: tf32 needs compute capability 8.0, {} is {}",
                                  info_.name,
                                  info_.isa));
  }
  if (const std::string refusal = tf32_override_refusal(
          core::environment_variable("NVIDIA_TF32_OVERRIDE"), options.allow_tf32);
      !refusal.empty()) {
    throw core::Error(core::ErrorCode::kUnavailable, refusal);
  }
  if (options.conv_algorithm == ConvAlgorithm::kWinograd) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      "the cuda backend chooses among cuDNN's plans: --conv-algorithm winograd is "
                      "for the cpu");
  }
  // What is fastest with one driver, runtime or cuDNN version need not be with another.
  Choices choices(options,
                  fmt::format("{} {} driver {} CUDA {} cuDNN {}",
                              info_.name,
                              info_.isa,
                              libraries_.at("cuda_driver"),
                              libraries_.at("cuda"),
                              libraries_.at("cudnn")));
  DeviceContractions contractions(handles_, options, choices, tried_);
  auto lowered = lower_graph(graph, options, contractions, handle_of);
  choices.save();
  return lowered;
}

}  // namespace dlbench::backend::cuda
