// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the graph in its order and calls one rule per op family.
#include "engine/backend/cuda/lowering.h"

#include "engine/backend/cuda/graph_lowering_internal.h"
#include "engine/backend/op_families.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::ValueId;

class LaunchKernel final : public Kernel {
 public:
  LaunchKernel(Launch launch, const Emission& emission, StreamHandleOf stream_handle)
      : launch_(std::move(launch)),
        addresses_(emission.reads, emission.writes),
        stream_handle_(stream_handle) {}

  void bind(const SlotTable& slots, std::byte* scratch) override {
    addresses_.bind(slots, scratch);
  }
  void run(Stream& stream) override { launch_({addresses_.gather(), stream_handle_(stream)}); }

 private:
  Launch launch_;
  SlotAddresses addresses_;
  StreamHandleOf stream_handle_;
};

class CudaLoweredGraph final : public LoweredGraph {
 public:
  CudaLoweredGraph(const graph::Graph& graph, ChannelPadding padding)
      : values_(graph.values()), padding_(std::move(padding)) {}

  void export_value(ValueId value,
                    const std::byte* physical,
                    core::HostTensor& logical) const override {
    const graph::Value& known = values_.at(static_cast<std::size_t>(value));
    DLBENCH_CHECK(!padding_.padded(value)) << known.name << " has padding lanes: keep it";
    to_logical(known, physical, logical);
  }

 private:
  std::vector<graph::Value> values_;
  ChannelPadding padding_;
};

std::size_t bytes_of(const ChannelsLast& layout, core::DType dtype) {
  return static_cast<std::size_t>(layout.elements()) * core::size_of(dtype);
}

}  // namespace

GraphLowering::GraphLowering(const graph::Graph& graph,
                             const LoweringOptions& options,
                             Contractions& contractions,
                             StreamHandleOf stream_handle)
    : graph_(graph),
      options_(options),
      contractions_(contractions),
      stream_handle_(stream_handle),
      fusion_(graph, options.keep),
      padding_(graph, fusion_),
      ranges_(graph, fusion_, padding_),
      shared_sums_(graph, fusion_),
      casts_(graph, padding_),
      result_(std::make_unique<CudaLoweredGraph>(graph, padding_)) {}

std::unique_ptr<LoweredGraph> GraphLowering::run() {
  make_slots();
  for (const Node& node : graph_.nodes()) {
    if (const CastGroup* casts = casts_.group_at(node.id); casts != nullptr) {
      lower_casts(*this, *casts);
    } else if (fusion_.runs_here(node.id) && !casts_.grouped(node.id)) {
      const FusedGroup* group = fusion_.group_of(node.id);
      lower_by_family(*this, group == nullptr ? node : graph_.node(group->main));
    }
  }
  // Values that were fused away have no memory.
  std::vector<bool> used(graph_.values().size(), false);
  for (const LoweredNode& node : result_->nodes) {
    for (const auto* slots : {&node.reads, &node.writes}) {
      for (const SlotId id : *slots) {
        used[static_cast<std::size_t>(id)] = true;
      }
    }
  }
  for (const graph::Value& value : graph_.values()) {
    const auto index = static_cast<std::size_t>(value.id);
    if (!used[index] && value.storage == graph::Storage::kActivation) {
      result_->slot_of_value[index] = kNoSlot;
    }
  }
  return std::move(result_);
}

void GraphLowering::make_slots() {
  for (const graph::Value& value : graph_.values()) {
    const std::string suffix =
        padding_.padded(value.id) ? std::to_string(kChannelMultiple) : std::string();
    Slot slot{.value = value.id,
              .storage = value.storage,
              .bytes = bytes_of(padding_.layout(value), value.dtype),
              .layout = layout_name(value) + suffix};
    if (const auto& range = ranges_.of(value.id); range.has_value()) {
      slot.alias_of = GraphLowering::slot(range->holder);
      slot.alias_offset = static_cast<std::size_t>(range->begin) * core::size_of(value.dtype);
    }
    result_->slots.push_back(std::move(slot));
    result_->slot_of_value.push_back(GraphLowering::slot(value.id));
  }
}

ChannelsLast GraphLowering::layout(ValueId id) const {
  const graph::Value& v = value(id);
  if (v.shape.rank() == 3 || v.shape.rank() > 5) {
    refuse(v.name,
           "takes it with 2, 4 or 5 axes, not with " + std::to_string(v.shape.rank()) +
               ": reshape it");
  }
  return elementwise_layout(id);
}

ChannelsLast GraphLowering::elementwise_layout(ValueId id) const {
  ChannelsLast layout = padding_.layout(value(id));
  if (const auto& range = ranges_.of(id); range.has_value()) {
    layout.stride = padding_.layout(value(range->holder)).stride;
  }
  return layout;
}

const Node* GraphLowering::upsampled_into_concat(ValueId id) const {
  const Node* up = fusion_.upsampled_into_concat(id);
  if (up == nullptr) {
    return nullptr;
  }
  const Node& concat = graph_.node(fusion_.readers(id).front());
  Index begin = 0;
  for (const ValueId part : concat.inputs) {
    const Index channels = layout(part).channels;
    if (part == id) {
      return ChannelRanges::is_wide(value(concat.outputs[0]), begin, channels) ? up : nullptr;
    }
    begin += channels;
  }
  return nullptr;
}

SlotId GraphLowering::read(ValueId id) {
  const graph::Value& input = value(id);
  const bool is_input = input.storage == graph::Storage::kInput;
  if (!is_input || (input.shape.rank() != 4 && input.shape.rank() != 5)) {
    return slot(id);
  }
  if (const auto known = reordered_inputs_.find(id); known != reordered_inputs_.end()) {
    return known->second;
  }
  const auto copy = static_cast<SlotId>(result_->slots.size());
  const ChannelsLast to = layout(id);
  result_->slots.push_back({.bytes = bytes_of(to, input.dtype), .layout = "nhwc"});
  reordered_inputs_[id] = copy;
  emit({.name = "reorder/" + input.name,
        .reads = {slot(id)},
        .writes = {copy},
        .kernel_name = "own:reshape"},
       [args =
            ReshapeArgs{.x_layout = row_major(input.shape), .y_layout = to, .dtype = input.dtype}](
           const Call& call) mutable {
         args.x = call.in(0);
         args.y = call.out(0);
         launch_reshape(args, call.stream);
       });
  return copy;
}

Emission GraphLowering::whole(const Node& node) {
  Emission emission{.covers = {node.id}, .kernel_name = "own:" + std::string(graph::name(node.op))};
  for (std::size_t index = 0; index < node.inputs.size(); ++index) {
    if (graph::reads_input(node.op, index)) {
      emission.reads.push_back(read(node.inputs[index]));
    }
  }
  for (const ValueId id : node.outputs) {
    emission.writes.push_back(slot(id));
  }
  for (const ValueId id : node.updates) {
    emission.reads.push_back(slot(id));
    emission.writes.push_back(slot(id));
  }
  return emission;
}

LoweredNode& GraphLowering::append(Emission emission) {
  const graph::Phase phase =
      emission.covers.empty() ? graph::Phase::kForward : graph_.node(emission.covers.front()).phase;
  if (!emission.covers.empty()) {  // a copy does not cover any node
    emission.absorbed = std::exchange(absorbed_, {});
  }
  result_->nodes.push_back(make_lowered_node(graph_, result_->slots, std::move(emission), phase));
  return result_->nodes.back();
}

void GraphLowering::emit(Emission emission, Launch launch) {
  auto kernel = std::make_unique<LaunchKernel>(std::move(launch), emission, stream_handle_);
  append(std::move(emission)).kernel = std::move(kernel);
}

void GraphLowering::emit(Emission emission, std::unique_ptr<Kernel> kernel) {
  append(std::move(emission)).kernel = std::move(kernel);
}

void GraphLowering::emit_communication(const Node& node) {
  Emission emission = whole(node);
  emission.kernel_name = "communicator";
  append(std::move(emission));
}

void GraphLowering::decide(const std::string& key, const std::string& choice) {
  if (!choice.empty()) {
    result_->decisions[key] = choice;
  }
}

void GraphLowering::refuse(const std::string& name, const std::string& what) {
  throw core::Error(core::ErrorCode::kUnavailable, name + ": the cuda backend " + what);
}

std::unique_ptr<LoweredGraph> lower_graph(const graph::Graph& graph,
                                          const LoweringOptions& options,
                                          Contractions& contractions,
                                          StreamHandleOf stream_handle) {
  return GraphLowering(graph, options, contractions, stream_handle).run();
}

}  // namespace dlbench::backend::cuda
