// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimizer nodes. Skipped steps only exist with f16, in which this backend does not compute.
#include "engine/backend/cpu/kernels/optimizers.h"

#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/optimizer_update.h"
#include "engine/core/error.h"

#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::Node;
using graph::OpKind;
using graph::OptimizerAttributes;

class UpdateKernel final : public Kernel {
 public:
  explicit UpdateKernel(UpdatePlan plan) : plan_(std::move(plan)) {}

  void bind(const SlotTable& slots, std::byte* /*scratch*/) override {
    learning_rate_ = reinterpret_cast<const float*>(slots[plan_.learning_rate]);
    coefficients_ = reinterpret_cast<const double*>(slots[plan_.coefficients]);
    ranges_ = update_ranges(slots, plan_.tensors);
  }

  void run(Stream& /*stream*/) override {
    update(plan_.op,
           plan_.attributes,
           *learning_rate_,
           coefficients_,
           ranges_.data(),
           static_cast<std::int64_t>(ranges_.size()));
  }

 private:
  UpdatePlan plan_;
  const float* learning_rate_ = nullptr;
  const double* coefficients_ = nullptr;
  std::vector<UpdateRange> ranges_;
};

[[noreturn]] void refuse_loss_scaling(const Node& node) {
  throw core::Error(core::ErrorCode::kUnavailable,
                    node.name + ": the cpu backend has no loss scaling: train in fp32 or bf16");
}

void lower_advance(GraphLowering& lowering, const Node& node) {
  if (!node.inputs.empty()) {
    refuse_loss_scaling(node);
  }
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

}  // namespace

void lower_optimizer(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kOptimizerAdvance) {
    return lower_advance(lowering, node);
  }
  UpdatePlan plan = plan_update(
      lowering.graph(), node, "cpu", [&](graph::ValueId id) { return lowering.read(id).slot; });
  if (plan.found_inf != kNoSlot) {
    refuse_loss_scaling(node);
  }
  Emission emission{.covers = {node.id},
                    .reads = {plan.learning_rate, plan.coefficients},
                    .kernel_name = "own:" + std::string(graph::name(node.op))};
  for (const UpdateSlots& tensor : plan.tensors) {
    emission.reads.push_back(tensor.gradient);
    emission.writes.insert(emission.writes.end(), {tensor.parameter, tensor.first_state});
    if (tensor.second_state != kNoSlot) {
      emission.writes.push_back(tensor.second_state);
    }
  }
  lowering.emit(std::move(emission), std::make_unique<UpdateKernel>(std::move(plan)));
}

void lower_loss_scaling(GraphLowering& /*lowering*/, const Node& node) {
  refuse_loss_scaling(node);
}

}  // namespace dlbench::backend::cpu
