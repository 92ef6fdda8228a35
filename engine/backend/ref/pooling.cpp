// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel_list.h"
#include "engine/graph/spatial.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dlbench::backend::ref {
namespace {

/// A pooling window over planes (D, H, W).
struct Window {
  graph::Spatial kernel;
  graph::Spatial stride;
  graph::Spatial x;
  graph::Spatial y;

  Window(const graph::PoolAttributes& attributes,
         const core::Shape& x_shape,
         const core::Shape& y_shape)
      : kernel(graph::spatial_attribute(attributes.kernel, x_shape.rank(), 1)),
        stride(graph::spatial_attribute(attributes.stride, x_shape.rank(), 1)),
        x(graph::spatial_extents(x_shape)),
        y(graph::spatial_extents(y_shape)) {}

  [[nodiscard]] Index y_index(Index d, Index h, Index w) const { return (d * y[1] + h) * y[2] + w; }
  [[nodiscard]] Index x_index(Index d, Index h, Index w) const { return (d * x[1] + h) * x[2] + w; }
  /// The index of the input that tap number `tap` (row-major) of output (d, h, w) reads.
  [[nodiscard]] Index tap_index(Index d, Index h, Index w, Index tap) const {
    const Index kw = tap % kernel[2];
    const Index kh = tap / kernel[2] % kernel[1];
    const Index kd = tap / (kernel[2] * kernel[1]);
    return x_index(d * stride[0] + kd, h * stride[1] + kh, w * stride[2] + kw);
  }
  [[nodiscard]] Index taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

template <typename Visit>
void for_each(const graph::Spatial& extents, const Visit& visit) {
  for (Index d = 0; d < extents[0]; ++d) {
    for (Index h = 0; h < extents[1]; ++h) {
      for (Index w = 0; w < extents[2]; ++w) {
        visit(d, h, w);
      }
    }
  }
}

template <typename T>
void max_plane(const Window& window, const T* x, T* y, std::uint8_t* argmax) {
  for_each(window.y, [&](Index d, Index h, Index w) {
    Index best_tap = 0;
    double best = load(x[window.tap_index(d, h, w, 0)]);
    for (Index tap = 1; tap < window.taps(); ++tap) {
      const double value = load(x[window.tap_index(d, h, w, tap)]);
      // The first maximum wins; NaN beats numbers and is then never replaced.
      if (value > best || (std::isnan(value) && !std::isnan(best))) {
        best = value;
        best_tap = tap;
      }
    }
    const Index index = window.y_index(d, h, w);
    store(y[index], best);
    argmax[index] = static_cast<std::uint8_t>(best_tap);
  });
}

/// The outputs [begin, end) whose windows contain input position `input`.
struct Reach {
  Index begin;
  Index end;
  Reach(Index input, Index kernel, Index stride, Index outputs)
      : begin(std::max<Index>(0, (input - kernel + stride) / stride)),
        end(std::min(outputs, input / stride + 1)) {}
};

/// Gathers, so that gradients of overlapping windows are summed in double and in a fixed order.
template <typename T>
void max_plane_backward(const Window& window, const T* dy, const std::uint8_t* argmax, T* dx) {
  for_each(window.x, [&](Index d, Index h, Index w) {
    const Reach depth(d, window.kernel[0], window.stride[0], window.y[0]);
    const Reach height(h, window.kernel[1], window.stride[1], window.y[1]);
    const Reach width(w, window.kernel[2], window.stride[2], window.y[2]);
    const Index here = window.x_index(d, h, w);
    double sum = 0;
    for (Index od = depth.begin; od < depth.end; ++od) {
      for (Index oh = height.begin; oh < height.end; ++oh) {
        for (Index ow = width.begin; ow < width.end; ++ow) {
          const Index output = window.y_index(od, oh, ow);
          if (window.tap_index(od, oh, ow, argmax[output]) == here) {
            sum += load(dy[output]);
          }
        }
      }
    }
    store(dx[here], sum);
  });
}

}  // namespace

void global_avg_pool(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const Planes planes(x.shape);
  parallel_for(call, x.dtype, planes.count(), [&](auto type, Index plane) {
    using T = decltype(type);
    double sum = 0;
    for (Index i = plane * planes.elements; i < (plane + 1) * planes.elements; ++i) {
      sum += load(x.as<T>()[i]);
    }
    y.write(plane, sum / static_cast<double>(planes.elements));
  });
}

void global_avg_pool_backward(const Call& call) {
  const Tensor& dy = call.inputs[0];
  const Tensor& dx = call.outputs[0];
  const Planes planes(dx.shape);
  parallel_for(call, dx.dtype, planes.count(), [&](auto type, Index plane) {
    using T = decltype(type);
    const double share = dy.read(plane) / static_cast<double>(planes.elements);
    for (Index i = plane * planes.elements; i < (plane + 1) * planes.elements; ++i) {
      store(dx.as<T>()[i], share);
    }
  });
}

void max_pool(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const Planes x_planes(x.shape);
  const Planes y_planes(y.shape);
  const Window window(call.node.as<graph::PoolAttributes>(), x.shape, y.shape);
  parallel_for(call, x.dtype, x_planes.count(), [&](auto type, Index plane) {
    using T = decltype(type);
    max_plane(window,
              x.as<T>() + plane * x_planes.elements,
              y.as<T>() + plane * y_planes.elements,
              call.outputs[1].as<std::uint8_t>() + plane * y_planes.elements);
  });
}

void max_pool_backward(const Call& call) {
  const Tensor& dy = call.inputs[0];
  const Tensor& dx = call.outputs[0];
  const Planes x_planes(dx.shape);
  const Planes y_planes(dy.shape);
  const Window window(call.node.as<graph::PoolAttributes>(), dx.shape, dy.shape);
  parallel_for(call, dx.dtype, x_planes.count(), [&](auto type, Index plane) {
    using T = decltype(type);
    max_plane_backward(window,
                       dy.as<T>() + plane * y_planes.elements,
                       call.inputs[1].as<std::uint8_t>() + plane * y_planes.elements,
                       dx.as<T>() + plane * x_planes.elements);
  });
}

}  // namespace dlbench::backend::ref
