// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Nearest-neighbour upsampling.
#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/cpu/kernels/pooling.h"
#include "engine/graph/spatial.h"

#include <algorithm>

namespace dlbench::backend::cpu {

using graph::Node;
using graph::OpKind;

const Node* upsampled_into_concat(const GraphLowering& lowering, graph::ValueId id) {
  const Node* up = lowering.fusion().upsampled_into_concat(id);
  if (up == nullptr) {
    return nullptr;
  }
  // All parts must begin and end at block bounds, so that whole rows are written.
  const Node& concat = lowering.graph().node(lowering.fusion().readers(id).front());
  const std::int64_t block = lowering.layout_of(concat.outputs[0]).block;
  const bool in_blocks = std::ranges::all_of(concat.inputs, [&](graph::ValueId part) {
    return lowering.value(part).shape[1] % block == 0;
  });
  return in_blocks ? up : nullptr;
}

void lower_upsample(GraphLowering& lowering, const Node& node) {
  const bool forward = node.op == OpKind::kUpsampleNearest;
  if (forward && upsampled_into_concat(lowering, node.outputs[0]) != nullptr) {
    return;  // done by the concatenation
  }
  const Layout layout = lowering.layout_of(node.outputs[0]);
  const Operand from = lowering.read_rows(node.inputs[0], layout);
  const Operand to = lowering.write(node.outputs[0]);
  const Operand& small = forward ? from : to;
  const Extents input = extents_of(graph::spatial_extents(small.shape));
  const Extents factor = extents_of(
      graph::spatial_attribute(node.as<graph::UpsampleAttributes>().factor, small.shape.rank(), 1));
  with_element(to.dtype, [&]<typename T>(T) {
    lowering.emit(
        {.covers = {node.id},
         .reads = {from.slot},
         .writes = {to.slot},
         .kernel_name = forward ? "own:upsample_nearest" : "own:upsample_nearest_backward"},
        [=, g = small.geometry()](const Call& call) {
          if (forward) {
            upsample<T>(g, input, factor, rows_in<T>(call, 0, from), rows_out<T>(call, 0, to));
          } else {
            upsample_backward<T>(
                g, input, factor, rows_in<T>(call, 0, from), rows_out<T>(call, 0, to));
          }
        });
  });
}

}  // namespace dlbench::backend::cpu
