// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimizer nodes: a gradient bucket, whose tensors are contiguous in the arenas, is one launch.
#include "engine/backend/cuda/graph_lowering_internal.h"
#include "engine/backend/optimizer_update.h"

#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;

class UpdateKernel final : public Kernel {
 public:
  UpdateKernel(UpdatePlan plan, StreamHandleOf stream_handle)
      : plan_(std::move(plan)),
        args_{.op = plan_.op, .attributes = plan_.attributes},
        stream_handle_(stream_handle) {}

  void bind(const SlotTable& slots, std::byte* /*scratch*/) override {
    args_.learning_rate = reinterpret_cast<const float*>(slots[plan_.learning_rate]);
    args_.coefficients = reinterpret_cast<const double*>(slots[plan_.coefficients]);
    args_.found_inf = plan_.found_inf == kNoSlot
                          ? nullptr
                          : reinterpret_cast<const float*>(slots[plan_.found_inf]);
    args_.ranges = update_ranges(slots, plan_.tensors);
  }

  void run(Stream& stream) override { launch_optimizer(args_, stream_handle_(stream)); }

 private:
  UpdatePlan plan_;
  OptimizerArgs args_;
  StreamHandleOf stream_handle_;
};

void lower_advance(GraphLowering& lowering, const Node& node) {
  lowering.emit(lowering.whole(node),
                [attributes = node.as<graph::OptimizerAttributes>(),
                 may_skip = !node.inputs.empty()](const Call& call) {
                  launch_optimizer_advance(attributes,
                                           call.out<std::int64_t>(0),
                                           call.out<double>(1),
                                           may_skip ? call.in<float>(0) : nullptr,
                                           call.stream);
                });
}

}  // namespace

void lower_optimizer(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kOptimizerAdvance) {
    return lower_advance(lowering, node);
  }
  UpdatePlan plan = plan_update(
      lowering.graph(), node, "cuda", [&](graph::ValueId id) { return lowering.read(id); });
  lowering.emit(lowering.whole(node),
                std::make_unique<UpdateKernel>(std::move(plan), lowering.handle_of_streams()));
}

}  // namespace dlbench::backend::cuda
