// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dropout, in plain layout: the random numbers are keyed by the logical position of an element.
#include "engine/backend/cpu/kernels/dropout.h"

#include "engine/backend/cpu/graph_lowering_internal.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cpu {

void lower_dropout(GraphLowering& lowering, const graph::Node& node) {
  const auto attributes = node.as<graph::DropoutAttributes>();
  const Operand x = lowering.read(node.inputs[0], Layout{});
  Emission emission{.covers = {node.id}, .reads = {x.slot}, .kernel_name = "own:dropout"};
  for (std::size_t index = 1; index <= 3; ++index) {
    emission.reads.push_back(lowering.read(node.inputs[index]).slot);
  }
  const Operand y = lowering.write(node.outputs[0]);
  emission.writes = {y.slot};
  share_in_place(emission, x, y);
  const std::int64_t samples = x.shape.rank() > 0 ? x.shape[0] : 1;
  const std::int64_t elements = x.shape.elements() / std::max<std::int64_t>(samples, 1);
  with_element(x.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=](const Call& call) {
      const DropoutKey key{.seed = static_cast<std::uint64_t>(*call.in<std::int64_t>(1)),
                           .step = *call.in<std::int64_t>(2),
                           .first_sample = *call.in<std::int64_t>(3),
                           .node = attributes.key};
      dropout<T>(key, attributes.rate, samples, elements, call.in<T>(0), call.out<T>(0));
    });
  });
}

}  // namespace dlbench::backend::cpu
