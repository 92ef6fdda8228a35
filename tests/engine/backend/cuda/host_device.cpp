// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/host_device.h"

#include "engine/backend/cuda/layout.h"
#include "engine/backend/cuda/lowering.h"
#include "engine/backend/ref/kernel_list.h"
#include "engine/core/host_tensor.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

/// A value that lies channels-last, for the conversions of layout.h.
graph::Value as_value(core::DType dtype, const std::vector<std::int64_t>& extents) {
  return {.dtype = dtype, .shape = core::Shape(extents)};
}

ref::Tensor tensor_of(core::HostTensor& tensor) {
  return {tensor.data(), tensor.dtype(), tensor.shape()};
}

/// To the nearest float with ten bits of mantissa, ties away from zero. NaN and infinity stay.
double round_to_tf32(double value) {
  if (!std::isfinite(value)) {
    return value;
  }
  constexpr std::uint32_t kHalf = 1U << 12;
  constexpr std::uint32_t kDropped = (1U << 13) - 1;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>((bits + kHalf) & ~kDropped));
}

void round_all_to_tf32(core::HostTensor& tensor) {
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.set(i, round_to_tf32(tensor.at(i)));
  }
}

void convolve(const ConvProblem& problem, bool tf32, const ContractionCall& call) {
  const graph::Value values[3] = {as_value(problem.dtype, problem.x),
                                  as_value(problem.dtype, problem.w),
                                  as_value(problem.dtype, problem.y)};
  void* const addresses[3] = {call.x, call.w, call.y};
  std::vector<core::HostTensor> logical;
  for (std::size_t i = 0; i < 3; ++i) {
    logical.emplace_back(problem.dtype, values[i].shape);
    to_logical(values[i], static_cast<const std::byte*>(addresses[i]), logical.back());
  }
  graph::ConvAttributes attributes{.groups = problem.x[1] / problem.w[1]};
  for (std::size_t axis = 0; axis < problem.stride.size(); ++axis) {
    attributes.stride[axis] = problem.stride[axis];
    attributes.dilation[axis] = problem.dilation[axis];
    attributes.pad_begin[axis] = problem.pad_begin[axis];
    attributes.pad_end[axis] = problem.pad_end[axis];
  }
  ref::Call node{.node = {.attributes = attributes}};
  ref::Tensor x = tensor_of(logical[0]);
  ref::Tensor w = tensor_of(logical[1]);
  ref::Tensor y = tensor_of(logical[2]);
  std::size_t result = 2;
  switch (problem.direction) {
    case ConvDirection::kForward:
      node.node.op = graph::OpKind::kConv;
      node.inputs = {x, w};
      node.outputs = {y};
      break;
    case ConvDirection::kBackwardData:
      node.node.op = graph::OpKind::kConvBackwardData;
      node.inputs = {y, w, x};
      node.outputs = {x};
      result = 0;
      break;
    default:
      node.node.op = graph::OpKind::kConvBackwardWeights;
      node.inputs = {x, y, w};
      node.outputs = {w};
      result = 1;
      break;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (tf32 && i != result) {
      round_all_to_tf32(logical[i]);
    }
  }
  ref::kernel_of(node.node.op)(node);
  to_physical(values[result], logical[result], static_cast<std::byte*>(addresses[result]));
}

void multiply(const MatrixProduct& p, const ContractionCall& call) {
  ref::visit_float(p.dtype, [&](auto element) {
    using T = decltype(element);
    const auto* a = static_cast<const T*>(call.x);
    const auto* b = static_cast<const T*>(call.w);
    auto* y = static_cast<T*>(call.y);
    for (std::int64_t r = 0; r < p.rows; ++r) {
      for (std::int64_t c = 0; c < p.columns; ++c) {
        double sum = 0;
        for (std::int64_t i = 0; i < p.inner; ++i) {
          const double left = ref::load(a[p.transpose_a ? i * p.rows + r : r * p.inner + i]);
          const double right = ref::load(b[p.transpose_b ? c * p.inner + i : i * p.columns + c]);
          sum += p.allow_tf32 ? round_to_tf32(left) * round_to_tf32(right) : left * right;
        }
        ref::store(y[r * p.columns + c], sum);
      }
    }
  });
}

StreamHandle no_handle(Stream& /*stream*/) { return nullptr; }

}  // namespace

void enqueue_kernel(StreamHandle /*stream*/, std::function<void()> loops) { loops(); }

Contraction HostContractions::convolution(const ConvProblem& problem,
                                          const std::string& /*decision*/) {
  return {.kernel_name = "host:conv",
          .repeatable = deterministic_ || problem.direction != ConvDirection::kBackwardWeights,
          .run = [problem, tf32 = tf32_, observer = observer_](const ContractionCall& call) {
            convolve(problem, tf32, call);
            launch_epilogue(problem.epilogue,
                            call.bias,
                            call.y,
                            problem.dtype,
                            channels_last(core::Shape(problem.y)),
                            call.stream);
            if (observer) {
              observer(problem, call);
            }
          }};
}

Contraction HostContractions::product(const MatrixProduct& product) {
  return {.kernel_name = "host:product", .run = [product](const ContractionCall& call) {
            multiply(product, call);
            launch_epilogue(
                product.epilogue,
                call.bias,
                call.y,
                product.dtype,
                {.batch = product.rows, .channels = product.columns, .stride = product.columns},
                call.stream);
          }};
}

HostDevice::HostDevice(ConvObserver observer) : contractions_(std::move(observer)) {}

bool HostDevice::supports(core::DType dtype, std::string* why) const {
  if (dtype == core::DType::kF64) {
    if (why != nullptr) {
      *why = "no f64";
    }
    return false;
  }
  return ref_.supports(dtype, why);
}

std::unique_ptr<Buffer> HostDevice::allocate(std::size_t bytes) {
  constexpr int kPoison = 0xFF;  // a NaN in every float dtype
  auto buffer = ref_.allocate(bytes);
  std::memset(buffer->data(), kPoison, bytes);
  return buffer;
}

StateLayout HostDevice::state_layout(const graph::Value& value) const {
  StateLayout layout = Backend::state_layout(value);
  layout.name = layout_name(value);
  return layout;
}

void HostDevice::pack_state(const graph::Value& value,
                            const core::HostTensor& logical,
                            std::byte* physical) const {
  to_physical(value, logical, physical);
}

void HostDevice::unpack_state(const graph::Value& value,
                              const std::byte* physical,
                              core::HostTensor& logical) const {
  to_logical(value, physical, logical);
}

std::unique_ptr<LoweredGraph> HostDevice::lower(const graph::Graph& graph,
                                                const LoweringOptions& options) {
  contractions_.set_tf32(options.allow_tf32);
  contractions_.set_deterministic(options.deterministic);
  return lower_graph(graph, options, contractions_, no_handle);
}

}  // namespace dlbench::backend::cuda
