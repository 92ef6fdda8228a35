// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimizer nodes. The tensors of a bucket follow each other in all arenas: bind() joins them into
// the fewest flat ranges.
#include "engine/backend/cpu/kernels/optimizers.h"

#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/optimizer_math.h"
#include "engine/core/error.h"

#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::Node;
using graph::OpKind;
using graph::OptimizerAttributes;

/// The slots of one parameter's update.
struct UpdateSlots {
  SlotId gradient = kNoSlot;
  SlotId parameter = kNoSlot;
  SlotId first = kNoSlot;
  SlotId second = kNoSlot;  ///< kNoSlot for SGD
  std::int64_t elements = 0;
};

struct UpdatePlan {
  UpdateRule rule = UpdateRule::kSgd;
  OptimizerAttributes attributes;
  SlotId learning_rate = kNoSlot;
  SlotId coefficients = kNoSlot;
  std::vector<UpdateSlots> tensors;
};

class UpdateKernel final : public Kernel {
 public:
  explicit UpdateKernel(UpdatePlan plan) : plan_(std::move(plan)) {}

  void bind(const SlotTable& slots, std::byte* /*scratch*/) override {
    const auto address = [&](SlotId slot) {
      return slot == kNoSlot ? nullptr : reinterpret_cast<float*>(slots[slot]);
    };
    learning_rate_ = address(plan_.learning_rate);
    coefficients_ = reinterpret_cast<const double*>(slots[plan_.coefficients]);
    ranges_.clear();
    for (const UpdateSlots& t : plan_.tensors) {
      append({address(t.gradient),
              address(t.parameter),
              address(t.first),
              address(t.second),
              t.elements});
    }
  }

  void run(Stream& /*stream*/) override {
    update(plan_.rule,
           plan_.attributes,
           *learning_rate_,
           coefficients_,
           ranges_.data(),
           static_cast<std::int64_t>(ranges_.size()));
  }

 private:
  /// Joins a range with the last one if all its arrays go on where those end, padding between
  /// tensors included: the arenas have one offset for all kinds.
  void append(const UpdateRange& range) {
    if (!ranges_.empty()) {
      UpdateRange& last = ranges_.back();
      const std::int64_t gap = range.parameter - last.parameter;
      const bool follows = gap == (last.elements + kAligned - 1) / kAligned * kAligned;
      const bool aligned = range.gradient - last.gradient == gap &&
                           range.first - last.first == gap &&
                           (last.second == nullptr || range.second - last.second == gap);
      if (follows && aligned) {
        last.elements = gap + range.elements;
        return;
      }
    }
    ranges_.push_back(range);
  }

  /// Tensors of an arena begin at multiples of 64 bytes; what lies between two is zero everywhere,
  /// and every rule leaves zeros alone.
  static constexpr std::int64_t kAligned = 16;

  UpdatePlan plan_;
  const float* learning_rate_ = nullptr;
  const double* coefficients_ = nullptr;
  std::vector<UpdateRange> ranges_;
};

void lower_advance(GraphLowering& lowering, const Node& node) {
  const SlotId step = lowering.read(node.updates.at(0)).slot;
  const SlotId coefficients = lowering.read(node.updates.at(1)).slot;
  const auto attributes = node.as<OptimizerAttributes>();
  lowering.emit({.covers = {node.id},
                 .reads = {step, coefficients},
                 .writes = {step, coefficients},
                 .kernel_name = "own:optimizer_advance"},
                [attributes](const Call& call) {
                  auto* count = call.out<std::int64_t>(0);
                  ++*count;
                  advance_coefficients(attributes, *count, call.out<double>(1));
                });
}

UpdateRule rule_of(OpKind op) {
  switch (op) {
    case OpKind::kAdam:
      return UpdateRule::kAdam;
    case OpKind::kNadam:
      return UpdateRule::kNadam;
    case OpKind::kAdadelta:
      return UpdateRule::kAdadelta;
    default:
      return UpdateRule::kSgd;
  }
}

}  // namespace

void lower_optimizer(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kOptimizerAdvance) {
    return lower_advance(lowering, node);
  }
  UpdatePlan plan{.rule = rule_of(node.op),
                  .attributes = node.as<OptimizerAttributes>(),
                  .learning_rate = lowering.read(node.inputs[0]).slot,
                  .coefficients = lowering.read(node.inputs[1]).slot,
                  .tensors = {}};
  Emission emission{.covers = {node.id},
                    .reads = {plan.learning_rate, plan.coefficients},
                    .kernel_name = "own:" + std::string(graph::name(node.op))};
  const std::size_t parameters = node.inputs.size() - 2;
  for (std::size_t index = 0; index < parameters; ++index) {
    const auto slot_of = [&](graph::ValueId id) { return lowering.read(id).slot; };
    const graph::Value& value = lowering.value(node.updates.at(index));
    if (value.dtype != core::DType::kF32) {
      throw core::Error(core::ErrorCode::kUnavailable,
                        node.name + ": the cpu backend updates f32 parameters, not " +
                            std::string(core::name(value.dtype)));
    }
    UpdateSlots slots{.gradient = slot_of(node.inputs[2 + index]),
                      .parameter = slot_of(value.id),
                      .first = slot_of(node.updates.at(parameters + index)),
                      .second = kNoSlot,
                      .elements = value.shape.elements()};
    emission.reads.push_back(slots.gradient);
    emission.writes.push_back(slots.parameter);
    emission.writes.push_back(slots.first);
    if (plan.rule != UpdateRule::kSgd) {
      slots.second = slot_of(node.updates.at(2 * parameters + index));
      emission.writes.push_back(slots.second);
    }
    plan.tensors.push_back(slots);
  }
  lowering.emit(std::move(emission), std::make_unique<UpdateKernel>(std::move(plan)));
}

}  // namespace dlbench::backend::cpu
