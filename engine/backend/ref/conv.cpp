// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Direct convolution, 2D and 3D, by rows: every inner loop runs along the last axis over the taps'
// overlap with the input, so padding costs nothing and is never read. A row is accumulated in
// chunks of doubles that stay in the first-level cache.
#include "engine/backend/ref/kernel_list.h"
#include "engine/graph/spatial.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dlbench::backend::ref {
namespace {

constexpr Index kChunk = 512;
using Row = std::array<double, kChunk>;

struct Range {
  Index begin;
  Index end;
};

Index floor_div(Index a, Index b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// One spatial axis: input position = output * stride + tap * dilation - pad.
struct Axis {
  Index x;
  Index y;
  Index kernel;
  Index stride;
  Index dilation;
  Index pad;

  [[nodiscard]] Index position(Index output, Index tap) const {
    return output * stride + tap * dilation - pad;
  }
  /// The outputs whose position for this tap is in [first, last) of the input.
  [[nodiscard]] Range outputs(Index tap, Index first, Index last) const {
    const Index offset = tap * dilation - pad;
    Index begin = first - offset;
    Index end = last - offset;
    if (stride != 1) {
      begin = floor_div(begin + stride - 1, stride);
      end = floor_div(end + stride - 1, stride);
    }
    return {std::max<Index>(begin, 0), std::min(end, y)};
  }
  /// The output whose position for this tap is `input`; -1 if there is none.
  [[nodiscard]] Index output(Index input, Index tap) const {
    const Index shifted = input + pad - tap * dilation;
    if (shifted < 0 || shifted % stride != 0 || shifted / stride >= y) {
      return -1;
    }
    return shifted / stride;
  }
};

/// Extents and strides of one convolution. Depth comes first; a 2D convolution has depth 1.
struct Geometry {
  Index batch;
  Index channels_in;
  Index channels_out;
  Index group_in;   ///< input channels of one group
  Index group_out;  ///< output channels of one group
  Axis depth;
  Axis height;
  Axis width;

  Geometry(const graph::ConvAttributes& attributes,
           const core::Shape& x,
           const core::Shape& weight,
           const core::Shape& y)
      : batch(x[0]),
        channels_in(x[1]),
        channels_out(y[1]),
        group_in(weight[1]),
        group_out(y[1] / attributes.groups),
        depth(axis(0, attributes, x, weight, y)),
        height(axis(1, attributes, x, weight, y)),
        width(axis(2, attributes, x, weight, y)) {}

  [[nodiscard]] Index x_plane() const { return depth.x * height.x * width.x; }
  [[nodiscard]] Index y_plane() const { return depth.y * height.y * width.y; }
  [[nodiscard]] Index taps() const { return depth.kernel * height.kernel * width.kernel; }

 private:
  static Axis axis(std::size_t index,
                   const graph::ConvAttributes& attributes,
                   const core::Shape& x,
                   const core::Shape& weight,
                   const core::Shape& y) {
    const std::size_t rank = x.rank();
    return {graph::spatial_extents(x)[index],
            graph::spatial_extents(y)[index],
            graph::spatial_extents(weight)[index],
            graph::spatial_attribute(attributes.stride, rank, 1)[index],
            graph::spatial_attribute(attributes.dilation, rank, 1)[index],
            graph::spatial_attribute(attributes.pad_begin, rank, 0)[index]};
  }
};

/// sum[i] += weight * x[i * stride]
template <typename T>
void multiply_add(double* sum, const T* x, Index stride, Index count, double weight) {
  if (stride == 1) {
#pragma omp simd
    for (Index i = 0; i < count; ++i) {
      sum[i] += weight * load(x[i]);
    }
  } else {
    for (Index i = 0; i < count; ++i) {
      sum[i] += weight * load(x[i * stride]);
    }
  }
}

/// sum[i * stride] += weight * x[i]
template <typename T>
void scatter_add(double* sum, const T* x, Index stride, Index count, double weight) {
  if (stride == 1) {
    multiply_add(sum, x, 1, count, weight);
  } else {
    for (Index i = 0; i < count; ++i) {
      sum[i * stride] += weight * load(x[i]);
    }
  }
}

template <typename T>
double dot(const T* x, Index stride, const T* dy, Index count) {
  double sum = 0;
  if (stride == 1) {
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < count; ++i) {
      sum += load(x[i]) * load(dy[i]);
    }
  } else {
    for (Index i = 0; i < count; ++i) {
      sum += load(x[i * stride]) * load(dy[i]);
    }
  }
  return sum;
}

template <typename T>
void store_row(T* to, const Row& row, Index count) {
  for (Index i = 0; i < count; ++i) {
    store(to[i], row[static_cast<std::size_t>(i)]);
  }
}

/// Adds the contribution of one input channel to outputs `chunk` of one row.
/// x: the channel's plane; weight: its taps.
template <typename T>
void add_forward(
    const Geometry& g, const T* x, const T* weight, Index od, Index oh, Range chunk, Row& row) {
  for (Index kd = 0; kd < g.depth.kernel; ++kd) {
    const Index id = g.depth.position(od, kd);
    if (id < 0 || id >= g.depth.x) {
      continue;
    }
    for (Index kh = 0; kh < g.height.kernel; ++kh) {
      const Index ih = g.height.position(oh, kh);
      if (ih < 0 || ih >= g.height.x) {
        continue;
      }
      const T* x_row = x + (id * g.height.x + ih) * g.width.x;
      const T* taps = weight + (kd * g.height.kernel + kh) * g.width.kernel;
      for (Index kw = 0; kw < g.width.kernel; ++kw) {
        const Range inside = g.width.outputs(kw, 0, g.width.x);
        const Index first = std::max(inside.begin, chunk.begin);
        const Index last = std::min(inside.end, chunk.end);
        if (first < last) {
          multiply_add(row.data() + (first - chunk.begin),
                       x_row + g.width.position(first, kw),
                       g.width.stride,
                       last - first,
                       load(taps[kw]));
        }
      }
    }
  }
}

template <typename T>
void forward_plane(const Geometry& g, const T* x, const T* weight, double bias, T* y) {
  Row row;
  for (Index od = 0; od < g.depth.y; ++od) {
    for (Index oh = 0; oh < g.height.y; ++oh) {
      for (Index begin = 0; begin < g.width.y; begin += kChunk) {
        const Range chunk{begin, std::min(begin + kChunk, g.width.y)};
        row.fill(bias);
        for (Index c = 0; c < g.group_in; ++c) {
          add_forward(g, x + c * g.x_plane(), weight + c * g.taps(), od, oh, chunk, row);
        }
        store_row(y + (od * g.height.y + oh) * g.width.y + begin, row, chunk.end - chunk.begin);
      }
    }
  }
}

/// Adds the contribution of one output channel to input gradients `chunk` of one row.
/// dy: the channel's plane; weight: its taps for this input channel.
template <typename T>
void add_backward_data(
    const Geometry& g, const T* dy, const T* weight, Index id, Index ih, Range chunk, Row& row) {
  for (Index kd = 0; kd < g.depth.kernel; ++kd) {
    const Index od = g.depth.output(id, kd);
    if (od < 0) {
      continue;
    }
    for (Index kh = 0; kh < g.height.kernel; ++kh) {
      const Index oh = g.height.output(ih, kh);
      if (oh < 0) {
        continue;
      }
      const T* dy_row = dy + (od * g.height.y + oh) * g.width.y;
      const T* taps = weight + (kd * g.height.kernel + kh) * g.width.kernel;
      for (Index kw = 0; kw < g.width.kernel; ++kw) {
        const Range outputs = g.width.outputs(kw, chunk.begin, chunk.end);
        if (outputs.begin < outputs.end) {
          const Index position = g.width.position(outputs.begin, kw) - chunk.begin;
          scatter_add(row.data() + position,
                      dy_row + outputs.begin,
                      g.width.stride,
                      outputs.end - outputs.begin,
                      load(taps[kw]));
        }
      }
    }
  }
}

/// Computes dx of one input channel in one sample. dy: planes of the group's output channels;
/// weight: taps of (group's first k, c).
template <typename T>
void backward_data_plane(const Geometry& g, const T* dy, const T* weight, T* dx) {
  Row row;
  for (Index id = 0; id < g.depth.x; ++id) {
    for (Index ih = 0; ih < g.height.x; ++ih) {
      for (Index begin = 0; begin < g.width.x; begin += kChunk) {
        const Range chunk{begin, std::min(begin + kChunk, g.width.x)};
        row.fill(0.0);
        for (Index k = 0; k < g.group_out; ++k) {
          add_backward_data(
              g, dy + k * g.y_plane(), weight + k * g.group_in * g.taps(), id, ih, chunk, row);
        }
        store_row(dx + (id * g.height.x + ih) * g.width.x + begin, row, chunk.end - chunk.begin);
      }
    }
  }
}

/// The sum over one sample of x at the tap's position times dy.
template <typename T>
double tap_gradient(const Geometry& g, const T* x, const T* dy, Index kd, Index kh, Index kw) {
  double sum = 0;
  const Range depth = g.depth.outputs(kd, 0, g.depth.x);
  const Range height = g.height.outputs(kh, 0, g.height.x);
  const Range width = g.width.outputs(kw, 0, g.width.x);
  if (width.begin >= width.end) {
    return 0;
  }
  for (Index od = depth.begin; od < depth.end; ++od) {
    const Index id = g.depth.position(od, kd);
    for (Index oh = height.begin; oh < height.end; ++oh) {
      const Index ih = g.height.position(oh, kh);
      const T* x_row = x + (id * g.height.x + ih) * g.width.x;
      const T* dy_row = dy + (od * g.height.y + oh) * g.width.y;
      sum += dot(x_row + g.width.position(width.begin, kw),
                 g.width.stride,
                 dy_row + width.begin,
                 width.end - width.begin);
    }
  }
  return sum;
}

/// The gradient of the taps of one (k, c). x, dy: planes of channels c and k in the first sample.
template <typename T>
void backward_weight_taps(const Geometry& g, const T* x, const T* dy, T* dweight) {
  for (Index kd = 0; kd < g.depth.kernel; ++kd) {
    for (Index kh = 0; kh < g.height.kernel; ++kh) {
      for (Index kw = 0; kw < g.width.kernel; ++kw) {
        double sum = 0;
        for (Index n = 0; n < g.batch; ++n) {
          sum += tap_gradient(g,
                              x + n * g.channels_in * g.x_plane(),
                              dy + n * g.channels_out * g.y_plane(),
                              kd,
                              kh,
                              kw);
        }
        store(dweight[(kd * g.height.kernel + kh) * g.width.kernel + kw], sum);
      }
    }
  }
}

/// Computes dx of the convolution that `attributes` describe.
void backward_data(const Call& call,
                   const graph::ConvAttributes& attributes,
                   const Tensor& dy,
                   const Tensor& weight,
                   const Tensor& dx) {
  const Geometry g(attributes, dx.shape, weight.shape, dy.shape);
  visit_float(dy.dtype, [&](auto type) {
    using T = decltype(type);
#pragma omp parallel for collapse(2) num_threads(call.threads) schedule(static)
    for (Index n = 0; n < g.batch; ++n) {
      for (Index c = 0; c < g.channels_in; ++c) {
        const Index first = c / g.group_in * g.group_out;
        backward_data_plane(g,
                            dy.as<T>() + (n * g.channels_out + first) * g.y_plane(),
                            weight.as<T>() + (first * g.group_in + c % g.group_in) * g.taps(),
                            dx.as<T>() + (n * g.channels_in + c) * g.x_plane());
      }
    }
  });
}

}  // namespace

void conv(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& weight = call.inputs[1];
  const Tensor* bias = call.inputs.size() > 2 ? &call.inputs[2] : nullptr;
  const Tensor& y = call.outputs[0];
  const Geometry g(call.node.as<graph::ConvAttributes>(), x.shape, weight.shape, y.shape);
  visit_float(x.dtype, [&](auto type) {
    using T = decltype(type);
#pragma omp parallel for collapse(2) num_threads(call.threads) schedule(static)
    for (Index n = 0; n < g.batch; ++n) {
      for (Index k = 0; k < g.channels_out; ++k) {
        const Index first = k / g.group_out * g.group_in;
        forward_plane(g,
                      x.as<T>() + (n * g.channels_in + first) * g.x_plane(),
                      weight.as<T>() + k * g.group_in * g.taps(),
                      bias != nullptr ? bias->read(k) : 0.0,
                      y.as<T>() + (n * g.channels_out + k) * g.y_plane());
      }
    }
  });
}

void conv_backward_data(const Call& call) {
  backward_data(
      call, call.node.as<graph::ConvAttributes>(), call.inputs[0], call.inputs[1], call.outputs[0]);
}

void conv_transpose(const Call& call) {
  backward_data(call,
                call.node.as<graph::ConvTransposeAttributes>().conv,
                call.inputs[0],
                call.inputs[1],
                call.outputs[0]);
}

void conv_backward_weights(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& dy = call.inputs[1];
  const Tensor& dweight = call.outputs[0];
  const Geometry g(call.node.as<graph::ConvAttributes>(), x.shape, dweight.shape, dy.shape);
  visit_float(x.dtype, [&](auto type) {
    using T = decltype(type);
#pragma omp parallel for collapse(2) num_threads(call.threads) schedule(static)
    for (Index k = 0; k < g.channels_out; ++k) {
      for (Index c = 0; c < g.group_in; ++c) {
        const Index channel = k / g.group_out * g.group_in + c;
        backward_weight_taps(g,
                             x.as<T>() + channel * g.x_plane(),
                             dy.as<T>() + k * g.y_plane(),
                             dweight.as<T>() + (k * g.group_in + c) * g.taps());
      }
    }
  });
  if (call.outputs.size() > 1) {
    sum_per_channel(call, dy, call.outputs[1]);
  }
}

}  // namespace dlbench::backend::ref
