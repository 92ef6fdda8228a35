// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/op_bandwidth.h"

#include "engine/conformance/case_run.h"
#include "engine/core/check.h"
#include "harness/peaks/device_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace dlbench {
namespace {

using backend::LoweredGraph;
using backend::LoweredNode;
using backend::SlotId;
using conformance::OpCase;
using core::DType;
using graph::OpKind;
using graph::Storage;

std::int64_t slot_bytes(const LoweredGraph& lowered, SlotId slot) {
  return static_cast<std::int64_t>(lowered.slots.at(static_cast<std::size_t>(slot)).bytes);
}

/// Whether what is written there replaces what was: state but gradients.
bool is_updated(const LoweredGraph& lowered, SlotId slot) {
  const Storage storage = lowered.slots.at(static_cast<std::size_t>(slot)).storage;
  return storage == Storage::kParameter || storage == Storage::kOptimizerState ||
         storage == Storage::kBuffer || storage == Storage::kScalar;
}

/// Of all the slots, those that are parts of others among them left out.
std::int64_t bytes_of(const LoweredGraph& lowered, const std::set<SlotId>& slots) {
  std::int64_t sum = 0;
  for (const SlotId slot : slots) {
    if (!slots.contains(lowered.slots.at(static_cast<std::size_t>(slot)).alias_of)) {
      sum += slot_bytes(lowered, slot);
    }
  }
  return sum;
}

/// Bytes of what is read once more than an op's operands say.
std::int64_t read_again(const LoweredGraph& lowered, const LoweredNode& node) {
  switch (node.op) {
    case OpKind::kBatchNorm:  // x: the sums first
      return slot_bytes(lowered, node.reads.at(0));
    case OpKind::kBatchNormBackward:  // dy and x: the sums first
      return slot_bytes(lowered, node.reads.at(0)) + slot_bytes(lowered, node.reads.at(1));
    default:
      return 0;
  }
}

std::int64_t largest_slot(const LoweredGraph& lowered) {
  std::size_t largest = 0;
  for (const backend::Slot& slot : lowered.slots) {
    largest = std::max(largest, slot.bytes);
  }
  return static_cast<std::int64_t>(largest);
}

/// Work for a library, and bound by it.
bool is_contraction(OpKind op) {
  switch (op) {
    case OpKind::kConv:
    case OpKind::kConvBackwardData:
    case OpKind::kConvBackwardWeights:
    case OpKind::kConvTranspose:
    case OpKind::kLinear:
    case OpKind::kLinearBackwardData:
    case OpKind::kLinearBackwardWeights:
      return true;
    default:
      return false;
  }
}

const backend::Slot& slot_of(const LoweredGraph& lowered, SlotId slot) {
  return lowered.slots.at(static_cast<std::size_t>(slot));
}

/// The value that a slot holds, or that was copied there in another layout; kNoValue: neither.
graph::ValueId value_of(const LoweredGraph& lowered, SlotId slot) {
  if (slot_of(lowered, slot).value != graph::kNoValue) {
    return slot_of(lowered, slot).value;
  }
  const auto copy = std::ranges::find_if(lowered.nodes, [&](const LoweredNode& node) {
    return node.is_reorder && std::ranges::find(node.writes, slot) != node.writes.end();
  });
  return copy == lowered.nodes.end() ? graph::kNoValue : slot_of(lowered, copy->reads.at(0)).value;
}

/// Bytes of a slot beyond those of its value.
std::int64_t padding_of(const graph::Graph& graph, const LoweredGraph& lowered, SlotId slot) {
  const graph::ValueId value = slot_of(lowered, slot).value;
  return value == graph::kNoValue ? 0
                                  : slot_bytes(lowered, slot) -
                                        static_cast<std::int64_t>(graph.value(value).dense_bytes());
}

/// The ops done by a kernel: "batch_norm+relu"; several casts are "casts", however many.
std::string ops_of(const graph::Graph& graph, const LoweredNode& node) {
  if (node.op == OpKind::kCast && node.covers.size() > 1) {
    return "casts";
  }
  std::string text;
  for (const graph::NodeId id : node.covers) {
    const OpKind op = graph.node(id).op;
    if (op != OpKind::kSlice || node.op == OpKind::kSlice) {  // else it is read where it lies
      text += (text.empty() ? "" : "+") + std::string(graph::name(op));
    }
  }
  return text;
}

/// The types of those among `slots` with at least `elements`, each once.
std::string types_of(const graph::Graph& graph,
                     const LoweredGraph& lowered,
                     const LoweredNode& node,
                     const std::vector<SlotId>& slots,
                     std::int64_t elements) {
  std::set<std::string> types;
  for (const SlotId slot : slots) {
    const graph::ValueId id = value_of(lowered, slot);
    if (id == graph::kNoValue || graph.value(id).shape.elements() < elements) {
      continue;
    }
    std::string type(core::name(graph.value(id).dtype));
    if (slot_of(lowered, slot).alias_of != backend::kNoSlot) {
      type += "[range]";
    }
    if (padding_of(graph, lowered, slot) > 0) {
      type += "[padded]";
    }
    if (node.op == OpKind::kReshape) {
      type += "[" + slot_of(lowered, slot).layout + "]";
    }
    types.insert(std::move(type));
  }
  return types.empty() ? "small" : fmt::format("{}", fmt::join(types, ", "));
}

}  // namespace

Traffic traffic_of(const graph::Graph& graph,
                   const LoweredGraph& lowered,
                   const LoweredNode& node) {
  const std::set writes(node.writes.begin(), node.writes.end());
  std::set reads(node.reads.begin(), node.reads.end());
  std::copy_if(
      node.writes.begin(), node.writes.end(), std::inserter(reads, reads.end()), [&](SlotId slot) {
        return is_updated(lowered, slot);
      });
  const std::int64_t written = bytes_of(lowered, writes);
  // A slice reads of its operand what it writes.
  const std::int64_t read = node.op == OpKind::kSlice ? written : bytes_of(lowered, reads);
  Traffic traffic{.operands = read + written, .model = node.cost.bytes};
  for (const auto* slots : {&std::as_const(reads), &writes}) {
    for (const SlotId slot : *slots) {
      traffic.padding += padding_of(graph, lowered, slot);
    }
  }
  traffic.moved = traffic.operands + read_again(lowered, node);
  return traffic;
}

std::string wrong_bytes(const LoweredNode& node, const Traffic& traffic) {
  constexpr double kSmall = 0.02;  // vectors of a channel each, scalars, padding
  const auto operands = static_cast<double>(traffic.operands - traffic.padding);
  const auto model = static_cast<double>(traffic.model);
  const bool too_few = model < operands * (1.0 - kSmall);
  const bool too_many = model > operands * (1.0 + kSmall);
  return too_few || too_many
             ? fmt::format("{} ({}): the cost model has {} bytes, the operands hold {}",
                           node.name,
                           graph::name(node.op),
                           traffic.model,
                           traffic.operands - traffic.padding)
             : "";
}

std::string kernel_kind(const graph::Graph& graph,
                        const LoweredGraph& lowered,
                        const LoweredNode& node) {
  std::int64_t largest = 1;
  for (const auto* slots : {&node.reads, &node.writes}) {
    for (const SlotId slot : *slots) {
      if (const graph::ValueId id = value_of(lowered, slot); id != graph::kNoValue) {
        largest = std::max(largest, graph.value(id).shape.elements());
      }
    }
  }
  constexpr std::int64_t kSmaller = 16;  // a mask or the result of a pooling is still a large one
  const auto types = [&](const std::vector<SlotId>& slots) {
    return types_of(graph, lowered, node, slots, largest / kSmaller + 1);
  };
  return fmt::format("{} {} {} -> {}",
                     node.kernel_name,
                     ops_of(graph, node),
                     types(node.reads),
                     types(node.writes));
}

std::vector<const LoweredNode*> measured_kernels(const graph::Graph& graph,
                                                 const LoweredGraph& lowered) {
  std::vector<const LoweredNode*> measured;
  for (const LoweredNode& node : lowered.nodes) {
    if (!node.is_reorder && node.kernel != nullptr && !is_contraction(node.op) &&
        traffic_of(graph, lowered, node).operands >= largest_slot(lowered) / 4) {
      measured.push_back(&node);
    }
  }
  return measured;
}

std::vector<OpBandwidth> measure_case(backend::Backend& backend,
                                      const OpCase& spec,
                                      DType dtype,
                                      const BandwidthSizes& sizes) {
  const conformance::CaseGraph graph = conformance::make_case_graph(
      spec, dtype, conformance::Nodes::kForwardAndBackward, conformance::Contents::kRepeated);
  conformance::CaseRun run(backend, graph);
  for (const auto& [name, tensor] : graph.contents) {
    run.write(name, tensor);
  }
  run.execute();
  const auto stream = backend.create_stream();
  const LoweredGraph& lowered = run.executor().lowered();
  std::vector<OpBandwidth> results;
  for (const LoweredNode* node : measured_kernels(graph.graph, lowered)) {
    const Traffic traffic = traffic_of(graph.graph, lowered, *node);
    const std::string wrong = wrong_bytes(*node, traffic);
    DLBENCH_CHECK(wrong.empty()) << wrong;
    const std::string op(graph::name(node->op));
    results.push_back({.name = op == spec.note ? op : spec.note + "/" + op,
                       .dtype = std::string(core::name(dtype)),
                       .kernel = node->kernel_name,
                       .kind = kernel_kind(graph.graph, lowered, *node),
                       .traffic = traffic,
                       .seconds = harness::fastest_call_s(*stream, sizes.batches, sizes.calls, [&] {
                         node->kernel->run(*stream);
                       })});
  }
  return results;
}

}  // namespace dlbench
