// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel_list.h"

#include <algorithm>
#include <cmath>

namespace dlbench::backend::ref {
namespace {

/// Calls visit(index into the tensor) for every element of one channel.
template <typename Visit>
void for_channel(const Planes& planes, Index channel, const Visit& visit) {
  for (Index n = 0; n < planes.batch; ++n) {
    const Index first = (n * planes.channels + channel) * planes.elements;
    for (Index i = first; i < first + planes.elements; ++i) {
      visit(i);
    }
  }
}

struct Moments {
  double mean;
  double variance;  ///< biased
};

/// Computed in two passes: subtracting the squared mean afterwards would cancel digits.
template <typename T>
Moments moments(const Planes& planes, Index channel, const T* x) {
  const double count = static_cast<double>(planes.batch * planes.elements);
  double sum = 0;
  for_channel(planes, channel, [&](Index i) { sum += load(x[i]); });
  const double mean = sum / count;
  double squares = 0;
  for_channel(planes, channel, [&](Index i) {
    const double difference = load(x[i]) - mean;
    squares += difference * difference;
  });
  return {mean, squares / count};
}

void update_running(const Tensor& running, Index channel, double momentum, double batch) {
  running.write(channel, momentum * running.read(channel) + (1.0 - momentum) * batch);
}

}  // namespace

void batch_norm(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const auto& attributes = call.node.as<graph::BatchNormAttributes>();
  const auto momentum = static_cast<double>(attributes.momentum);
  const Planes planes(x.shape);
  const double count = static_cast<double>(planes.batch * planes.elements);
  parallel_for(call, x.dtype, planes.channels, [&](auto type, Index c) {
    using T = decltype(type);
    const Moments batch = moments(planes, c, x.as<T>());
    const double rstd = 1.0 / std::sqrt(batch.variance + static_cast<double>(attributes.epsilon));
    const double gamma = call.inputs[1].read(c);
    const double beta = call.inputs[2].read(c);
    for_channel(planes, c, [&](Index i) {
      store(y.as<T>()[i], (load(x.as<T>()[i]) - batch.mean) * rstd * gamma + beta);
    });
    call.outputs[1].write(c, batch.mean);
    call.outputs[2].write(c, rstd);
    update_running(call.updates[0], c, momentum, batch.mean);
    // A single element per channel has no unbiased variance; its biased variance of 0 is used.
    update_running(
        call.updates[1], c, momentum, batch.variance * count / std::max(count - 1.0, 1.0));
  });
}

void batch_norm_inference(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const auto epsilon = static_cast<double>(call.node.as<graph::BatchNormAttributes>().epsilon);
  const Planes planes(x.shape);
  parallel_for(call, x.dtype, planes.channels, [&](auto type, Index c) {
    using T = decltype(type);
    const double gamma = call.inputs[1].read(c);
    const double beta = call.inputs[2].read(c);
    const double mean = call.inputs[3].read(c);
    const double rstd = 1.0 / std::sqrt(call.inputs[4].read(c) + epsilon);
    for_channel(planes, c, [&](Index i) {
      store(y.as<T>()[i], (load(x.as<T>()[i]) - mean) * rstd * gamma + beta);
    });
  });
}

void batch_norm_backward(const Call& call) {
  const Tensor& dy = call.inputs[0];
  const Tensor& x = call.inputs[1];
  const Tensor& dx = call.outputs[0];
  const Planes planes(x.shape);
  const double count = static_cast<double>(planes.batch * planes.elements);
  parallel_for(call, x.dtype, planes.channels, [&](auto type, Index c) {
    using T = decltype(type);
    const double gamma = call.inputs[2].read(c);
    const double mean = call.inputs[3].read(c);
    const double rstd = call.inputs[4].read(c);
    double dgamma = 0;
    double dbeta = 0;
    for_channel(planes, c, [&](Index i) {
      const double gradient = load(dy.as<T>()[i]);
      dbeta += gradient;
      dgamma += gradient * (load(x.as<T>()[i]) - mean) * rstd;
    });
    for_channel(planes, c, [&](Index i) {
      const double normalized = (load(x.as<T>()[i]) - mean) * rstd;
      const double gradient = load(dy.as<T>()[i]) - dbeta / count - normalized * dgamma / count;
      store(dx.as<T>()[i], gamma * rstd * gradient);
    });
    call.outputs[1].write(c, dgamma);
    call.outputs[2].write(c, dbeta);
  });
}

}  // namespace dlbench::backend::ref
