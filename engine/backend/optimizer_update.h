// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What an optimizer node updates, and the gradients that are unscaled before: slots during
// lowering, flat ranges of memory once planned. The rules are in optimizer_math.h.
#pragma once

#include "engine/backend/loss_scale_rule.h"
#include "engine/backend/lowering.h"
#include "engine/backend/optimizer_math.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace dlbench::backend {

/// The slots of one parameter's update.
struct UpdateSlots {
  SlotId gradient = kNoSlot;
  SlotId parameter = kNoSlot;
  SlotId first_state = kNoSlot;   ///< in the order of graph::state_names()
  SlotId second_state = kNoSlot;  ///< kNoSlot for SGD
  std::int64_t elements = 0;
};

struct UpdatePlan {
  graph::OpKind op = graph::OpKind::kSgd;
  graph::OptimizerAttributes attributes;
  SlotId learning_rate = kNoSlot;
  SlotId coefficients = kNoSlot;
  SlotId found_inf = kNoSlot;  ///< kNoSlot: no step is skipped
  std::vector<UpdateSlots> tensors;
};

/// Makes the plan of a kSgd, kAdam, kNadam or kAdadelta node. Throws core::Error(kUnavailable) for
/// parameters that are not f32; the message names `backend`.
[[nodiscard]] UpdatePlan plan_update(const graph::Graph& graph,
                                     const graph::Node& node,
                                     std::string_view backend,
                                     const std::function<SlotId(graph::ValueId)>& slot_of);

/// Returns the addresses of the tensors, joined into as few ranges as possible: tensors of a bucket
/// are adjacent in all arenas.
[[nodiscard]] std::vector<UpdateRange> update_ranges(const SlotTable& slots,
                                                     const std::vector<UpdateSlots>& tensors);

/// A gradient to divide by the loss scale.
struct GradientSlot {
  SlotId gradient = kNoSlot;
  std::int64_t elements = 0;
};

/// Lists the gradients of a kUnscaleGradients node. Throws core::Error(kUnavailable) if one is not
/// f32.
[[nodiscard]] std::vector<GradientSlot> plan_unscale(
    const graph::Graph& graph,
    const graph::Node& node,
    std::string_view backend,
    const std::function<SlotId(graph::ValueId)>& slot_of);

/// Returns the addresses of gradients, joined as in update_ranges().
[[nodiscard]] std::vector<GradientRange> gradient_ranges(
    const SlotTable& slots, const std::vector<GradientSlot>& gradients);

}  // namespace dlbench::backend
