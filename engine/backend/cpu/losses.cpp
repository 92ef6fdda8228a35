// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses and metrics, on plain f32: mixed precision casts back before them.
#include "engine/backend/cpu/kernels/losses.h"

#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/core/error.h"

#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::DiceAttributes;
using graph::Node;
using graph::OpKind;

void require_f32(const GraphLowering& lowering, const Node& node) {
  for (const graph::ValueId id : node.inputs) {
    if (core::is_float(lowering.value(id).dtype) && lowering.value(id).dtype != core::DType::kF32) {
      throw core::Error(core::ErrorCode::kUnavailable,
                        node.name + ": the cpu backend computes losses in f32, not in " +
                            std::string(core::name(lowering.value(id).dtype)));
    }
  }
}

/// Reads all inputs except the last `shape_only` ones, in plain layout; throws if one is not f32.
Emission gather(GraphLowering& lowering, const Node& node, std::size_t shape_only) {
  require_f32(lowering, node);
  Emission emission{.covers = {node.id}, .kernel_name = "own:" + std::string(graph::name(node.op))};
  for (std::size_t index = 0; index + shape_only < node.inputs.size(); ++index) {
    emission.reads.push_back(lowering.read(node.inputs[index], Layout{}).slot);
  }
  emission.writes = {lowering.write(node.outputs[0]).slot};
  return emission;
}

}  // namespace

void lower_dice(GraphLowering& lowering, const Node& node) {
  const DiceAttributes attributes =
      node.op == OpKind::kDiceSums ? DiceAttributes{} : node.as<DiceAttributes>();
  if (node.op == OpKind::kDiceSums) {
    const std::int64_t count = lowering.value(node.inputs[0]).shape.elements();
    lowering.emit(gather(lowering, node, 0), [count](const Call& call) {
      dice_sums(count, call.in<float>(0), call.in<std::uint8_t>(1), call.out<float>(0));
    });
  } else if (node.op == OpKind::kDiceLoss) {
    lowering.emit(gather(lowering, node, 0), [attributes](const Call& call) {
      *call.out<float>(0) = dice_loss(call.in<float>(0), attributes.smooth);
    });
  } else {
    const std::int64_t count = lowering.value(node.outputs[0]).shape.elements();
    lowering.emit(gather(lowering, node, 1), [count, attributes](const Call& call) {
      dice_backward(count,
                    *call.in<float>(0),
                    call.in<std::uint8_t>(1),
                    call.in<float>(2),
                    attributes.smooth,
                    call.out<float>(0));
    });
  }
}

void lower_log_softmax(GraphLowering& lowering, const Node& node) {
  const core::Shape& shape = lowering.value(node.outputs[0]).shape;
  const std::int64_t rows = shape[0];
  const std::int64_t k = shape[1];
  if (node.op == OpKind::kLogSoftmax) {
    lowering.emit(gather(lowering, node, 0), [rows, k](const Call& call) {
      log_softmax(rows, k, call.in<float>(0), call.out<float>(0));
    });
  } else {
    lowering.emit(gather(lowering, node, 0), [rows, k](const Call& call) {
      log_softmax_backward(rows, k, call.in<float>(0), call.in<float>(1), call.out<float>(0));
    });
  }
}

void lower_nll(GraphLowering& lowering, const Node& node) {
  const bool forward = node.op == OpKind::kNllLoss;
  const core::Shape& shape = lowering.value(forward ? node.inputs[0] : node.outputs[0]).shape;
  const std::int64_t rows = shape[0];
  const std::int64_t k = shape[1];
  if (forward) {
    lowering.emit(gather(lowering, node, 0), [rows, k](const Call& call) {
      *call.out<float>(0) = nll_loss(rows, k, call.in<float>(0), call.in<std::int32_t>(1));
    });
  } else {
    lowering.emit(gather(lowering, node, 1), [rows, k](const Call& call) {
      nll_backward(rows, k, *call.in<float>(0), call.in<std::int32_t>(1), call.out<float>(0));
    });
  }
}

void lower_counts(GraphLowering& lowering, const Node& node) {
  const core::Shape& shape = lowering.value(node.inputs[0]).shape;
  if (node.op == OpKind::kSegmentationCounts) {
    const float threshold = node.as<graph::ThresholdAttributes>().threshold;
    lowering.emit(
        gather(lowering, node, 0), [count = shape.elements(), threshold](const Call& call) {
          segmentation_counts(
              count, call.in<float>(0), call.in<std::uint8_t>(1), threshold, call.out<float>(0));
        });
  } else {
    lowering.emit(gather(lowering, node, 0), [rows = shape[0], k = shape[1]](const Call& call) {
      classification_counts(
          rows, k, call.in<float>(0), call.in<std::int32_t>(1), call.out<float>(0));
    });
  }
}

}  // namespace dlbench::backend::cpu
