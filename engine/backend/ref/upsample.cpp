// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel_list.h"
#include "engine/graph/spatial.h"

namespace dlbench::backend::ref {
namespace {

/// Planes of x (D, H, W) and of y, each extent times its factor.
struct Resampling {
  graph::Spatial x;
  graph::Spatial y;
  graph::Spatial factor;

  Resampling(const graph::UpsampleAttributes& attributes,
             const core::Shape& x_shape,
             const core::Shape& y_shape)
      : x(graph::spatial_extents(x_shape)),
        y(graph::spatial_extents(y_shape)),
        factor(graph::spatial_attribute(attributes.factor, x_shape.rank(), 1)) {}
};

template <typename T>
void forward_plane(const Resampling& r, const T* x, T* y) {
  for (Index d = 0; d < r.y[0]; ++d) {
    for (Index h = 0; h < r.y[1]; ++h) {
      const T* row = x + (d / r.factor[0] * r.x[1] + h / r.factor[1]) * r.x[2];
      for (Index w = 0; w < r.y[2]; ++w) {
        y[(d * r.y[1] + h) * r.y[2] + w] = row[w / r.factor[2]];
      }
    }
  }
}

template <typename T>
double sum_of_block(const Resampling& r, const T* dy, Index d, Index h, Index w) {
  double sum = 0;
  for (Index od = d * r.factor[0]; od < (d + 1) * r.factor[0]; ++od) {
    for (Index oh = h * r.factor[1]; oh < (h + 1) * r.factor[1]; ++oh) {
      for (Index ow = w * r.factor[2]; ow < (w + 1) * r.factor[2]; ++ow) {
        sum += load(dy[(od * r.y[1] + oh) * r.y[2] + ow]);
      }
    }
  }
  return sum;
}

template <typename T>
void backward_plane(const Resampling& r, const T* dy, T* dx) {
  for (Index d = 0; d < r.x[0]; ++d) {
    for (Index h = 0; h < r.x[1]; ++h) {
      for (Index w = 0; w < r.x[2]; ++w) {
        store(dx[(d * r.x[1] + h) * r.x[2] + w], sum_of_block(r, dy, d, h, w));
      }
    }
  }
}

}  // namespace

void upsample_nearest(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const Planes x_planes(x.shape);
  const Planes y_planes(y.shape);
  const Resampling r(call.node.as<graph::UpsampleAttributes>(), x.shape, y.shape);
  parallel_for(call, x.dtype, x_planes.count(), [&](auto type, Index plane) {
    using T = decltype(type);
    forward_plane(r, x.as<T>() + plane * x_planes.elements, y.as<T>() + plane * y_planes.elements);
  });
}

void upsample_nearest_backward(const Call& call) {
  const Tensor& dy = call.inputs[0];
  const Tensor& dx = call.outputs[0];
  const Planes x_planes(dx.shape);
  const Planes y_planes(dy.shape);
  const Resampling r(call.node.as<graph::UpsampleAttributes>(), dx.shape, dy.shape);
  parallel_for(call, dx.dtype, x_planes.count(), [&](auto type, Index plane) {
    using T = decltype(type);
    backward_plane(
        r, dy.as<T>() + plane * y_planes.elements, dx.as<T>() + plane * x_planes.elements);
  });
}

}  // namespace dlbench::backend::ref
