// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel.h"

namespace dlbench::backend::ref {

void sum_per_channel(const Call& call, const Tensor& x, const Tensor& sum) {
  const Planes planes(x.shape);
  parallel_for(call, x.dtype, planes.channels, [&](auto type, Index channel) {
    using T = decltype(type);
    double total = 0;
    for (Index n = 0; n < planes.batch; ++n) {
      const T* plane = x.as<T>() + (n * planes.channels + channel) * planes.elements;
      for (Index i = 0; i < planes.elements; ++i) {
        total += load(plane[i]);
      }
    }
    sum.write(channel, total);
  });
}

}  // namespace dlbench::backend::ref
