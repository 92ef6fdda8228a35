// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/cpu_backend.h"

#include "engine/backend/backend_list.h"
#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/host_buffer.h"
#include "engine/backend/host_stream.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/core/processor_name.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dlbench::backend::cpu {
namespace {

bool has_avx512(const std::string& isa) { return isa.rfind("avx512", 0) == 0; }

const BackendRegistration kRegistration{
    {.name = "cpu",
     .priority = 10,
     .unavailable_reason = unavailable_reason,
     .create = [](const BackendOptions& options) -> std::unique_ptr<Backend> {
       return std::make_unique<CpuBackend>(options);
     }}};

}  // namespace

std::string unavailable_reason() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return {};
  }
  return "the cpu backend needs a processor with AVX2 and FMA, which " +
         core::host_processor_name() +
         " lacks; choose the ref backend (--device ref, for verify --backend ref)";
}

CpuBackend::CpuBackend(const BackendOptions& options) {
  if (const std::string reason = unavailable_reason(); !reason.empty()) {
    throw core::Error(core::ErrorCode::kUnavailable, reason);
  }
  threads_ = core::configure_compute_threads(options.threads);
}

std::map<std::string, std::string> CpuBackend::libraries() const {
  return {{"onednn", onednn_version()}};
}

DeviceInfo CpuBackend::device() const {
  return {.name = core::host_processor_name(),
          .kind = "cpu",
          .memory_bytes = 0,
          .threads = threads_,
          .isa = onednn_isa()};
}

bool CpuBackend::supports(core::DType dtype, std::string* why) const {
  const std::string isa = onednn_isa();
  if (dtype == core::DType::kF32) {
    return true;
  }
  // The last two include bf16 too.
  constexpr std::array<std::string_view, 4> kWithBf16{
      "avx512_core_bf16", "avx512_core_amx", "avx512_core_amx_fp16", "avx512_core_fp16"};
  if (dtype == core::DType::kBF16 && std::ranges::find(kWithBf16, isa) != kWithBf16.end()) {
    return true;
  }
  if (why != nullptr) {
    *why =
        dtype == core::DType::kBF16
            ? "bf16 needs a processor with AVX512-BF16 or AMX, this one offers " + isa
            : "the cpu backend computes in f32 and bf16, not in " + std::string(core::name(dtype));
  }
  return false;
}

std::unique_ptr<Buffer> CpuBackend::allocate(std::size_t bytes) {
  return std::make_unique<HostBuffer>(bytes);
}

std::unique_ptr<Stream> CpuBackend::create_stream() { return std::make_unique<HostStream>(); }

core::HostAllocator& CpuBackend::host_allocator() { return core::default_host_allocator(); }

std::unique_ptr<LoweredGraph> CpuBackend::lower(const graph::Graph& graph,
                                                const LoweringOptions& options) {
  const std::string isa = onednn_isa();
  const Machine machine{.block = has_avx512(isa) ? 16 : 8, .threads = threads_, .isa = isa};
  Choices choices(options,
                  core::host_processor_name() + " " + isa + " " + std::to_string(threads_) +
                      " threads oneDNN " + onednn_version());
  Tuner tuner(choices);
  auto lowered = GraphLowering(graph, options, machine, tuner).run();
  choices.save();
  return lowered;
}

}  // namespace dlbench::backend::cpu
