// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU backend: oneDNN for contractions, own kernels for everything that is memory-bound.
#pragma once

#include "engine/backend/backend.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace dlbench::backend::cpu {

/// Why this machine cannot run the backend, in one sentence; empty if it can.
[[nodiscard]] std::string unavailable_reason();

class CpuBackend final : public Backend {
 public:
  /// Configures the OpenMP threads of the calling thread. Throws core::Error(kUnavailable) if
  /// unavailable_reason() is not empty.
  explicit CpuBackend(const BackendOptions& options);

  [[nodiscard]] std::string_view name() const override { return "cpu"; }
  [[nodiscard]] DeviceInfo device() const override;
  [[nodiscard]] std::map<std::string, std::string> libraries() const override;
  [[nodiscard]] bool supports(core::DType dtype, std::string* why) const override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Stream> create_stream() override;
  [[nodiscard]] core::HostAllocator& host_allocator() override;
  [[nodiscard]] bool reads_host_memory() const override { return true; }
  [[nodiscard]] std::unique_ptr<LoweredGraph> lower(const graph::Graph& graph,
                                                    const LoweringOptions& options) override;

 private:
  int threads_ = 1;
};

}  // namespace dlbench::backend::cpu
