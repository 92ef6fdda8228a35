// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamic loss scaling. unscale_gradients: g = g / loss_scale in place, and found_inf = 1 if a
// result is not finite, otherwise found_inf is unchanged. update_loss_scale: the rule of
// backend/loss_scale_rule.h.
#include "engine/backend/loss_scale_rule.h"
#include "engine/backend/ref/kernel_list.h"

#include <cmath>

namespace dlbench::backend::ref {

void unscale_gradients(const Call& call) {
  const double scale = call.inputs[0].read(0);
  int bad = 0;
  for (std::size_t index = 0; index + 1 < call.updates.size(); ++index) {
    const Tensor& gradient = call.updates[index];
    visit_float(gradient.dtype, [&](auto type) {
      auto* g = gradient.as<decltype(type)>();
#pragma omp parallel for num_threads(call.threads) schedule(static) reduction(| : bad)
      for (Index i = 0; i < gradient.elements(); ++i) {
        store(g[i], load(g[i]) / scale);
        bad |= std::isfinite(load(g[i])) ? 0 : 1;
      }
    });
  }
  if (bad != 0) {
    call.updates.back().write(0, 1.0);
  }
}

void update_loss_scale(const Call& call) {
  backend::update_loss_scale(call.node.as<graph::LossScaleAttributes>(),
                             {.loss_scale = call.updates[0].as<float>(),
                              .found_inf = call.updates[1].as<float>(),
                              .good_steps = call.updates[2].as<std::int64_t>(),
                              .skipped_steps = call.updates[3].as<std::int64_t>()});
}

}  // namespace dlbench::backend::ref
