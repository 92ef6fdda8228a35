// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts behind the metrics, so that sums over batches and ranks are exact: Dice, IoU, precision
// and recall come from (tp, fp, fn, tn), accuracy from (correct, samples). Not differentiable.
#include "engine/graph/ops/op_tables.h"
#include "engine/graph/ops/operands.h"

namespace dlbench::graph::ops {
namespace {

std::vector<OutputSpec> infer_segmentation(const Graph& graph, const Node& node) {
  const Value& p = input(graph, node, 0);
  const Value& mask = input(graph, node, 1);
  require(p.shape.rank() == 4 && p.shape[1] == 1 && mask.dtype == core::DType::kU8 &&
              mask.shape == (core::Shape{p.shape[0], p.shape[2], p.shape[3]}),
          graph,
          node,
          "p must be (N, 1, H, W) and the mask u8 (N, H, W)");
  return {{core::DType::kF32, core::Shape{4}, ""}};
}

std::vector<OutputSpec> infer_classification(const Graph& graph, const Node& node) {
  const Value& logp = input(graph, node, 0);
  const Value& label = input(graph, node, 1);
  require(logp.shape.rank() == 2 && label.shape == core::Shape{logp.shape[0]} &&
              label.dtype == core::DType::kI32,
          graph,
          node,
          "logp must be (N, K) and labels i32 (N)");
  return {{core::DType::kF32, core::Shape{2}, ""}};
}

constexpr OpDef kMetricOps[] = {
    {OpKind::kSegmentationCounts,
     "segmentation_counts",
     PrecisionClass::kFloat32,
     infer_segmentation,
     nullptr,
     reduction_cost<2>},
    {OpKind::kClassificationCounts,
     "classification_counts",
     PrecisionClass::kFloat32,
     infer_classification,
     nullptr,
     reduction_cost<1>},
};

}  // namespace

std::span<const OpDef> metric_ops() { return kMetricOps; }

}  // namespace dlbench::graph::ops
