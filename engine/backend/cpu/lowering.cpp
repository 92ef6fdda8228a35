// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the graph in its order and calls one rule per op family.
#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/op_families.h"
#include "engine/core/check.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cpu {

using graph::kNoNode;
using graph::kNoValue;
using graph::Node;
using graph::OpKind;
using graph::ValueId;

namespace {

constexpr std::int64_t kPlainChannels = 4;  ///< images keep their plain layout up to here

/// Runs an own kernel.
class OwnKernel final : public Kernel {
 public:
  OwnKernel(OwnFunction function, const Emission& emission)
      : function_(std::move(function)), addresses_(emission.reads, emission.writes) {}

  void bind(const SlotTable& slots, std::byte* scratch) override {
    addresses_.bind(slots, scratch);
  }
  void run(Stream& /*stream*/) override { function_(addresses_.gather()); }

 private:
  OwnFunction function_;
  SlotAddresses addresses_;
};

}  // namespace

void CpuLoweredGraph::export_value(ValueId value,
                                   const std::byte* physical,
                                   core::HostTensor& logical) const {
  const Operand& home = homes.at(static_cast<std::size_t>(value));
  DLBENCH_CHECK(home.slot != kNoSlot && home.dtype == logical.dtype() &&
                home.shape == logical.shape())
      << "value " << value << " cannot be exported";
  export_tensor(physical, home.layout, home.sample_stride, logical);
}

GraphLowering::GraphLowering(const graph::Graph& graph,
                             const LoweringOptions& options,
                             const Machine& machine,
                             Tuner& tuner)
    : graph_(graph),
      options_(options),
      machine_(machine),
      tuner_(tuner),
      fusion_(graph, options.keep),
      result_(std::make_unique<CpuLoweredGraph>()),
      copies_(graph.values().size()) {
  result_->slot_of_value.assign(graph.values().size(), kNoSlot);
}

std::unique_ptr<LoweredGraph> GraphLowering::run() {
  make_state_slots();
  for (const Node& node : graph_.nodes()) {
    if (!fusion_.runs_here(node.id)) {
      continue;
    }
    const FusedGroup* group = fusion_.group_of(node.id);
    const Node& main = group != nullptr ? graph_.node(group->main) : node;
    phase_ = main.phase;
    lower_by_family(*this, main);
  }
  finish_outputs();
  result_->homes.resize(graph_.values().size());
  for (std::size_t id = 0; id < copies_.size(); ++id) {
    if (!copies_[id].empty()) {
      result_->homes[id] = copies_[id].front();
    }
  }
  return std::move(result_);
}

void GraphLowering::make_state_slots() {
  for (const graph::Value& value : graph_.values()) {
    if (value.storage == graph::Storage::kActivation) {
      continue;
    }
    const Layout plain;
    const SlotId slot = add_slot({.value = value.id,
                                  .storage = value.storage,
                                  .bytes = physical_bytes(value.shape, value.dtype, plain),
                                  .layout = layout_name(value.shape, plain)});
    set_home(value.id,
             {.slot = slot,
              .shape = value.shape,
              .dtype = value.dtype,
              .layout = plain,
              .sample_stride = geometry_of(value.shape, plain).sample()});
  }
}

// Values that the caller may read but that are views into a wider tensor are copied at the end, in
// the same layout (export_value() converts layouts): a view has no memory of its own.
void GraphLowering::finish_outputs() {
  for (const graph::Value& value : graph_.values()) {
    auto& copies = copies_[static_cast<std::size_t>(value.id)];
    if (!fusion_.kept(value.id) || copies.empty() || copies.front().dense()) {
      continue;
    }
    const Operand dense = read(value.id, copies.front().layout);
    copies.insert(copies.begin(), dense);
    result_->slot_of_value[static_cast<std::size_t>(value.id)] = dense.slot;
  }
}

Layout GraphLowering::layout_of(ValueId id) const {
  const auto& copies = copies_.at(static_cast<std::size_t>(id));
  if (!copies.empty()) {
    return copies.front().layout;
  }
  const graph::Value& value = graph_.value(id);
  const bool spatial = value.shape.rank() == 4 || value.shape.rank() == 5;
  const bool computes = value.dtype == core::DType::kF32 || value.dtype == core::DType::kBF16 ||
                        value.dtype == core::DType::kU8;
  if (!spatial || !computes || value.storage != graph::Storage::kActivation ||
      value.shape[1] == 1 || value.producer == kNoNode) {
    return {};
  }
  const Node& producer = graph_.node(value.producer);
  switch (producer.op) {
    case OpKind::kNormalizeImage:
      return value.shape[1] <= kPlainChannels ? Layout{} : Layout{machine_.block};
    case OpKind::kCast:
      return layout_of(producer.inputs[0]);
    case OpKind::kConvBackwardWeights:
    case OpKind::kReshape:
    case OpKind::kDropout:
    case OpKind::kDropoutBackward:
      return {};
    default:
      return {machine_.block};
  }
}

SlotId GraphLowering::add_slot(Slot slot) {
  result_->slots.push_back(std::move(slot));
  return static_cast<SlotId>(result_->slots.size() - 1);
}

void GraphLowering::set_home(ValueId id, Operand operand) {
  auto& copies = copies_.at(static_cast<std::size_t>(id));
  DLBENCH_CHECK(copies.empty()) << "value " << id << " is computed twice";
  result_->slot_of_value.at(static_cast<std::size_t>(id)) = operand.slot;
  copies.push_back(operand);
}

bool GraphLowering::moves(SlotId slot) const {
  return result_->slots[static_cast<std::size_t>(slot)].storage == graph::Storage::kInput;
}

LoweredNode& GraphLowering::append(Emission emission) {
  emission.absorbed = std::exchange(absorbed_, {});
  result_->nodes.push_back(make_lowered_node(graph_, result_->slots, std::move(emission), phase_));
  return result_->nodes.back();
}

void GraphLowering::emit(Emission emission, OwnFunction function) {
  auto kernel = std::make_unique<OwnKernel>(std::move(function), emission);
  append(std::move(emission)).kernel = std::move(kernel);
}

void GraphLowering::emit(Emission emission, std::unique_ptr<Kernel> kernel) {
  append(std::move(emission)).kernel = std::move(kernel);
}

void GraphLowering::emit(Emission emission,
                         Primitive primitive,
                         std::vector<PrimitiveArgument> arguments) {
  std::vector<SlotId> moving;
  for (const PrimitiveArgument& argument : arguments) {
    if (moves(argument.slot)) {
      moving.push_back(argument.slot);
    }
  }
  emission.kernel_name = "onednn:" + primitive.implementation;
  emission.scratch_bytes = std::max(emission.scratch_bytes, primitive.scratch_bytes);
  auto kernel = std::make_unique<PrimitiveKernel>(
      std::move(primitive), std::move(arguments), std::move(moving));
  append(std::move(emission)).kernel = std::move(kernel);
}

void GraphLowering::emit_communication(const Node& node) {
  Emission emission{.covers = {node.id}, .kernel_name = "communicator"};
  for (const ValueId id : node.inputs) {
    emission.reads.push_back(read(id).slot);
  }
  for (const ValueId id : node.updates) {
    emission.writes.push_back(read(id).slot);
  }
  for (const ValueId id : node.outputs) {
    emission.writes.push_back(write(id).slot);
  }
  append(std::move(emission));
}

void GraphLowering::decide(const std::string& key, const std::string& choice) {
  result_->decisions[key] = choice;
}

MemoryDesc bias_desc(const GraphLowering& lowering, ValueId bias, ContractionDirection direction) {
  if (bias == kNoValue) {
    return {};
  }
  const graph::Value& value =
      lowering.value(direction == ContractionDirection::kForward ? lowering.master_of(bias)
                                                                 : lowering.gradient_home(bias));
  return plain_desc(value.shape, value.dtype);
}

void share_in_place(Emission& emission, const Operand& read, const Operand& write) {
  if (read.dense() && write.dense() && !read.part && read.dtype == write.dtype &&
      read.layout == write.layout && read.shape.elements() == write.shape.elements()) {
    emission.in_place.emplace_back(read.slot, write.slot);
  }
}

}  // namespace dlbench::backend::cpu
