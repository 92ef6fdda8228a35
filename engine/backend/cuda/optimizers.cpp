// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimizer nodes. The tensors of a bucket follow each other in all arenas: bind() joins them into
// the fewest flat ranges, so that a bucket is one launch.
#include "engine/backend/cuda/graph_lowering_internal.h"
#include "engine/core/check.h"

#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;

/// The slots of one parameter's update.
struct UpdateSlots {
  SlotId gradient = kNoSlot;
  SlotId parameter = kNoSlot;
  SlotId first = kNoSlot;
  SlotId second = kNoSlot;  ///< kNoSlot for SGD
  Index elements = 0;
};

class UpdateKernel final : public Kernel {
 public:
  UpdateKernel(OptimizerArgs args,
               SlotId learning_rate,
               SlotId coefficients,
               std::vector<UpdateSlots> tensors,
               StreamHandleOf stream_handle)
      : args_(std::move(args)),
        learning_rate_(learning_rate),
        coefficients_(coefficients),
        tensors_(std::move(tensors)),
        stream_handle_(stream_handle) {}

  void bind(const SlotTable& slots, std::byte* /*scratch*/) override {
    const auto address = [&](SlotId slot) {
      return slot == kNoSlot ? nullptr : reinterpret_cast<float*>(slots[slot]);
    };
    args_.learning_rate = address(learning_rate_);
    args_.coefficients = reinterpret_cast<const double*>(slots[coefficients_]);
    args_.ranges.clear();
    for (const UpdateSlots& t : tensors_) {
      append({address(t.gradient),
              address(t.parameter),
              address(t.first),
              address(t.second),
              t.elements});
    }
  }

  void run(Stream& stream) override { launch_optimizer(args_, stream_handle_(stream)); }

 private:
  /// Joins a range with the last one if all its arrays go on where those end, padding between
  /// tensors included: what lies there is zero everywhere, and every rule leaves zeros alone.
  void append(const UpdateRange& range) {
    if (!args_.ranges.empty()) {
      UpdateRange& last = args_.ranges.back();
      const Index gap = range.parameter - last.parameter;
      const bool follows = gap == (last.elements + kAligned - 1) / kAligned * kAligned;
      const bool aligned = range.gradient - last.gradient == gap &&
                           range.first - last.first == gap &&
                           (last.second == nullptr || range.second - last.second == gap);
      if (follows && aligned) {
        last.elements = gap + range.elements;
        return;
      }
    }
    args_.ranges.push_back(range);
  }

  static constexpr Index kAligned = 16;  ///< tensors of an arena begin at multiples of 64 bytes

  OptimizerArgs args_;
  SlotId learning_rate_;
  SlotId coefficients_;
  std::vector<UpdateSlots> tensors_;
  StreamHandleOf stream_handle_;
};

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

void lower_advance(GraphLowering& lowering, const Node& node) {
  lowering.emit(lowering.whole(node),
                [attributes = node.as<graph::OptimizerAttributes>()](const Call& call) {
                  launch_optimizer_advance(
                      attributes, call.out<std::int64_t>(0), call.out<double>(1), {}, call.stream);
                });
}

}  // namespace

void lower_optimizer(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kOptimizerAdvance) {
    return lower_advance(lowering, node);
  }
  OptimizerArgs args{.rule = rule_of(node.op), .attributes = node.as<graph::OptimizerAttributes>()};
  const std::size_t parameters = node.inputs.size() - 2;
  std::vector<UpdateSlots> tensors;
  for (std::size_t index = 0; index < parameters; ++index) {
    const graph::Value& parameter = lowering.value(node.updates.at(index));
    if (parameter.dtype != core::DType::kF32) {
      GraphLowering::refuse(
          node, "updates f32 parameters, not " + std::string(core::name(parameter.dtype)));
    }
    UpdateSlots slots{.gradient = lowering.read(node.inputs[2 + index]),
                      .parameter = GraphLowering::slot(parameter.id),
                      .first = GraphLowering::slot(node.updates.at(parameters + index)),
                      .elements = parameter.shape.elements()};
    if (args.rule != UpdateRule::kSgd) {
      slots.second = GraphLowering::slot(node.updates.at(2 * parameters + index));
    }
    tensors.push_back(slots);
  }
  Emission emission = lowering.whole(node);
  const SlotId learning_rate = lowering.read(node.inputs[0]);
  const SlotId coefficients = lowering.read(node.inputs[1]);
  lowering.emit(std::move(emission),
                std::make_unique<UpdateKernel>(std::move(args),
                                               learning_rate,
                                               coefficients,
                                               std::move(tensors),
                                               lowering.handle_of_streams()));
}

}  // namespace dlbench::backend::cuda
