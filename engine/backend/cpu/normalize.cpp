// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Raw images to network input, and casts. Casts of weights and of their gradients need no kernel:
// the reorders of the contractions read the f32 master and write f32 gradients.
#include "engine/backend/cpu/kernels/normalize.h"

#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/cpu/kernels/pointwise.h"
#include "engine/core/error.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::Node;
using graph::OpKind;
using graph::ValueId;

/// Whether the op reads the f32 master of a weight or bias.
bool reads_master(OpKind op) {
  return op == OpKind::kConv || op == OpKind::kConvBackwardData ||
         op == OpKind::kConvBackwardWeights || op == OpKind::kConvTranspose ||
         op == OpKind::kLinear || op == OpKind::kLinearBackwardData ||
         op == OpKind::kLinearBackwardWeights || op == OpKind::kAddBias;
}

/// Whether this is a cast of a parameter that only such ops read: as weight or bias, never as data.
bool is_weight_cast(const GraphLowering& lowering, const Node& node) {
  const ValueId result = node.outputs[0];
  const auto& readers = lowering.fusion().readers(result);
  return lowering.master_of(result) != result && !lowering.fusion().kept(result) &&
         std::all_of(readers.begin(), readers.end(), [&](graph::NodeId reader) {
           const Node& other = lowering.graph().node(reader);
           return reads_master(other.op) && (other.inputs[0] != result);
         });
}

/// Whether this is a cast of the gradient of a weight or bias that is already written in f32.
bool is_gradient_cast(const GraphLowering& lowering, const Node& node) {
  const graph::NodeId producer = lowering.value(node.inputs[0]).producer;
  if (producer == graph::kNoNode) {
    return false;
  }
  const OpKind op = lowering.graph().node(producer).op;
  return (op == OpKind::kConvBackwardWeights || op == OpKind::kLinearBackwardWeights ||
          op == OpKind::kAddBiasBackward) &&
         lowering.gradient_home(node.inputs[0]) == node.outputs[0];
}

}  // namespace

void lower_cast(GraphLowering& lowering, const Node& node) {
  if (is_weight_cast(lowering, node) || is_gradient_cast(lowering, node)) {
    return lowering.absorb(node.id);
  }
  const Operand x = lowering.read_rows(node.inputs[0], lowering.layout_of(node.outputs[0]));
  const Operand y = lowering.write(node.outputs[0]);
  Emission emission{.covers = {node.id}, .reads = {x.slot}, .writes = {y.slot}};
  if (x.dtype == y.dtype) {
    emission.kernel_name = "own:copy";
    with_element(x.dtype, [&]<typename T>(T) {
      lowering.emit(std::move(emission), [=](const Call& call) {
        copy<T>(x.geometry(), rows_in<T>(call, 0, x), rows_out<T>(call, 0, y));
      });
    });
  } else if (x.dtype == core::DType::kF32 && y.dtype == core::DType::kBF16) {
    emission.kernel_name = "own:cast";
    lowering.emit(std::move(emission), [=](const Call& call) {
      convert<float, Bf16>(x.geometry(), rows_in<float>(call, 0, x), rows_out<Bf16>(call, 0, y));
    });
  } else if (x.dtype == core::DType::kBF16 && y.dtype == core::DType::kF32) {
    emission.kernel_name = "own:cast";
    lowering.emit(std::move(emission), [=](const Call& call) {
      convert<Bf16, float>(x.geometry(), rows_in<Bf16>(call, 0, x), rows_out<float>(call, 0, y));
    });
  } else {
    throw core::Error(core::ErrorCode::kUnavailable,
                      node.name +
                          ": the cpu backend casts between f32 and bf16 only; choose the ref "
                          "backend (--device ref, for verify --backend ref)");
  }
}

void lower_normalize(GraphLowering& lowering, const Node& node) {
  const auto& attributes = node.as<graph::NormalizeAttributes>();
  const Operand x = lowering.read(node.inputs[0]);
  const Operand y = lowering.write(node.outputs[0]);
  const Geometry g = y.geometry();
  std::vector<float> scale(static_cast<std::size_t>(g.channels), attributes.scale);
  std::vector<float> shift(scale.size(), 0.0F);
  for (std::size_t c = 0; c < scale.size(); ++c) {
    const float stddev = attributes.stddev.empty() ? 1.0F : attributes.stddev[c];
    const float mean = attributes.mean.empty() ? 0.0F : attributes.mean[c];
    scale[c] = attributes.scale / stddev;
    shift[c] = -mean / stddev;
  }
  lowering.emit(
      {.covers = {node.id},
       .reads = {x.slot},
       .writes = {y.slot},
       .kernel_name = "own:normalize_image"},
      [=, scale = std::move(scale), shift = std::move(shift)](const Call& call) {
        normalize(
            g, call.in<std::uint8_t>(0), scale.data(), shift.data(), rows_out<float>(call, 0, y));
      });
}

}  // namespace dlbench::backend::cpu
