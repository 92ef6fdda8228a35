// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/optimizer_update.h"

#include "engine/core/error.h"

#include <string>

namespace dlbench::backend {
namespace {

/// Tensors of an arena begin at multiples of 64 bytes; what lies between two is zero everywhere,
/// and every rule leaves zeros alone.
constexpr std::int64_t kAligned = 16;

/// Joins a range with the last one if all its arrays go on where those end, padding between tensors
/// included: the arenas have one offset for all kinds.
void append(std::vector<UpdateRange>& ranges, const UpdateRange& range) {
  if (!ranges.empty()) {
    UpdateRange& last = ranges.back();
    const std::int64_t gap = range.parameter - last.parameter;
    const bool follows = gap == (last.elements + kAligned - 1) / kAligned * kAligned;
    const bool aligned = range.gradient - last.gradient == gap && range.first - last.first == gap &&
                         (last.second == nullptr || range.second - last.second == gap);
    if (follows && aligned) {
      last.elements = gap + range.elements;
      return;
    }
  }
  ranges.push_back(range);
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
  const std::size_t parameters = node.inputs.size() - 2;
  for (std::size_t index = 0; index < parameters; ++index) {
    const graph::Value& parameter = graph.value(node.updates.at(index));
    if (parameter.dtype != core::DType::kF32) {
      throw core::Error(core::ErrorCode::kUnavailable,
                        node.name + ": the " + std::string(backend) +
                            " backend updates f32 parameters, not " +
                            std::string(core::name(parameter.dtype)));
    }
    UpdateSlots slots{.gradient = slot_of(node.inputs[2 + index]),
                      .parameter = slot_of(parameter.id),
                      .first = slot_of(node.updates.at(parameters + index)),
                      .second = kNoSlot,
                      .elements = parameter.shape.elements()};
    if (node.op != graph::OpKind::kSgd) {
      slots.second = slot_of(node.updates.at(2 * parameters + index));
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
            address(tensor.first),
            address(tensor.second),
            tensor.elements});
  }
  return ranges;
}

}  // namespace dlbench::backend
