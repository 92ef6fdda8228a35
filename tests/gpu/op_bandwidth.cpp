// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/op_bandwidth.h"

#include "engine/conformance/case_run.h"
#include "engine/core/check.h"
#include "harness/analysis/device_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace dlbench {
namespace {

using backend::LoweredGraph;
using backend::LoweredNode;
using conformance::OpCase;
using core::DType;
using graph::OpKind;
using graph::Storage;

std::int64_t slot_bytes(const LoweredGraph& lowered, backend::SlotId slot) {
  return static_cast<std::int64_t>(lowered.slots.at(static_cast<std::size_t>(slot)).bytes);
}

/// Whether what is written there replaces what was: state but gradients.
bool is_updated(const LoweredGraph& lowered, backend::SlotId slot) {
  const Storage storage = lowered.slots.at(static_cast<std::size_t>(slot)).storage;
  return storage == Storage::kParameter || storage == Storage::kOptimizerState ||
         storage == Storage::kBuffer || storage == Storage::kScalar;
}

/// Of all the slots, those that are parts of others among them left out.
std::int64_t bytes_of(const LoweredGraph& lowered, const std::set<backend::SlotId>& slots) {
  std::int64_t sum = 0;
  for (const backend::SlotId slot : slots) {
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

/// Whether a kernel is one of the case's, and works on its large tensors.
bool is_measured(const LoweredGraph& lowered, const LoweredNode& node) {
  return !node.is_reorder && node.kernel != nullptr &&
         traffic_of(lowered, node).operands >= largest_slot(lowered) / 4;
}

}  // namespace

Traffic traffic_of(const LoweredGraph& lowered, const LoweredNode& node) {
  const std::set writes(node.writes.begin(), node.writes.end());
  std::set reads(node.reads.begin(), node.reads.end());
  std::copy_if(node.writes.begin(),
               node.writes.end(),
               std::inserter(reads, reads.end()),
               [&](backend::SlotId slot) { return is_updated(lowered, slot); });
  const std::int64_t written = bytes_of(lowered, writes);
  // A slice reads of its operand what it writes.
  const std::int64_t read = node.op == OpKind::kSlice ? written : bytes_of(lowered, reads);
  Traffic traffic{.operands = read + written, .model = node.cost.bytes};
  traffic.moved = traffic.operands + read_again(lowered, node);
  return traffic;
}

std::string wrong_bytes(const LoweredNode& node, const Traffic& traffic) {
  constexpr double kSmall = 0.02;  // vectors of a channel each, scalars, padding
  const auto operands = static_cast<double>(traffic.operands);
  const auto model = static_cast<double>(traffic.model);
  const bool too_few = model < operands * (1.0 - kSmall);
  const bool too_many = model > operands * (1.0 + kSmall);
  return too_few || too_many
             ? fmt::format("{} ({}): the cost model has {} bytes, the operands hold {}",
                           node.name,
                           graph::name(node.op),
                           traffic.model,
                           traffic.operands)
             : "";
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
  for (const LoweredNode& node : lowered.nodes) {
    if (!is_measured(lowered, node)) {
      continue;
    }
    const Traffic traffic = traffic_of(lowered, node);
    const std::string wrong = wrong_bytes(node, traffic);
    DLBENCH_CHECK(wrong.empty()) << wrong;
    const std::string op(graph::name(node.op));
    results.push_back({.name = op == spec.note ? op : spec.note + "/" + op,
                       .dtype = std::string(core::name(dtype)),
                       .kernel = node.kernel_name,
                       .traffic = traffic,
                       .seconds = harness::fastest_call_s(*stream, sizes.batches, sizes.calls, [&] {
                         node.kernel->run(*stream);
                       })});
  }
  return results;
}

}  // namespace dlbench
