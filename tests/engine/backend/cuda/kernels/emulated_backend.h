// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A backend for tests: the own kernels of the CUDA backend, run thread by thread on the host, and
// the ref backend for contractions. The conformance cases run on it unchanged.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/cuda/kernels/channels_last.h"
#include "engine/backend/ref/ref_backend.h"
#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/graph/graph.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::backend::cuda {

/// How the emulated device lays out memory.
struct Emulation {
  Index channel_multiple = 8;  ///< channels are padded to this
  bool misaligned = false;     ///< every address is one element off: single accesses
  std::uint32_t resident_blocks = 3;
  Fault fault = Fault::kNone;
};

/// A tensor in emulated device memory: fresh memory is NaN, guards stand on both sides.
class DeviceTensor {
 public:
  /// Activations lie channels-last and padded, all else row-major.
  DeviceTensor(core::DType dtype, const core::Shape& shape, bool activation, const Emulation& how);

  void upload(const std::byte* plain);
  /// Throws std::runtime_error if a guard was overwritten or a padding lane is not zero.
  void download(std::byte* plain) const;

  template <typename T = std::byte>
  [[nodiscard]] T* as() {
    return reinterpret_cast<T*>(memory_.data() + offset_);
  }
  [[nodiscard]] const ChannelsLast& layout() const { return layout_; }
  [[nodiscard]] core::DType dtype() const { return dtype_; }
  [[nodiscard]] const core::Shape& shape() const { return shape_; }

 private:
  template <typename Visit>
  void for_each_element(const Visit& visit) const;
  void check_guards() const;
  [[nodiscard]] std::size_t bytes() const;

  core::DType dtype_;
  core::Shape shape_;
  ChannelsLast layout_;
  std::size_t offset_ = 0;
  std::vector<std::byte> memory_;
};

/// The operands of one node.
struct DeviceOperands {
  std::vector<DeviceTensor> inputs;
  std::vector<DeviceTensor> outputs;
  std::vector<DeviceTensor> updates;
};

/// Whether an own kernel does this op.
[[nodiscard]] bool emulated(graph::OpKind op);
/// Runs the own kernel of a node.
void emulate(HostLauncher& launcher, const graph::Node& node, DeviceOperands& operands);

/// Room for a reduction, poisoned.
[[nodiscard]] std::vector<float> poisoned_scratch(std::size_t bytes);

class EmulatedBackend final : public Backend {
 public:
  explicit EmulatedBackend(const Emulation& how) : how_(how) {}

  [[nodiscard]] std::string_view name() const override { return "emulated"; }
  [[nodiscard]] DeviceInfo device() const override { return ref_.device(); }
  [[nodiscard]] bool supports(core::DType dtype, std::string* why) const override {
    return ref_.supports(dtype, why);
  }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t bytes) override {
    return ref_.allocate(bytes);
  }
  [[nodiscard]] std::unique_ptr<Stream> create_stream() override { return ref_.create_stream(); }
  [[nodiscard]] core::HostAllocator& host_allocator() override { return ref_.host_allocator(); }
  [[nodiscard]] bool reads_host_memory() const override { return true; }
  [[nodiscard]] std::unique_ptr<LoweredGraph> lower(const graph::Graph& graph,
                                                    const LoweringOptions& options) override;

 private:
  Emulation how_;
  ref::RefBackend ref_{{.threads = 1}};
};

}  // namespace dlbench::backend::cuda
