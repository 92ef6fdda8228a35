// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/kernels/emulated_backend.h"

#include "engine/core/round_up.h"
#include "engine/graph/op_def.h"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

constexpr std::size_t kGuard = 256;
constexpr std::byte kGuardByte{0xA5};
/// All bits set is a NaN in every float dtype.
constexpr std::byte kPoison{0xFF};

/// Layout of a tensor that is row-major: one position, no padding.
ChannelsLast flat(const core::Shape& shape) {
  return {.batch = 1, .spatial = 1, .channels = shape.elements(), .stride = shape.elements()};
}

ChannelsLast channels_last(const core::Shape& shape, Index multiple) {
  const Index positions = shape[0] * shape[1];
  return {.batch = shape[0],
          .spatial = positions == 0 ? 0 : shape.elements() / positions,
          .channels = shape[1],
          .stride = core::round_up(shape[1], multiple)};
}

class EmulatedKernel final : public Kernel {
 public:
  EmulatedKernel(const graph::Graph& graph, const graph::Node& node, const Emulation& how)
      : node_(node), how_(how), graph_(graph) {}

  void bind(const SlotTable& slots, std::byte* /*scratch*/) override { slots_ = &slots; }
  void run(Stream& /*stream*/) override {
    DeviceOperands operands;
    for (std::size_t index = 0; index < node_.inputs.size(); ++index) {
      operands.inputs.push_back(make(node_.inputs[index]));
      if (graph::reads_input(node_.op, index)) {
        operands.inputs.back().upload(address(node_.inputs[index]));
      }
    }
    for (const graph::ValueId id : node_.outputs) {
      operands.outputs.push_back(make(id));
    }
    for (const graph::ValueId id : node_.updates) {
      operands.updates.push_back(make(id));
      operands.updates.back().upload(address(id));
    }
    HostLauncher launcher(how_.resident_blocks, how_.fault);
    emulate(launcher, node_, operands);
    for (std::size_t index = 0; index < node_.outputs.size(); ++index) {
      operands.outputs[index].download(address(node_.outputs[index]));
    }
    for (std::size_t index = 0; index < node_.updates.size(); ++index) {
      operands.updates[index].download(address(node_.updates[index]));
    }
  }

 private:
  /// Slots of the ref backend are numbered as the values they hold.
  [[nodiscard]] std::byte* address(graph::ValueId id) const {
    return (*slots_)[static_cast<SlotId>(id)];
  }
  [[nodiscard]] DeviceTensor make(graph::ValueId id) const {
    const graph::Value& value = graph_.value(id);
    const bool pools =
        node_.op == graph::OpKind::kMaxPool || node_.op == graph::OpKind::kMaxPoolBackward;
    const bool activation =
        node_.phase != graph::Phase::kOptimizer &&
        (value.storage == graph::Storage::kActivation || value.storage == graph::Storage::kInput) &&
        value.shape.rank() >= 2 && (core::is_float(value.dtype) || pools);
    return {value.dtype, value.shape, activation, how_};
  }

  graph::Node node_;
  Emulation how_;
  const graph::Graph& graph_;
  const SlotTable* slots_ = nullptr;
};

}  // namespace

DeviceTensor::DeviceTensor(core::DType dtype,
                           const core::Shape& shape,
                           bool activation,
                           const Emulation& how)
    : dtype_(dtype),
      shape_(shape),
      layout_(activation ? channels_last(shape, how.channel_multiple) : flat(shape)) {
  memory_.assign(bytes() + 2 * kGuard, kGuardByte);
  // Aligned as device memory is, or one element off.
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
  offset_ = kGuard / 2 - start % 16 + (how.misaligned ? core::size_of(dtype) : 0);
  std::memset(memory_.data() + offset_, static_cast<int>(kPoison), bytes());
}

std::size_t DeviceTensor::bytes() const {
  return static_cast<std::size_t>(layout_.elements()) * core::size_of(dtype_);
}

/// Calls visit(row-major element, or -1 for a padding lane; element in memory).
template <typename Visit>
void DeviceTensor::for_each_element(const Visit& visit) const {
  for (Index n = 0; n < layout_.batch; ++n) {
    for (Index s = 0; s < layout_.spatial; ++s) {
      for (Index c = 0; c < layout_.stride; ++c) {
        const Index logical =
            c < layout_.channels ? (n * layout_.channels + c) * layout_.spatial + s : -1;
        visit(logical, (n * layout_.spatial + s) * layout_.stride + c);
      }
    }
  }
}

void DeviceTensor::upload(const std::byte* plain) {
  const std::size_t size = core::size_of(dtype_);
  for_each_element([&](Index logical, Index physical) {
    std::byte* to = memory_.data() + offset_ + static_cast<std::size_t>(physical) * size;
    if (logical < 0) {
      std::memset(to, 0, size);
    } else {
      std::memcpy(to, plain + static_cast<std::size_t>(logical) * size, size);
    }
  });
}

void DeviceTensor::download(std::byte* plain) const {
  check_guards();
  const std::size_t size = core::size_of(dtype_);
  const std::vector<std::byte> zero(size);
  for_each_element([&](Index logical, Index physical) {
    const std::byte* from = memory_.data() + offset_ + static_cast<std::size_t>(physical) * size;
    if (logical >= 0) {
      std::memcpy(plain + static_cast<std::size_t>(logical) * size, from, size);
    } else if (std::memcmp(from, zero.data(), size) != 0) {
      throw std::runtime_error("padding lane " + std::to_string(physical) + " is not zero");
    }
  });
}

void DeviceTensor::check_guards() const {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const bool inside = i >= offset_ && i < offset_ + bytes();
    if (!inside && memory_[i] != kGuardByte) {
      throw std::runtime_error("byte " + std::to_string(i) + " outside of a tensor of " +
                               std::to_string(bytes()) + " bytes at " + std::to_string(offset_) +
                               " was written");
    }
  }
}

std::vector<float> poisoned_scratch(std::size_t bytes) {
  std::vector<float> scratch(bytes / sizeof(float));
  std::memset(scratch.data(), static_cast<int>(kPoison), scratch.size() * sizeof(float));
  return scratch;
}

std::unique_ptr<LoweredGraph> EmulatedBackend::lower(const graph::Graph& graph,
                                                     const LoweringOptions& options) {
  auto lowered = ref_.lower(graph, options);
  for (LoweredNode& node : lowered->nodes) {
    if (emulated(node.op)) {
      node.kernel = std::make_unique<EmulatedKernel>(graph, graph.node(node.covers.front()), how_);
    }
  }
  return lowered;
}

}  // namespace dlbench::backend::cuda
