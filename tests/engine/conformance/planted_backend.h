// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The ref backend with an error planted into one op, to see whether the checkers find it.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/ref/ref_backend.h"
#include "engine/core/error.h"
#include "engine/core/host_tensor.h"

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::conformance {

/// Spoils the first result of a node, in place.
using Spoil = std::function<void(core::HostTensor& result)>;

/// Runs the true kernel, then spoils what it wrote.
class PlantedKernel final : public backend::Kernel {
 public:
  PlantedKernel(std::unique_ptr<backend::Kernel> inner,
                backend::SlotId slot,
                const graph::Value& value,
                Spoil spoil)
      : inner_(std::move(inner)),
        slot_(slot),
        result_(value.dtype, value.shape),
        spoil_(std::move(spoil)) {}
  void bind(const backend::SlotTable& slots, std::byte* scratch) override {
    slots_ = &slots;
    inner_->bind(slots, scratch);
  }
  void run(backend::Stream& stream) override {
    inner_->run(stream);
    std::byte* memory = (*slots_)[slot_];
    std::memcpy(result_.data(), memory, result_.bytes());
    spoil_(result_);
    std::memcpy(memory, result_.data(), result_.bytes());
  }

 private:
  std::unique_ptr<backend::Kernel> inner_;
  backend::SlotId slot_;
  core::HostTensor result_;
  Spoil spoil_;
  const backend::SlotTable* slots_ = nullptr;
};

class PlantedBackend final : public backend::Backend {
 public:
  PlantedBackend(graph::OpKind op, Spoil spoil) : op_(op), spoil_(std::move(spoil)) {}

  [[nodiscard]] std::string_view name() const override { return "planted"; }
  [[nodiscard]] backend::DeviceInfo device() const override { return ref_.device(); }
  [[nodiscard]] bool supports(core::DType dtype, std::string* why) const override {
    return ref_.supports(dtype, why);
  }
  [[nodiscard]] std::unique_ptr<backend::Buffer> allocate(std::size_t bytes) override {
    return ref_.allocate(bytes);
  }
  [[nodiscard]] std::unique_ptr<backend::Stream> create_stream() override {
    return ref_.create_stream();
  }
  [[nodiscard]] core::HostAllocator& host_allocator() override { return ref_.host_allocator(); }
  [[nodiscard]] bool reads_host_memory() const override { return true; }
  [[nodiscard]] std::unique_ptr<backend::LoweredGraph> lower(
      const graph::Graph& graph, const backend::LoweringOptions& options) override {
    auto lowered = ref_.lower(graph, options);
    for (backend::LoweredNode& node : lowered->nodes) {
      if (node.op == op_) {
        const backend::SlotId slot = node.writes.front();
        const graph::ValueId value = lowered->slots.at(static_cast<std::size_t>(slot)).value;
        node.kernel = std::make_unique<PlantedKernel>(
            std::move(node.kernel), slot, graph.value(value), spoil_);
      }
    }
    return lowered;
  }

 private:
  graph::OpKind op_;
  Spoil spoil_;
  backend::ref::RefBackend ref_{{.threads = 1}};
};

/// A backend that refuses to lower anything, and lacks a precision.
class RefusingBackend final : public backend::Backend {
 public:
  explicit RefusingBackend(core::ErrorCode code, std::optional<core::DType> lacks = {})
      : code_(code), lacks_(lacks) {}
  [[nodiscard]] std::string_view name() const override { return "refusing"; }
  [[nodiscard]] backend::DeviceInfo device() const override { return ref_.device(); }
  [[nodiscard]] bool supports(core::DType dtype, std::string* why) const override {
    if (dtype == lacks_ && why != nullptr) {
      *why = "not that one";
    }
    return dtype != lacks_;
  }
  [[nodiscard]] std::unique_ptr<backend::Buffer> allocate(std::size_t bytes) override {
    return ref_.allocate(bytes);
  }
  [[nodiscard]] std::unique_ptr<backend::Stream> create_stream() override {
    return ref_.create_stream();
  }
  [[nodiscard]] core::HostAllocator& host_allocator() override { return ref_.host_allocator(); }
  [[nodiscard]] bool reads_host_memory() const override { return true; }
  [[nodiscard]] std::unique_ptr<backend::LoweredGraph> lower(
      const graph::Graph& /*graph*/, const backend::LoweringOptions& /*options*/) override {
    throw core::Error(code_, "not on this device");
  }

 private:
  core::ErrorCode code_;
  std::optional<core::DType> lacks_;
  backend::ref::RefBackend ref_{{.threads = 1}};
};

}  // namespace dlbench::conformance
