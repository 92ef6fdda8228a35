// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over the batch run on one thread in index order: they are short compared with a network, and
// their result then depends only on the data.
#include "engine/backend/ref/kernel_list.h"
#include "engine/core/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace dlbench::backend::ref {
namespace {

/// Label n, checked: a label outside the classes would cause an out-of-bounds read.
Index checked_label(const Call& call, const Tensor& labels, Index n, Index classes) {
  const Index label = labels.as<std::int32_t>()[n];
  if (label < 0 || label >= classes) {
    throw core::Error(core::ErrorCode::kRun,
                      call.node.name + ": label " + std::to_string(label) + " of sample " +
                          std::to_string(n) + " is not in [0, " + std::to_string(classes) +
                          "); check the data set");
  }
  return label;
}

}  // namespace

void dice_sums(const Call& call) {
  const Tensor& p = call.inputs[0];
  const std::uint8_t* mask = call.inputs[1].as<std::uint8_t>();
  double both = 0;
  double predicted = 0;
  double truth = 0;
  visit_float(p.dtype, [&](auto type) {
    using T = decltype(type);
    for (Index i = 0; i < p.elements(); ++i) {
      const double probability = load(p.as<T>()[i]);
      const double y = load(mask[i]);
      both += y * probability;
      predicted += probability;
      truth += y;
    }
  });
  call.outputs[0].write(0, both);
  call.outputs[0].write(1, predicted);
  call.outputs[0].write(2, truth);
}

void dice_loss(const Call& call) {
  const Tensor& sums = call.inputs[0];
  const auto smooth = static_cast<double>(call.node.as<graph::DiceAttributes>().smooth);
  const double dice = (2.0 * sums.read(0) + smooth) / (sums.read(1) + sums.read(2) + smooth);
  call.outputs[0].write(0, 1.0 - dice);
}

// With A = 2 sum(yp) + s and B = sum(y) + sum(p) + s: d(1 - A / B)/dp_i = (A - 2 y_i B) / B^2.
void dice_backward(const Call& call) {
  const double dloss = call.inputs[0].read(0);
  const std::uint8_t* mask = call.inputs[1].as<std::uint8_t>();
  const Tensor& sums = call.inputs[2];
  const Tensor& dp = call.outputs[0];
  const auto smooth = static_cast<double>(call.node.as<graph::DiceAttributes>().smooth);
  const double a = 2.0 * sums.read(0) + smooth;
  const double b = sums.read(1) + sums.read(2) + smooth;
  parallel_for(call, dp.dtype, dp.elements(), [&](auto type, Index i) {
    using T = decltype(type);
    store(dp.as<T>()[i], dloss * (a - 2.0 * load(mask[i]) * b) / (b * b));
  });
}

void log_softmax(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const Index classes = x.shape[1];
  parallel_for(call, x.dtype, x.shape[0], [&](auto type, Index n) {
    using T = decltype(type);
    const T* row = x.as<T>() + n * classes;
    double largest = load(row[0]);
    for (Index k = 1; k < classes; ++k) {
      largest = std::max(largest, load(row[k]));
    }
    double sum = 0;
    for (Index k = 0; k < classes; ++k) {
      sum += std::exp(load(row[k]) - largest);
    }
    for (Index k = 0; k < classes; ++k) {
      store(y.as<T>()[n * classes + k], load(row[k]) - largest - std::log(sum));
    }
  });
}

void log_softmax_backward(const Call& call) {
  const Tensor& dy = call.inputs[0];
  const Tensor& y = call.inputs[1];
  const Tensor& dx = call.outputs[0];
  const Index classes = y.shape[1];
  parallel_for(call, y.dtype, y.shape[0], [&](auto type, Index n) {
    using T = decltype(type);
    double sum = 0;
    for (Index i = n * classes; i < (n + 1) * classes; ++i) {
      sum += load(dy.as<T>()[i]);
    }
    for (Index i = n * classes; i < (n + 1) * classes; ++i) {
      store(dx.as<T>()[i], load(dy.as<T>()[i]) - std::exp(load(y.as<T>()[i])) * sum);
    }
  });
}

void nll_loss(const Call& call) {
  const Tensor& logp = call.inputs[0];
  const Index batch = logp.shape[0];
  const Index classes = logp.shape[1];
  double sum = 0;
  for (Index n = 0; n < batch; ++n) {
    sum -= logp.read(n * classes + checked_label(call, call.inputs[1], n, classes));
  }
  call.outputs[0].write(0, sum / static_cast<double>(batch));
}

void nll_backward(const Call& call) {
  const double dloss = call.inputs[0].read(0);
  const Tensor& dlogp = call.outputs[0];
  const Index batch = dlogp.shape[0];
  const Index classes = dlogp.shape[1];
  for (Index n = 0; n < batch; ++n) {
    const Index label = checked_label(call, call.inputs[1], n, classes);
    for (Index k = 0; k < classes; ++k) {
      dlogp.write(n * classes + k, k == label ? -dloss / static_cast<double>(batch) : 0.0);
    }
  }
}

}  // namespace dlbench::backend::ref
