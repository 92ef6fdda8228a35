// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Global average pooling and max pooling. The saved positions of max pooling have the layout of x.
#include "engine/backend/cpu/kernels/pooling.h"

#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/cpu/kernels/pointwise.h"
#include "engine/graph/spatial.h"

#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::Node;
using graph::OpKind;
using graph::PoolAttributes;

PoolWindow window_of(const Node& node, const core::Shape& x, const core::Shape& y) {
  const auto& attributes = node.as<PoolAttributes>();
  return {.input = extents_of(graph::spatial_extents(x)),
          .output = extents_of(graph::spatial_extents(y)),
          .kernel = extents_of(graph::spatial_attribute(attributes.kernel, x.rank(), 1)),
          .stride = extents_of(graph::spatial_attribute(attributes.stride, x.rank(), 1))};
}

void lower_average(GraphLowering& lowering, const Node& node) {
  const Operand x = lowering.read_rows(node.inputs[0], lowering.layout_of(node.inputs[0]));
  const Operand y = lowering.write(node.outputs[0]);
  Emission emission{
      .covers = {node.id},
      .reads = {x.slot},
      .writes = {y.slot},
      .scratch_bytes = static_cast<std::size_t>(reduction_scratch_bytes(x.geometry())),
      .kernel_name = "own:global_avg_pool"};
  const float factor = 1.0F / static_cast<float>(x.geometry().spatial);
  with_element(x.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=](const Call& call) {
      sum_channels<T>(x.geometry(),
                      rows_in<T>(call, 0, x),
                      {},
                      factor,
                      call.out<T>(0),
                      reinterpret_cast<double*>(call.scratch));
    });
  });
}

void lower_average_gradient(GraphLowering& lowering, const Node& node) {
  const Operand dy = lowering.read(node.inputs[0]);
  const Operand dx = lowering.write(node.outputs[0]);
  with_element(dx.dtype, [&]<typename T>(T) {
    lowering.emit({.covers = {node.id},
                   .reads = {dy.slot},
                   .writes = {dx.slot},
                   .kernel_name = "own:global_avg_pool_backward"},
                  [=](const Call& call) {
                    spread_average<T>(dx.geometry(), call.in<T>(0), rows_out<T>(call, 0, dx));
                  });
  });
}

void lower_max(GraphLowering& lowering, const Node& node) {
  const Layout layout = lowering.layout_of(node.outputs[0]);
  const Operand x = lowering.read_rows(node.inputs[0], layout);
  const Operand y = lowering.write(node.outputs[0]);
  const Operand argmax = lowering.write(node.outputs[1]);
  const PoolWindow window = window_of(node, x.shape, y.shape);
  with_element(x.dtype, [&]<typename T>(T) {
    lowering.emit({.covers = {node.id},
                   .reads = {x.slot},
                   .writes = {y.slot, argmax.slot},
                   .kernel_name = "own:max_pool"},
                  [=](const Call& call) {
                    max_pool<T>(x.geometry(),
                                window,
                                rows_in<T>(call, 0, x),
                                rows_out<T>(call, 0, y),
                                rows_out<std::uint8_t>(call, 1, argmax));
                  });
  });
}

void lower_max_gradient(GraphLowering& lowering, const Node& node) {
  const Layout layout = lowering.layout_of(node.outputs[0]);
  const Operand argmax = lowering.read(node.inputs[1], layout);
  const Operand dy = lowering.read_rows(node.inputs[0], layout);
  const Operand dx = lowering.write(node.outputs[0]);
  const PoolWindow window = window_of(node, dx.shape, dy.shape);
  with_element(dx.dtype, [&]<typename T>(T) {
    lowering.emit({.covers = {node.id},
                   .reads = {dy.slot, argmax.slot},
                   .writes = {dx.slot},
                   .kernel_name = "own:max_pool_backward"},
                  [=](const Call& call) {
                    max_pool_backward<T>(dx.geometry(),
                                         window,
                                         rows_in<T>(call, 0, dy),
                                         rows_in<std::uint8_t>(call, 1, argmax),
                                         rows_out<T>(call, 0, dx));
                  });
  });
}

}  // namespace

void lower_global_average(GraphLowering& lowering, const Node& node) {
  return node.op == OpKind::kGlobalAvgPool ? lower_average(lowering, node)
                                           : lower_average_gradient(lowering, node);
}

void lower_max_pool(GraphLowering& lowering, const Node& node) {
  return node.op == OpKind::kMaxPool ? lower_max(lowering, node)
                                     : lower_max_gradient(lowering, node);
}

}  // namespace dlbench::backend::cpu
