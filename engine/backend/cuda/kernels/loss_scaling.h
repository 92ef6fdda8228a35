// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamic loss scaling. The scale is read and changed in device memory, so that a captured step can
// be replayed.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/loss_scale_rule.h"

namespace dlbench::backend::cuda {

/// Unscales packs of N gradients. All threads that find a non-finite value write the same 1, so
/// their order does not matter.
template <int N>
struct UnscaleGradients {
  float* gradients;
  Index elements;
  const float* loss_scale;
  float* found_inf;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    const Index offset = item * N;
    const float factor = 1.0F / *loss_scale;
    float values[N];
    const bool whole = offset + N <= elements;
    if (whole) {
      load_pack(gradients + offset, values);
    } else {
      load_some(gradients + offset, static_cast<int>(elements - offset), values);
    }
    bool finite = true;
    for (int lane = 0; lane < N; ++lane) {
      values[lane] *= factor;
      // x - x is 0 for finite x, otherwise NaN.
      finite = finite && values[lane] - values[lane] == 0.0F;
    }
    if (!finite) {
      *found_inf = 1.0F;
    }
    if (whole) {
      store_pack(gradients + offset, values);
    } else {
      store_some(gradients + offset, static_cast<int>(elements - offset), values);
    }
  }
};

template <int N, typename Launcher>
void run_unscale_packs(Launcher& launcher, const UnscaleArgs& args, const GradientRange& range) {
  for_each(launcher,
           ceil_divide<Index>(range.elements, N),
           UnscaleGradients<N>{range.gradient, range.elements, args.loss_scale, args.found_inf});
}

template <typename Launcher>
void run_unscale(Launcher& launcher, const UnscaleArgs& args) {
  for (const GradientRange& range : args.ranges) {
    aligned(range.gradient) ? run_unscale_packs<kWide<float>>(launcher, args, range)
                            : run_unscale_packs<1>(launcher, args, range);
  }
}

/// The work of a single thread.
struct UpdateLossScale {
  graph::LossScaleAttributes rule;
  LossScaleState state;

  DLBENCH_HOST_DEVICE void operator()(Index /*item*/) const { update_loss_scale(rule, state); }
};

template <typename Launcher>
void run_loss_scale_update(Launcher& launcher,
                           const graph::LossScaleAttributes& rule,
                           const LossScaleState& state) {
  for_each(launcher, 1, UpdateLossScale{rule, state});
}

}  // namespace dlbench::backend::cuda
