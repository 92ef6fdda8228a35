// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/op_bandwidth.h"

#include "engine/conformance/case_run.h"
#include "engine/conformance/cases/case_lists.h"
#include "engine/core/check.h"
#include "engine/graph/layers.h"
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
using conformance::Element;
using conformance::Fill;
using conformance::OpCase;
using conformance::Operand;
using core::DType;
using core::Shape;
using graph::GraphBuilder;
using graph::OpKind;
using graph::Storage;
using graph::ValueId;
using Values = std::vector<ValueId>;

const std::vector<DType> kActivations{DType::kBF16, DType::kF32};

/// Of x, gamma, beta, running mean and variance, which come first in `in`.
ValueId norm(GraphBuilder& b, const Values& in) {
  b.add_node({.op = OpKind::kBatchNorm,
              .name = "bn",
              .attributes = graph::BatchNormAttributes{},
              .inputs = {in[0], in[1], in[2]},
              .updates = {in[3], in[4]}});
  return b.graph().nodes().back().outputs.at(0);
}

Values plain_norm(GraphBuilder& b, const Values& in) { return {norm(b, in)}; }

Values norm_relu(GraphBuilder& b, const Values& in) {
  return {graph::relu(b, norm(b, in), "relu")};
}

Values norm_add(GraphBuilder& b, const Values& in) {
  return {graph::add(b, norm(b, in), in[5], "sum")};
}

Values norm_add_relu(GraphBuilder& b, const Values& in) {
  return {graph::relu(b, graph::add(b, norm(b, in), in[5], "sum"), "relu")};
}

Values dice(GraphBuilder& b, const Values& in) {
  return {graph::dice_loss(b, in[0], in[1], "loss", 1.0F)};
}

Values add_four(GraphBuilder& b, const Values& in) {
  const ValueId left = graph::add(b, graph::add(b, in[0], in[1], "add1"), in[2], "add2");
  return {graph::add(b, left, in[3], "add3")};
}

/// A level of a decoder: the kernel that upsamples writes into the concatenation.
Values upsample_concat(GraphBuilder& b, const Values& in) {
  return {graph::concat(b, {graph::upsample2d(b, in[0], "up", 2), in[1]}, "concat")};
}

OpCase op_case(OpKind op, std::vector<Operand> inputs, graph::Attributes attributes = {}) {
  return {.op = op,
          .note = std::string(graph::name(op)),
          .attributes = std::move(attributes),
          .inputs = std::move(inputs),
          .dtypes = kActivations};
}

OpCase chain_case(std::string note,
                  conformance::BuildChain build,
                  std::vector<Operand> inputs,
                  std::vector<DType> dtypes = kActivations) {
  return {.note = std::move(note),
          .inputs = std::move(inputs),
          .dtypes = std::move(dtypes),
          .build = build};
}

/// Batch norm over x and what follows it, `more` behind its own operands.
OpCase norm_case(std::string note,
                 conformance::BuildChain build,
                 const Shape& x,
                 const std::vector<Operand>& more = {}) {
  const Shape channels{x[1]};
  const auto running = [&](std::string name, Fill fill) {
    return Operand{.name = std::move(name),
                   .shape = channels,
                   .fill = fill,
                   .storage = Storage::kBuffer,
                   .element = Element::kF32};
  };
  using conformance::cases::parameter;
  std::vector<Operand> inputs{conformance::cases::input("x", x),
                              parameter("gamma", channels, Fill::kPositive, Element::kF32),
                              parameter("beta", channels, Fill::kUniform, Element::kF32),
                              running("running_mean", Fill::kUniform),
                              running("running_var", Fill::kPositive)};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return chain_case(std::move(note), build, std::move(inputs));
}

/// One parameter with its gradient and states, all of `shape` in f32.
OpCase update_case(OpKind op, const Shape& shape, const std::vector<std::string>& states) {
  using conformance::cases::parameter;
  using conformance::cases::scalar;
  OpCase result{.op = op,
                .note = std::string(graph::name(op)),
                .attributes = graph::OptimizerAttributes{.epsilon = 1e-6},
                .inputs = {scalar("learning_rate", Element::kF32, 0.125),
                           {.name = "coefficients",
                            .shape = Shape{8},
                            .fill = Fill::kProbability,
                            .storage = Storage::kScalar,
                            .element = Element::kF64},
                           {.name = "grad/weight",
                            .shape = shape,
                            .storage = Storage::kGradient,
                            .parameter = "weight"}},
                .updates = {parameter("weight", shape)}};
  for (const std::string& state : states) {
    result.updates.push_back({.name = state + "/weight",
                              .shape = shape,
                              .fill = Fill::kPositive,
                              .storage = Storage::kOptimizerState,
                              .parameter = "weight"});
  }
  return result;
}

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

std::vector<OpCase> bandwidth_cases(const BandwidthSizes& sizes) {
  using conformance::cases::input;
  using conformance::cases::mask;
  using conformance::cases::scalar;
  const auto [n, c, side] = std::tuple(sizes.batch, sizes.channels, sizes.side);
  const Shape whole{n, c, side, side};
  const Shape half_channels{n, c / 2, side, side};
  const Shape small{n, c, side / 2, side / 2};
  const Shape parameters{whole.elements() / 2};  // as many bytes in f32 as `whole` in bf16
  const graph::Spatial two{2, 2, 1};
  return {
      op_case(OpKind::kAdd, {input("a", whole), input("b", whole)}),
      op_case(OpKind::kRelu, {input("x", whole, Fill::kAwayFromZero)}),
      norm_case("batch_norm", plain_norm, whole),
      norm_case("batch_norm+relu", norm_relu, whole),
      norm_case("batch_norm+add", norm_add, whole, {input("z", whole)}),
      norm_case("batch_norm+add+relu", norm_add_relu, whole, {input("z", whole)}),
      op_case(OpKind::kMaxPool,
              {input("x", whole, Fill::kDistinct)},
              graph::PoolAttributes{.kernel = two, .stride = two}),
      op_case(
          OpKind::kUpsampleNearest, {input("x", small)}, graph::UpsampleAttributes{.factor = two}),
      op_case(OpKind::kConcat, {input("a", half_channels), input("b", half_channels)}),
      chain_case("add+add+add",
                 add_four,
                 {input("a", whole), input("b", whole), input("c", whole), input("d", whole)}),
      chain_case("upsample_nearest+concat",
                 upsample_concat,
                 {input("x", {n, c / 2, side / 2, side / 2}), input("skip", half_channels)}),
      op_case(OpKind::kScaleChannels,
              {input("x", whole), input("gate", {n, c}, Fill::kProbability)}),
      op_case(OpKind::kDropout,
              {input("x", whole, Fill::kAwayFromZero),
               scalar("seed", Element::kI64, 1234567890123.0),
               scalar("step", Element::kI64, 7),
               scalar("first_sample", Element::kI64, 0)},
              graph::DropoutAttributes{.rate = 0.25F, .key = 3}),
      op_case(OpKind::kGlobalAvgPool, {input("x", whole)}),
      chain_case("dice",
                 dice,
                 {input("p", {n * c, 1, side, side}, Fill::kProbability),
                  mask("mask", {n * c, side, side})},
                 {DType::kF32}),
      update_case(OpKind::kSgd, parameters, {"velocity"}),
      update_case(OpKind::kAdam, parameters, {"m", "v"}),
      update_case(OpKind::kNadam, parameters, {"m", "v"}),
      update_case(OpKind::kAdadelta, parameters, {"square", "delta"}),
  };
}

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
