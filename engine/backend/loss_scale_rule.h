// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How the loss scale changes at the end of a step, shared by all backends (host and device).
#pragma once

#include "engine/core/host_device.h"
#include "engine/graph/attributes.h"

#include <cstdint>

namespace dlbench::backend {

/// The scalars of the model state that a kUpdateLossScale node updates.
struct LossScaleState {
  float* loss_scale = nullptr;
  float* found_inf = nullptr;  ///< 0, or 1: some gradient of this step is not finite
  std::int64_t* good_steps = nullptr;
  std::int64_t* skipped_steps = nullptr;
};

/// Updates the state at the end of a step: after a step with found_inf, which was skipped, the
/// scale falls; after `interval` other steps in a row it grows; found_inf is reset to 0. The scale
/// stays unchanged rather than leave the range in which it and its reciprocal are normal numbers,
/// since it could not recover from infinity or zero.
DLBENCH_HOST_DEVICE void update_loss_scale(const graph::LossScaleAttributes& rule,
                                           const LossScaleState& state) {
  constexpr double kLargest = 0x1p+126;
  constexpr double kSmallest = 0x1p-126;
  const double scale = static_cast<double>(*state.loss_scale);
  if (*state.found_inf != 0.0F) {
    const double fallen = scale * rule.backoff;
    *state.loss_scale = static_cast<float>(fallen < kSmallest ? scale : fallen);
    *state.good_steps = 0;
    ++*state.skipped_steps;
  } else if (++*state.good_steps >= rule.interval) {
    const double grown = scale * rule.growth;
    *state.loss_scale = static_cast<float>(grown > kLargest ? scale : grown);
    *state.good_steps = 0;
  }
  *state.found_inf = 0.0F;
}

/// Contiguous gradients to divide by the loss scale.
struct GradientRange {
  float* gradient = nullptr;
  std::int64_t elements = 0;
};

}  // namespace dlbench::backend
