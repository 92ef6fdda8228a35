// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/ref_backend.h"

#include "engine/backend/backend_list.h"
#include "engine/backend/emission.h"
#include "engine/backend/host_buffer.h"
#include "engine/backend/host_stream.h"
#include "engine/backend/ref/kernel_list.h"
#include "engine/core/check.h"
#include "engine/core/parallel.h"
#include "engine/core/processor_name.h"
#include "engine/graph/op_def.h"

#include <cstring>
#include <utility>
#include <vector>

namespace dlbench::backend::ref {
namespace {

using graph::ValueId;

/// Slots have the same numbers as the values they hold.
SlotId slot_of(ValueId value) { return static_cast<SlotId>(value); }

class RefKernel final : public Kernel {
 public:
  RefKernel(const graph::Graph& graph,
            const graph::Node& node,
            KernelFunction function,
            int threads)
      : function_(function) {
    call_.node = node;
    call_.threads = threads;
    add_operands(graph, node.inputs, call_.inputs, input_slots_);
    add_operands(graph, node.outputs, call_.outputs, output_slots_);
    add_operands(graph, node.updates, call_.updates, update_slots_);
    for (std::size_t index = 0; index < input_slots_.size(); ++index) {
      if (!graph::reads_input(node.op, index)) {
        input_slots_[index] = kNoSlot;  // its memory may already be reused
      }
    }
  }

  void bind(const SlotTable& slots, std::byte* /*scratch*/) override { slots_ = &slots; }

  void run(Stream& /*stream*/) override {
    DLBENCH_CHECK(slots_ != nullptr) << call_.node.name << " runs before bind()";
    update_addresses(input_slots_, call_.inputs);
    update_addresses(output_slots_, call_.outputs);
    update_addresses(update_slots_, call_.updates);
    function_(call_);
  }

 private:
  static void add_operands(const graph::Graph& graph,
                           const std::vector<ValueId>& values,
                           std::vector<Tensor>& tensors,
                           std::vector<SlotId>& slots) {
    for (const ValueId id : values) {
      const graph::Value& value = graph.value(id);
      tensors.push_back({nullptr, value.dtype, value.shape});
      slots.push_back(slot_of(id));
    }
  }

  void update_addresses(const std::vector<SlotId>& slots, std::vector<Tensor>& tensors) {
    for (std::size_t index = 0; index < slots.size(); ++index) {
      if (slots[index] != kNoSlot) {
        tensors[index].data = (*slots_)[slots[index]];
      }
    }
  }

  KernelFunction function_;
  Call call_;
  std::vector<SlotId> input_slots_;
  std::vector<SlotId> output_slots_;
  std::vector<SlotId> update_slots_;
  const SlotTable* slots_ = nullptr;
};

class RefLoweredGraph final : public LoweredGraph {
 public:
  void export_value(ValueId /*value*/,
                    const std::byte* physical,
                    core::HostTensor& logical) const override {
    if (logical.bytes() > 0) {
      std::memcpy(logical.data(), physical, logical.bytes());
    }
  }
};

LoweredNode lower_node(const graph::Graph& graph, const graph::Node& node, int threads) {
  LoweredNode lowered;
  lowered.covers = {node.id};
  lowered.name = node.name;
  lowered.op = node.op;
  lowered.phase = node.phase;
  for (std::size_t index = 0; index < node.inputs.size(); ++index) {
    if (graph::reads_input(node.op, index)) {
      lowered.reads.push_back(slot_of(node.inputs[index]));
    }
  }
  for (const ValueId id : node.outputs) {
    lowered.writes.push_back(slot_of(id));
  }
  for (const ValueId id : node.updates) {
    lowered.reads.push_back(slot_of(id));
    lowered.writes.push_back(slot_of(id));
  }
  lowered.cost = graph::op_def(node.op).cost(graph, node);
  lowered.kernel_name = "ref:" + std::string(graph::name(node.op));
  lowered.stream = stream_of(node.op);
  // Communication has none: the executor passes it to the communicator.
  if (const KernelFunction function = kernel_of(node.op); function != nullptr) {
    lowered.kernel = std::make_unique<RefKernel>(graph, node, function, threads);
  }
  return lowered;
}

const BackendRegistration kRegistration{
    {.name = "ref",
     .priority = 0,
     .unavailable_reason = [] { return std::string(); },
     .create = [](const BackendOptions& options) -> std::unique_ptr<Backend> {
       return std::make_unique<RefBackend>(options);
     }}};

}  // namespace

RefBackend::RefBackend(const BackendOptions& options)
    : threads_(core::configure_compute_threads(options.threads)) {}

DeviceInfo RefBackend::device() const {
  return {.name = core::host_processor_name() +
                  ", ref backend",  // so that results are not mistaken for the processor's
          .kind = "cpu",
          .memory_bytes = 0,
          .threads = threads_,
          .isa = "baseline"};
}

bool RefBackend::supports(core::DType dtype, std::string* why) const {
  if (core::is_float(dtype)) {
    return true;
  }
  if (why != nullptr) {
    *why = "contractions run in f16, bf16, f32 or f64, not in " + std::string(core::name(dtype));
  }
  return false;
}

std::unique_ptr<Buffer> RefBackend::allocate(std::size_t bytes) {
  return std::make_unique<HostBuffer>(bytes);
}

std::unique_ptr<Stream> RefBackend::create_stream() { return std::make_unique<HostStream>(); }

core::HostAllocator& RefBackend::host_allocator() { return core::default_host_allocator(); }

std::unique_ptr<LoweredGraph> RefBackend::lower(const graph::Graph& graph,
                                                const LoweringOptions& /*options*/) {
  auto lowered = std::make_unique<RefLoweredGraph>();
  for (const graph::Value& value : graph.values()) {
    Slot slot;
    slot.value = value.id;
    slot.storage = value.storage;
    slot.bytes = value.dense_bytes();
    slot.layout = "plain";
    lowered->slots.push_back(std::move(slot));
    lowered->slot_of_value.push_back(slot_of(value.id));
  }
  for (const graph::Node& node : graph.nodes()) {
    lowered->nodes.push_back(lower_node(graph, node, threads_));
  }
  return lowered;
}

}  // namespace dlbench::backend::ref
