// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel_list.h"

#include <cmath>

namespace dlbench::backend::ref {
namespace {

/// y[i] = f(a[i]); all of one dtype.
template <typename Function>
void map(const Call& call, const Function& function) {
  const Tensor& a = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const Index count = y.elements();
  parallel_for(call, a.dtype, count, [&](auto type, Index i) {
    using T = decltype(type);
    store(y.as<T>()[i], function(load(a.as<T>()[i])));
  });
}

/// y[i] = f(a[i], b[i]); all of one dtype.
template <typename Function>
void zip(const Call& call, const Function& function) {
  const Tensor& a = call.inputs[0];
  const Tensor& b = call.inputs[1];
  const Tensor& y = call.outputs[0];
  const Index count = y.elements();
  parallel_for(call, a.dtype, count, [&](auto type, Index i) {
    using T = decltype(type);
    store(y.as<T>()[i], function(load(a.as<T>()[i]), load(b.as<T>()[i])));
  });
}

}  // namespace

// Written so that NaN passes through, as in PyTorch: a NaN must reach the loss to be detected.
void relu(const Call& call) {
  map(call, [](double x) { return x <= 0 ? 0.0 : x; });
}

void relu_backward(const Call& call) {
  zip(call, [](double dy, double y) { return y <= 0 ? 0.0 : dy; });
}

void sigmoid(const Call& call) {
  map(call, [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
}

void sigmoid_backward(const Call& call) {
  zip(call, [](double dy, double y) { return dy * y * (1.0 - y); });
}

void add(const Call& call) {
  zip(call, [](double a, double b) { return a + b; });
}

void multiply(const Call& call) {
  zip(call, [](double a, double b) { return a * b; });
}

void add_bias(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& bias = call.inputs[1];
  const Tensor& y = call.outputs[0];
  const Planes planes(x.shape);
  parallel_for(call, x.dtype, planes.count(), [&](auto type, Index plane) {
    using T = decltype(type);
    const double shift = bias.read(plane % planes.channels);
    for (Index i = plane * planes.elements; i < (plane + 1) * planes.elements; ++i) {
      store(y.as<T>()[i], load(x.as<T>()[i]) + shift);
    }
  });
}

void add_bias_backward(const Call& call) { sum_per_channel(call, call.inputs[0], call.outputs[0]); }

void scale_channels(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& gate = call.inputs[1];
  const Tensor& y = call.outputs[0];
  const Planes planes(x.shape);
  parallel_for(call, x.dtype, planes.count(), [&](auto type, Index plane) {
    using T = decltype(type);
    const double factor = gate.read(plane);
    for (Index i = plane * planes.elements; i < (plane + 1) * planes.elements; ++i) {
      store(y.as<T>()[i], load(x.as<T>()[i]) * factor);
    }
  });
}

void scale_channels_backward_gate(const Call& call) {
  const Tensor& dy = call.inputs[0];
  const Tensor& x = call.inputs[1];
  const Tensor& dgate = call.outputs[0];
  const Planes planes(x.shape);
  parallel_for(call, x.dtype, planes.count(), [&](auto type, Index plane) {
    using T = decltype(type);
    double sum = 0;
    for (Index i = plane * planes.elements; i < (plane + 1) * planes.elements; ++i) {
      sum += load(dy.as<T>()[i]) * load(x.as<T>()[i]);
    }
    dgate.write(plane, sum);
  });
}

}  // namespace dlbench::backend::ref
