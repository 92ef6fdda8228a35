// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The backend for one NVIDIA GPU. Activations and convolution weights are channels-last;
// contractions run in cuDNN and cuBLASLt, everything else in own kernels.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/cuda/libraries/cuda_memory.h"
#include "engine/backend/cuda/libraries/device_contractions.h"
#include "engine/backend/cuda/libraries/device_status.h"
#include "engine/backend/cuda/libraries/library_handles.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dlbench::backend::cuda {

class CudaBackend final : public Backend {
 public:
  /// Makes the device current on this thread. Throws core::Error(kUnavailable) with why_unusable().
  explicit CudaBackend(const BackendOptions& options);

  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] DeviceInfo device() const override { return info_; }
  [[nodiscard]] std::map<std::string, std::string> libraries() const override { return libraries_; }
  [[nodiscard]] bool supports(core::DType dtype, std::string* why) const override;

  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t bytes) override;
  [[nodiscard]] std::optional<std::int64_t> free_memory() const override;
  [[nodiscard]] std::unique_ptr<Stream> create_stream() override;
  [[nodiscard]] core::HostAllocator& host_allocator() override { return pinned_; }
  [[nodiscard]] bool reads_host_memory() const override { return false; }
  /// Makes the device current.
  void attach_thread() override;
  bool set_profiler_capture(bool on) override;

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
  explicit CudaBackend(const DeviceStatus& status);
  static void throw_if_unusable(const DeviceStatus& status);
  static void warn_of_environment();

  int index_;
  int capability_;           ///< compute capability times ten
  bool integrated_ = false;  ///< the device shares the host's memory
  DeviceInfo info_;
  std::map<std::string, std::string> libraries_;
  PinnedAllocator pinned_;
  LibraryHandles handles_;
  TriedPlans tried_;
};

}  // namespace dlbench::backend::cuda
