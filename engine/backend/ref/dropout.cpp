// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether element e of a sample is kept depends on word e % 4 of Philox block e / 4 of that sample
// (core/rng.h), so the backward pass draws the mask again instead of reading a saved one.
#include "engine/backend/ref/kernel_list.h"
#include "engine/core/rng.h"

namespace dlbench::backend::ref {

void dropout(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const auto seed = static_cast<std::uint64_t>(*call.inputs[1].as<std::int64_t>());
  const std::int64_t step = *call.inputs[2].as<std::int64_t>();
  const std::int64_t first_sample = *call.inputs[3].as<std::int64_t>();
  const auto& attributes = call.node.as<graph::DropoutAttributes>();
  const double keep = 1.0 - static_cast<double>(attributes.rate);
  const Index batch = x.shape[0];
  const Index sample_elements = batch == 0 ? 0 : x.elements() / batch;
  parallel_for(call, x.dtype, batch, [&](auto type, Index n) {
    using T = decltype(type);
    const T* from = x.as<T>() + n * sample_elements;
    T* to = y.as<T>() + n * sample_elements;
    for (Index e = 0; e < sample_elements; ++e) {
      const auto words =
          core::sample_random_block(seed, step, attributes.key, first_sample + n, e / 4);
      const float uniform = core::uniform_from_bits(words[static_cast<std::size_t>(e % 4)]);
      store(to[e], uniform < attributes.rate ? 0.0 : load(from[e]) / keep);
    }
  });
}

}  // namespace dlbench::backend::ref
