// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/open_device.h"

#include "engine/backend/cuda_loader.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/nearest_name.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

/// Said once, however many times the process opens the device.
void say_choice(const std::string& name, const std::string& why_no_better) {
  static std::once_flag said;
  std::call_once(said, [&] { core::log::info("using " + name + ": " + why_no_better); });
}

std::unique_ptr<backend::Backend> best_device(const backend::BackendOptions& options) {
  backend::register_cuda();
  std::string why;
  for (const std::string& name : backend::backend_names()) {
    try {
      auto made = backend::create_backend(name, options);
      if (!why.empty()) {
        say_choice(name, why);
      }
      return made;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUnavailable) {
        throw;
      }
      if (const std::string reason = error.what(); !why.ends_with(reason)) {  // cpu's may be ref's
        why += (why.empty() ? "" : "; ") + reason;
      }
    }
  }
  throw Error(ErrorCode::kUnavailable, "no device can be used: " + why);
}

/// "cuda:1" in parts.
struct DeviceName {
  std::string backend;
  std::optional<int> index;
};

/// Throws Error(kUsage) for what is no device anywhere.
DeviceName parse_device(const std::string& device) {
  const std::size_t colon = device.find(':');
  DeviceName parts{.backend = device.substr(0, colon)};
  const std::vector<std::string> known = backend::backend_names();
  if (parts.backend == "gpu") {  // one letter from "cpu", but not what was meant
    throw Error(ErrorCode::kUsage, "--device: '" + device + "' is no device; did you mean 'cuda'?");
  }
  if (device != "auto" && parts.backend != "cuda" &&
      std::find(known.begin(), known.end(), parts.backend) == known.end()) {
    throw Error(ErrorCode::kUsage,
                core::unknown_name_message(
                    "device", device, std::array<std::string, 3>{"auto", "cpu", "cuda"}));
  }
  if (colon != std::string::npos) {
    const std::string index = device.substr(colon + 1);
    const bool digits =
        !index.empty() && index.size() < 4 &&
        std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (parts.backend != "cuda" || !digits) {
      throw Error(ErrorCode::kUsage,
                  "--device: '" + device + "' is no device; wanted auto, cpu, cuda or cuda:N");
    }
    parts.index = std::stoi(index);
  }
  return parts;
}

}  // namespace

std::unique_ptr<backend::Backend> open_device(const std::string& device,
                                              std::optional<std::int64_t> threads,
                                              int local_rank,
                                              const GpuPlace& gpu) {
  backend::BackendOptions options{.threads = static_cast<int>(threads.value_or(0)),
                                  .local_rank = local_rank,
                                  .gpu_address = gpu.address,
                                  .host_gpus = gpu.of};
  const DeviceName parts = parse_device(device);
  if (parts.backend == "auto") {
    return best_device(options);
  }
  options.device_index = parts.index.value_or(options.device_index);
  return backend::create_backend(parts.backend, options);
}

void check_device(const std::string& device, const std::string& precision) {
  // bf16 is a matter of the processor.
  if (parse_device(device).backend == "cpu" && (precision == "tf32" || precision == "fp16")) {
    static_cast<void>(compute_dtype(precision, *backend::create_backend("cpu", {})));
  }
}

void require_host_memory(const backend::Backend& backend, const std::string& option) {
  if (!backend.reads_host_memory()) {
    throw Error(ErrorCode::kUnavailable,
                option + " works in host memory, which a step on '" + std::string(backend.name()) +
                    "' does not use: it is there for --device cpu");
  }
}

core::DType compute_dtype(const std::string& precision, const backend::Backend& backend) {
  core::DType dtype = core::DType::kF32;
  if (precision == "bf16") {
    dtype = core::DType::kBF16;
  } else if (precision == "fp16") {
    dtype = core::DType::kF16;
  } else if (precision == "tf32") {
    if (backend.device().kind != "cuda") {
      throw Error(ErrorCode::kUnavailable,
                  "--precision tf32 exists on NVIDIA GPUs only; this run uses " +
                      std::string(backend.name()) + ": choose fp32 or bf16");
    }
  } else if (precision != "fp32") {
    throw Error(
        ErrorCode::kUsage,
        core::unknown_name_message(
            "precision", precision, std::array<std::string, 4>{"fp32", "tf32", "bf16", "fp16"}));
  }
  std::string why;
  if (!backend.supports(dtype, &why)) {
    throw Error(ErrorCode::kUnavailable, "--precision " + precision + ": " + why);
  }
  return dtype;
}

}  // namespace dlbench::harness
