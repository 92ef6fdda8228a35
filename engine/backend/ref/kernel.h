// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The arguments of a kernel of this folder: one graph node with its operands in row-major memory.
#pragma once

#include "engine/backend/ref/element.h"
#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlbench::backend::ref {

using Index = std::int64_t;

/// A dense row-major tensor in host memory, not owned. `data` is null for operands that are passed
/// for their shape only.
struct Tensor {
  std::byte* data = nullptr;
  core::DType dtype = core::DType::kF32;
  core::Shape shape;

  [[nodiscard]] Index elements() const { return shape.elements(); }
  /// The elements as T, the C++ type of dtype (element.h).
  template <typename T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data);
  }
  /// Reads one element of any dtype: for the few per-channel and scalar operands.
  [[nodiscard]] double read(Index index) const {
    double value = 0;
    visit_any(dtype, [&](auto type) { value = load(as<decltype(type)>()[index]); });
    return value;
  }
  void write(Index index, double value) const {
    visit_any(dtype, [&](auto type) { store(as<decltype(type)>()[index], value); });
  }
};

/// A tensor (N, C, ...) viewed as N C planes of contiguous elements.
struct Planes {
  Index batch;
  Index channels;
  Index elements;  ///< of one plane

  explicit Planes(const core::Shape& shape)
      : batch(shape[0]),
        channels(shape[1]),
        elements(batch * channels == 0 ? 0 : shape.elements() / (batch * channels)) {}
  [[nodiscard]] Index count() const { return batch * channels; }
};

/// One execution of one node. Operands are in the order of graph/op_kind.h.
struct Call {
  graph::Node node;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<Tensor> updates;
  /// Threads of every parallel region; results do not depend on it.
  int threads = 1;
};

/// sum[c] = sum over batch and space of x[n, c, ...]: the gradient of a bias.
void sum_per_channel(const Call& call, const Tensor& x, const Tensor& sum);

/// Calls body(element, index) for each index in [0, count), with the indices divided among the
/// call's threads; `element` has the C++ type of a float dtype.
template <typename Body>
void parallel_for(const Call& call, core::DType dtype, Index count, const Body& body) {
  visit_float(dtype, [&](auto element) {
#pragma omp parallel for num_threads(call.threads) schedule(static)
    for (Index index = 0; index < count; ++index) {
      body(element, index);
    }
  });
}

/// Computes a node; neither allocates memory nor keeps state.
using KernelFunction = void (*)(const Call&);

}  // namespace dlbench::backend::ref
