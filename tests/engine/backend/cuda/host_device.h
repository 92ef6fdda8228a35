// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA backend with the host in place of the device: its own lowering and kernels (thread by
// thread, dlbench_host_kernels), the ref backend's convolutions in place of cuDNN's. What it cannot
// show is what the libraries and the device do.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/cuda/contractions.h"
#include "engine/backend/ref/ref_backend.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dlbench::backend::cuda {

/// Sees each convolution with its addresses, right after it ran.
using ConvObserver = std::function<void(const ConvProblem&, const ContractionCall&)>;

/// Contractions in double, on channels-last memory.
class HostContractions final : public Contractions {
 public:
  explicit HostContractions(ConvObserver observer = {}) : observer_(std::move(observer)) {}

  [[nodiscard]] Contraction convolution(const ConvProblem& problem,
                                        const std::string& decision) override;
  [[nodiscard]] Contraction product(const MatrixProduct& product) override;
  /// Whether convolutions round their operands as tf32 does; products say so themselves.
  void set_tf32(bool on) { tf32_ = on; }
  /// Otherwise weight gradients are called not repeatable, as many of cuDNN's are.
  void set_deterministic(bool on) { deterministic_ = on; }

 private:
  ConvObserver observer_;
  bool tf32_ = false;
  bool deterministic_ = false;
};

/// Fresh memory is NaN.
class HostDevice final : public Backend {
 public:
  explicit HostDevice(ConvObserver observer = {});

  [[nodiscard]] std::string_view name() const override { return "cuda-on-host"; }
  [[nodiscard]] DeviceInfo device() const override { return ref_.device(); }
  [[nodiscard]] bool supports(core::DType dtype, std::string* why) const override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<Stream> create_stream() override { return ref_.create_stream(); }
  [[nodiscard]] core::HostAllocator& host_allocator() override { return ref_.host_allocator(); }
  [[nodiscard]] bool reads_host_memory() const override { return false; }
  [[nodiscard]] StateLayout state_layout(const graph::Value& value) const override;
  void pack_state(const graph::Value& value,
                  const core::HostTensor& logical,
                  std::byte* physical) const override;
  void unpack_state(const graph::Value& value,
                    const std::byte* physical,
                    core::HostTensor& logical) const override;
  [[nodiscard]] std::unique_ptr<LoweredGraph> lower(const graph::Graph& graph,
                                                    const LoweringOptions& options) override;

 private:
  ref::RefBackend ref_{{.threads = 1}};
  HostContractions contractions_;
};

}  // namespace dlbench::backend::cuda
