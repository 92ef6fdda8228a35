// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel_list.h"

namespace dlbench::backend::ref {

void normalize_image(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const auto& attributes = call.node.as<graph::NormalizeAttributes>();
  const Planes planes(y.shape);
  visit_float(y.dtype, [&](auto type) {
    using T = decltype(type);
#pragma omp parallel for collapse(2) num_threads(call.threads) schedule(static)
    for (Index n = 0; n < planes.batch; ++n) {
      for (Index c = 0; c < planes.channels; ++c) {
        const auto channel = static_cast<std::size_t>(c);
        const double mean =
            attributes.mean.empty() ? 0.0 : static_cast<double>(attributes.mean[channel]);
        const double deviation =
            attributes.stddev.empty() ? 1.0 : static_cast<double>(attributes.stddev[channel]);
        const std::uint8_t* from = x.as<std::uint8_t>() + n * planes.elements * planes.channels + c;
        T* to = y.as<T>() + (n * planes.channels + c) * planes.elements;
        for (Index i = 0; i < planes.elements; ++i) {
          const double value = load(from[i * planes.channels]);
          store(to[i], (value * static_cast<double>(attributes.scale) - mean) / deviation);
        }
      }
    }
  });
}

void cast(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  visit_any(x.dtype, [&](auto from) {
    visit_any(y.dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
#pragma omp parallel for num_threads(call.threads) schedule(static)
      for (Index i = 0; i < y.elements(); ++i) {
        store(y.as<To>()[i], load(x.as<From>()[i]));
      }
    });
  });
}

}  // namespace dlbench::backend::ref
