// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls one kernel of the ref backend on tensors written down in a test.
#pragma once

#include "engine/backend/ref/kernel_list.h"
#include "engine/core/host_tensor.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <utility>
#include <vector>

namespace dlbench::backend::ref {

/// A tensor with the given elements in row-major order.
inline core::HostTensor tensor(core::DType dtype,
                               const core::Shape& shape,
                               const std::vector<double>& elements) {
  core::HostTensor result(dtype, shape);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    result.set(static_cast<std::int64_t>(i), elements[i]);
  }
  return result;
}

inline core::HostTensor f32(const core::Shape& shape, const std::vector<double>& elements) {
  return tensor(core::DType::kF32, shape, elements);
}

inline std::vector<double> values(const core::HostTensor& t) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    result.push_back(t.at(i));
  }
  return result;
}

/// Operands of one node, owned; outputs start filled with 77 so that an element never written
/// shows.
class KernelCall {
 public:
  explicit KernelCall(graph::OpKind op, graph::Attributes attributes = {}) {
    call_.node.op = op;
    call_.node.name = "tested";
    call_.node.attributes = std::move(attributes);
    call_.threads = 2;
  }
  KernelCall& threads(int threads) {
    call_.threads = threads;
    return *this;
  }
  KernelCall& input(core::HostTensor t) {
    call_.inputs.push_back(own(std::move(t)));
    return *this;
  }
  /// An operand whose data must not be touched.
  KernelCall& shape_only(core::DType dtype, const core::Shape& shape) {
    call_.inputs.push_back({nullptr, dtype, shape});
    return *this;
  }
  KernelCall& update(core::HostTensor t) {
    call_.updates.push_back(own(std::move(t)));
    updates_.push_back(&tensors_.back());
    return *this;
  }
  KernelCall& output(core::DType dtype, const core::Shape& shape) {
    core::HostTensor t(dtype, shape);
    for (std::int64_t i = 0; i < t.elements(); ++i) {
      t.set(i, 77);
    }
    call_.outputs.push_back(own(std::move(t)));
    outputs_.push_back(&tensors_.back());
    return *this;
  }
  KernelCall& run() {
    kernel_of(call_.node.op)(call_);
    return *this;
  }
  [[nodiscard]] const core::HostTensor& result(std::size_t index = 0) const {
    return *outputs_.at(index);
  }
  [[nodiscard]] const core::HostTensor& updated(std::size_t index = 0) const {
    return *updates_.at(index);
  }

 private:
  Tensor own(core::HostTensor t) {
    tensors_.push_back(std::move(t));
    return {tensors_.back().data(), tensors_.back().dtype(), tensors_.back().shape()};
  }

  Call call_;
  std::deque<core::HostTensor> tensors_;
  std::vector<core::HostTensor*> outputs_;
  std::vector<core::HostTensor*> updates_;
};

}  // namespace dlbench::backend::ref
