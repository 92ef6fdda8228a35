// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The oracle: plain loops on row-major memory, one kernel per node, all arithmetic in double.
// Slow on purpose; every other backend is checked against it.
#pragma once

#include "engine/backend/backend.h"

#include <memory>
#include <string>
#include <string_view>

namespace dlbench::backend::ref {

/// Runs every op in every float dtype, including f64 (for gradient checks). Results are bitwise
/// equal for any number of threads. No fusion, no in-place reuse, no choice of algorithm: a request
/// for Winograd is ignored, since the oracle always convolves directly.
class RefBackend final : public Backend {
 public:
  /// Configures the OpenMP threads and flush-to-zero for the calling thread (core/parallel.h).
  explicit RefBackend(const BackendOptions& options);

  [[nodiscard]] std::string_view name() const override { return "ref"; }
  [[nodiscard]] DeviceInfo device() const override;
  [[nodiscard]] bool supports(core::DType dtype, std::string* why) const override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Stream> create_stream() override;
  [[nodiscard]] core::HostAllocator& host_allocator() override;
  [[nodiscard]] bool reads_host_memory() const override { return true; }
  [[nodiscard]] std::unique_ptr<LoweredGraph> lower(const graph::Graph& graph,
                                                    const LoweringOptions& options) override;

 private:
  int threads_;
};

}  // namespace dlbench::backend::ref
