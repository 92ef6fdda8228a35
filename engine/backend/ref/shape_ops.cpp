// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel_list.h"

#include <algorithm>
#include <cstring>

namespace dlbench::backend::ref {
namespace {

/// Bytes of channels [0, channels) of one sample.
std::size_t bytes_per_sample(const Tensor& tensor, Index channels) {
  const Planes planes(tensor.shape);
  return static_cast<std::size_t>(channels * planes.elements) * core::size_of(tensor.dtype);
}

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

void concat(const Call& call) {
  const Tensor& y = call.outputs[0];
  const std::size_t y_sample = bytes_per_sample(y, y.shape[1]);
  std::size_t offset = 0;
  for (const Tensor& part : call.inputs) {
    const std::size_t part_sample = bytes_per_sample(part, part.shape[1]);
#pragma omp parallel for num_threads(call.threads) schedule(static)
    for (Index n = 0; n < y.shape[0]; ++n) {
      const auto sample = static_cast<std::size_t>(n);
      copy_bytes(
          y.data + sample * y_sample + offset, part.data + sample * part_sample, part_sample);
    }
    offset += part_sample;
  }
}

void slice(const Call& call) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const std::size_t x_sample = bytes_per_sample(x, x.shape[1]);
  const std::size_t y_sample = bytes_per_sample(y, y.shape[1]);
  const std::size_t offset = bytes_per_sample(x, call.node.as<graph::SliceAttributes>().begin);
#pragma omp parallel for num_threads(call.threads) schedule(static)
  for (Index n = 0; n < y.shape[0]; ++n) {
    const auto sample = static_cast<std::size_t>(n);
    copy_bytes(y.data + sample * y_sample, x.data + sample * x_sample + offset, y_sample);
  }
}

void slice_backward(const Call& call) {
  const Tensor& dy = call.inputs[0];
  const Tensor& dx = call.outputs[0];
  const std::size_t dy_sample = bytes_per_sample(dy, dy.shape[1]);
  const std::size_t dx_sample = bytes_per_sample(dx, dx.shape[1]);
  const std::size_t offset = bytes_per_sample(dx, call.node.as<graph::SliceAttributes>().begin);
#pragma omp parallel for num_threads(call.threads) schedule(static)
  for (Index n = 0; n < dx.shape[0]; ++n) {
    const auto sample = static_cast<std::size_t>(n);
    std::byte* to = dx.data + sample * dx_sample;
    std::fill_n(to, dx_sample, std::byte{0});
    copy_bytes(to + offset, dy.data + sample * dy_sample, dy_sample);
  }
}

void reshape(const Call& call) {
  const Tensor& y = call.outputs[0];
  copy_bytes(
      y.data, call.inputs[0].data, static_cast<std::size_t>(y.elements()) * core::size_of(y.dtype));
}

}  // namespace dlbench::backend::ref
