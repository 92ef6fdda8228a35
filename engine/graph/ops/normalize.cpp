// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The boundary between the loader's raw data and the network: u8 (N, H, W, C) images to normalised
// f32 (N, C, H, W), and casts between float types (the gradient of a cast is a cast back).
#include "engine/graph/graph_builder.h"
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::vector<OutputSpec> infer_normalize(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  const auto& attributes = node.as<NormalizeAttributes>();
  require(
      x.shape.rank() == 4 && x.dtype == core::DType::kU8, graph, node, "x must be u8 (N, H, W, C)");
  const auto channels = static_cast<std::size_t>(x.shape[3]);
  require(attributes.mean.empty() || attributes.mean.size() == channels,
          graph,
          node,
          "one mean per channel is needed");
  require(attributes.stddev.empty() || attributes.stddev.size() == channels,
          graph,
          node,
          "one standard deviation per channel is needed");
  return {{core::DType::kF32, core::Shape{x.shape[0], x.shape[3], x.shape[1], x.shape[2]}, ""}};
}

std::vector<OutputSpec> infer_cast(const Graph& graph, const Node& node) {
  const Value& x = input(graph, node, 0);
  require(core::is_float(x.dtype) && core::is_float(node.as<CastAttributes>().dtype),
          graph,
          node,
          "casts are between float types");
  return {{node.as<CastAttributes>().dtype, x.shape, ""}};
}

void differentiate_cast(GradientContext& context) {
  const core::DType dtype = context.builder().graph().value(context.input(0)).dtype;
  context.set(0,
              context.add_backward_value(
                  OpKind::kCast, {context.output_gradient()}, CastAttributes{dtype}));
}

constexpr OpDef kNormalizeOps[] = {
    {OpKind::kNormalizeImage,
     "normalize_image",
     PrecisionClass::kNeutral,
     infer_normalize,
     nullptr,
     pointwise_cost<2>},
    {OpKind::kCast, "cast", PrecisionClass::kNeutral, infer_cast, differentiate_cast, copy_cost},
};

}  // namespace

std::span<const OpDef> normalize_ops() { return kNormalizeOps; }

}  // namespace dlbench::graph::ops
