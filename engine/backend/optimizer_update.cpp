// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/optimizer_update.h"

#include "engine/core/error.h"
#include "engine/core/round_up.h"
#include "engine/graph/op_def.h"

#include <string>

namespace dlbench::backend {
namespace {

/// In elements: tensors of an arena begin at multiples of 64 bytes. The padding between them is
/// zero in all arenas, and every rule leaves zeros unchanged.
constexpr std::int64_t kAligned = 16;

std::int64_t padded(std::int64_t elements) { return core::round_up(elements, kAligned); }

/// Joins a range with the last one if all its arrays begin where those end, after the padding
/// between tensors: a tensor has the same offset in the arenas of all kinds.
void append(std::vector<UpdateRange>& ranges, const UpdateRange& range) {
  if (!ranges.empty()) {
    UpdateRange& last = ranges.back();
    const std::int64_t gap = range.parameter - last.parameter;
    const bool follows = gap == padded(last.elements);
    const bool aligned =
        range.gradient - last.gradient == gap && range.first_state - last.first_state == gap &&
        (last.second_state == nullptr || range.second_state - last.second_state == gap);
    if (follows && aligned) {
      last.elements = gap + range.elements;
      return;
    }
  }
  ranges.push_back(range);
}

void require_f32(const graph::Node& node,
                 std::string_view backend,
                 const std::string& what,
                 core::DType dtype) {
  if (dtype != core::DType::kF32) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      node.name + ": the " + std::string(backend) + " backend " + what + ", not " +
                          std::string(core::name(dtype)));
  }
}

}  // namespace

UpdatePlan plan_update(const graph::Graph& graph,
                       const graph::Node& node,
                       std::string_view backend,
                       const std::function<SlotId(graph::ValueId)>& slot_of) {
  UpdatePlan plan{.op = node.op,
                  .attributes = node.as<graph::OptimizerAttributes>(),
                  .learning_rate = slot_of(node.inputs.at(0)),
                  .coefficients = slot_of(node.inputs.at(1)),
                  .tensors = {}};
  const std::size_t parameters = graph::gradient_count(node);
  if (graph::reads_found_inf(node)) {
    plan.found_inf = slot_of(node.inputs.back());
  }
  for (std::size_t index = 0; index < parameters; ++index) {
    const graph::Value& parameter = graph.value(node.updates.at(index));
    require_f32(node, backend, "updates f32 parameters", parameter.dtype);
    UpdateSlots slots{.gradient = slot_of(node.inputs[graph::kFirstGradient + index]),
                      .parameter = slot_of(parameter.id),
                      .first_state = slot_of(node.updates.at(parameters + index)),
                      .second_state = kNoSlot,
                      .elements = parameter.shape.elements()};
    if (node.op != graph::OpKind::kSgd) {
      slots.second_state = slot_of(node.updates.at(2 * parameters + index));
    }
    plan.tensors.push_back(slots);
  }
  return plan;
}

std::vector<UpdateRange> update_ranges(const SlotTable& slots,
                                       const std::vector<UpdateSlots>& tensors) {
  const auto address = [&](SlotId slot) {
    return slot == kNoSlot ? nullptr : reinterpret_cast<float*>(slots[slot]);
  };
  std::vector<UpdateRange> ranges;
  for (const UpdateSlots& tensor : tensors) {
    append(ranges,
           {address(tensor.gradient),
            address(tensor.parameter),
            address(tensor.first_state),
            address(tensor.second_state),
            tensor.elements});
  }
  return ranges;
}

std::vector<GradientSlot> plan_unscale(const graph::Graph& graph,
                                       const graph::Node& node,
                                       std::string_view backend,
                                       const std::function<SlotId(graph::ValueId)>& slot_of) {
  std::vector<GradientSlot> gradients;
  for (std::size_t index = 0; index + 1 < node.updates.size(); ++index) {
    const graph::Value& gradient = graph.value(node.updates[index]);
    require_f32(node, backend, "unscales f32 gradients", gradient.dtype);
    gradients.push_back({slot_of(gradient.id), gradient.shape.elements()});
  }
  return gradients;
}

std::vector<GradientRange> gradient_ranges(const SlotTable& slots,
                                           const std::vector<GradientSlot>& gradients) {
  std::vector<GradientRange> ranges;
  for (const GradientSlot& slot : gradients) {
    auto* address = reinterpret_cast<float*>(slots[slot.gradient]);
    if (!ranges.empty() && address == ranges.back().gradient + padded(ranges.back().elements)) {
      ranges.back().elements = padded(ranges.back().elements) + slot.elements;
    } else {
      ranges.push_back({address, slot.elements});
    }
  }
  return ranges;
}

}  // namespace dlbench::backend
