// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops that only move data. A slice at block bounds is a view, which costs a copy only for readers
// that need it dense; a reshape of a plain tensor is an alias. An upsampled part of a concatenation
// is written directly to its place.
#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/cpu/kernels/channel_copy.h"
#include "engine/backend/cpu/kernels/pointwise.h"
#include "engine/backend/cpu/kernels/pooling.h"
#include "engine/graph/spatial.h"

#include <utility>

namespace dlbench::backend::cpu {
namespace {

using graph::Node;
using graph::OpKind;
using graph::ValueId;

bool is_activation(const GraphLowering& lowering, ValueId id) {
  return lowering.value(id).storage == graph::Storage::kActivation;
}

/// A part of a concatenation: its source, its first channel in the result, and the factor by which
/// it is upsampled.
struct Part {
  Operand operand;
  std::int64_t begin = 0;
  Extents factor;
};

bool is_upsampled(const Part& part) { return part.factor.elements() > 1; }

template <typename T>
void copy_part(const Part& part, const Operand& y, Rows<const T> from, Rows<T> to) {
  const Geometry g = part.operand.geometry();
  if (part.begin % g.block == 0 && g.channels % g.block == 0) {
    to.data += part.begin / g.block * y.geometry().row();
    if (is_upsampled(part)) {
      upsample<T>(g, extents_of(graph::spatial_extents(part.operand.shape)), part.factor, from, to);
    } else {
      copy<T>(g, from, to);
    }
  } else {
    copy_channels<T>(g, 0, from, y.geometry(), part.begin, to, g.channels);
  }
}

void lower_concat(GraphLowering& lowering, const Node& node) {
  const Layout layout = lowering.layout_of(node.outputs[0]);
  std::vector<Part> parts;
  Emission emission{.covers = {node.id}, .kernel_name = "own:concat"};
  std::int64_t begin = 0;
  for (const ValueId id : node.inputs) {
    if (const Node* up = upsampled_into_concat(lowering, id); up != nullptr) {
      parts.push_back(
          {lowering.read_rows(up->inputs[0], layout),
           begin,
           extents_of(graph::spatial_attribute(
               up->as<graph::UpsampleAttributes>().factor, lowering.value(id).shape.rank(), 1))});
      emission.covers.push_back(up->id);
      emission.kernel_name = "own:upsample+concat";
    } else {
      parts.push_back({lowering.read_rows(id, layout), begin, {}});
    }
    emission.reads.push_back(parts.back().operand.slot);
    begin += lowering.value(id).shape[1];
  }
  const Operand y = lowering.write(node.outputs[0]);
  emission.writes = {y.slot};
  with_element(y.dtype, [&]<typename T>(T) {
    lowering.emit(std::move(emission), [=](const Call& call) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        copy_part<T>(parts[i], y, rows_in<T>(call, i, parts[i].operand), rows_out<T>(call, 0, y));
      }
      clear_padding<T>(y.geometry(), rows_out<T>(call, 0, y));
    });
  });
}

void lower_slice(GraphLowering& lowering, const Node& node) {
  const auto& slice = node.as<graph::SliceAttributes>();
  const ValueId result = node.outputs[0];
  const Operand x = lowering.read_rows(node.inputs[0], lowering.layout_of(node.inputs[0]));
  const Geometry g = x.geometry();
  const bool whole_blocks = slice.begin % g.block == 0 && slice.extent % g.block == 0;
  if (whole_blocks && lowering.layout_of(result) == x.layout && !lowering.fusion().kept(result) &&
      is_activation(lowering, node.inputs[0])) {
    const auto offset = static_cast<std::size_t>(slice.begin / g.block * g.row());
    return lowering.alias(
        result, x, offset * core::size_of(x.dtype), x.sample_stride, x.layout, node.id);
  }
  const Layout layout = lowering.layout_of(result);
  const Operand from = lowering.read_rows(node.inputs[0], layout);
  const Operand y = lowering.write(result);
  with_element(y.dtype, [&]<typename T>(T) {
    lowering.emit(
        {.covers = {node.id}, .reads = {from.slot}, .writes = {y.slot}, .kernel_name = "own:slice"},
        [=](const Call& call) {
          copy_channels<T>(from.geometry(),
                           slice.begin,
                           rows_in<T>(call, 0, from),
                           y.geometry(),
                           0,
                           rows_out<T>(call, 0, y),
                           slice.extent);
          clear_padding<T>(y.geometry(), rows_out<T>(call, 0, y));
        });
  });
}

void lower_slice_backward(GraphLowering& lowering, const Node& node) {
  const auto& slice = node.as<graph::SliceAttributes>();
  const Layout layout = lowering.layout_of(node.outputs[0]);
  const Operand dy = lowering.read_rows(node.inputs[0], layout);
  const Operand dx = lowering.write(node.outputs[0]);
  with_element(dx.dtype, [&]<typename T>(T) {
    lowering.emit(
        {.covers = {node.id},
         .reads = {dy.slot},
         .writes = {dx.slot},
         .kernel_name = "own:slice_backward"},
        [=](const Call& call) {
          const Geometry g = dx.geometry();
          const Rows<T> to = rows_out<T>(call, 0, dx);
          const std::int64_t end = slice.begin + slice.extent;
          clear_channels<T>(g, 0, slice.begin, to);
          copy_channels<T>(
              dy.geometry(), 0, rows_in<T>(call, 0, dy), g, slice.begin, to, slice.extent);
          clear_channels<T>(g, end, g.blocks() * g.block, to);
        });
  });
}

void lower_reshape(GraphLowering& lowering, const Node& node) {
  const ValueId result = node.outputs[0];
  const Operand x = lowering.read(node.inputs[0], Layout{});
  const Layout plain;
  const std::int64_t sample = geometry_of(lowering.value(result).shape, plain).sample();
  if (is_activation(lowering, node.inputs[0]) && !lowering.fusion().kept(result)) {
    return lowering.alias(result, x, 0, sample, plain, node.id);
  }
  const Operand y = lowering.write(result);
  const Geometry row{.spatial = x.shape.elements()};
  with_element(y.dtype, [&]<typename T>(T) {
    lowering.emit(
        {.covers = {node.id}, .reads = {x.slot}, .writes = {y.slot}, .kernel_name = "own:reshape"},
        [=](const Call& call) {
          copy<T>(row, {call.in<T>(0), row.spatial}, {call.out<T>(0), row.spatial});
        });
  });
}

}  // namespace

void lower_shape_op(GraphLowering& lowering, const Node& node) {
  switch (node.op) {
    case OpKind::kConcat:
      return lower_concat(lowering, node);
    case OpKind::kSlice:
      return lower_slice(lowering, node);
    case OpKind::kSliceBackward:
      return lower_slice_backward(lowering, node);
    default:
      return lower_reshape(lowering, node);
  }
}

}  // namespace dlbench::backend::cpu
