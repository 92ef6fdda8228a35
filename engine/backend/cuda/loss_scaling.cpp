// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamic loss scaling: a gradient bucket, which is contiguous in its arena, is one launch.
#include "engine/backend/cuda/graph_lowering_internal.h"
#include "engine/backend/optimizer_update.h"

#include <utility>

namespace dlbench::backend::cuda {
namespace {

using graph::Node;
using graph::OpKind;

class UnscaleKernel final : public Kernel {
 public:
  UnscaleKernel(std::vector<GradientSlot> gradients,
                SlotId loss_scale,
                SlotId found_inf,
                StreamHandleOf stream_handle)
      : gradients_(std::move(gradients)),
        loss_scale_(loss_scale),
        found_inf_(found_inf),
        stream_handle_(stream_handle) {}

  void bind(const SlotTable& slots, std::byte* /*scratch*/) override {
    args_ = {.loss_scale = reinterpret_cast<const float*>(slots[loss_scale_]),
             .found_inf = reinterpret_cast<float*>(slots[found_inf_]),
             .ranges = gradient_ranges(slots, gradients_)};
  }

  void run(Stream& stream) override { launch_unscale(args_, stream_handle_(stream)); }

 private:
  std::vector<GradientSlot> gradients_;
  SlotId loss_scale_;
  SlotId found_inf_;
  UnscaleArgs args_;
  StreamHandleOf stream_handle_;
};

}  // namespace

void lower_loss_scaling(GraphLowering& lowering, const Node& node) {
  if (node.op == OpKind::kUpdateLossScale) {
    return lowering.emit(lowering.whole(node),
                         [rule = node.as<graph::LossScaleAttributes>()](const Call& call) {
                           launch_loss_scale_update(rule,
                                                    {.loss_scale = call.out<float>(0),
                                                     .found_inf = call.out<float>(1),
                                                     .good_steps = call.out<std::int64_t>(2),
                                                     .skipped_steps = call.out<std::int64_t>(3)},
                                                    call.stream);
                         });
  }
  const auto slot_of = [&](graph::ValueId id) { return lowering.read(id); };
  lowering.emit(
      lowering.whole(node),
      std::make_unique<UnscaleKernel>(plan_unscale(lowering.graph(), node, "cuda", slot_of),
                                      slot_of(node.inputs.at(0)),
                                      slot_of(node.updates.back()),
                                      lowering.handle_of_streams()));
}

}  // namespace dlbench::backend::cuda
