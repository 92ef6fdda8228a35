// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The update rules of backend/optimizer_math.h, in double for any dtype of the state.
// inputs: learning_rate, coefficients, gradients, [found_inf]; updates: parameters, then each kind
// of state, all in the order of the gradients.
#include "engine/backend/optimizer_math.h"
#include "engine/backend/ref/kernel_list.h"
#include "engine/core/check.h"
#include "engine/graph/op_def.h"

namespace dlbench::backend::ref {
namespace {

using graph::kFirstGradient;

std::size_t gradients_of(const Call& call, std::size_t states) {
  const std::size_t count = call.updates.size() / (1 + states);
  DLBENCH_CHECK(call.inputs.size() >= kFirstGradient + count)
      << call.node.name << ": " << count << " gradients, " << call.inputs.size() << " inputs";
  return count;
}

/// Whether a gradient of this step is not finite, so that nothing may change.
bool skips(const Call& call, std::size_t gradients) {
  const std::size_t found_inf = kFirstGradient + gradients;
  return call.inputs.size() > found_inf && call.inputs[found_inf].read(0) != 0.0;
}

template <typename Update>
Update make_update(const Call& call) {
  return Update(call.node.as<graph::OptimizerAttributes>(),
                call.inputs[0].read(0),
                call.inputs[1].as<double>());
}

/// Applies a rule with two state tensors per parameter.
template <typename Update>
void update_pairs(const Call& call) {
  const std::size_t count = gradients_of(call, 2);
  if (skips(call, count)) {
    return;
  }
  const auto update = make_update<Update>(call);
  for (std::size_t index = 0; index < count; ++index) {
    const Tensor& gradient = call.inputs[kFirstGradient + index];
    const Tensor& parameter = call.updates[index];
    visit_float(parameter.dtype, [&](auto type) {
      using T = decltype(type);
      T* p = parameter.as<T>();
      T* first = call.updates[count + index].as<T>();
      T* second = call.updates[2 * count + index].as<T>();
#pragma omp parallel for num_threads(call.threads) schedule(static)
      for (Index i = 0; i < parameter.elements(); ++i) {
        double value = load(p[i]);
        double a = load(first[i]);
        double b = load(second[i]);
        update(load(gradient.as<T>()[i]), value, a, b);
        store(p[i], value);
        store(first[i], a);
        store(second[i], b);
      }
    });
  }
}

}  // namespace

void optimizer_advance(const Call& call) {
  if (!call.inputs.empty() && call.inputs[0].read(0) != 0.0) {
    return;
  }
  std::int64_t& step = *call.updates[0].as<std::int64_t>();
  ++step;
  advance_coefficients(
      call.node.as<graph::OptimizerAttributes>(), step, call.updates[1].as<double>());
}

void sgd(const Call& call) {
  const std::size_t count = gradients_of(call, 1);
  if (skips(call, count)) {
    return;
  }
  const auto update = make_update<SgdUpdate<double>>(call);
  for (std::size_t index = 0; index < count; ++index) {
    const Tensor& gradient = call.inputs[kFirstGradient + index];
    const Tensor& parameter = call.updates[index];
    visit_float(parameter.dtype, [&](auto type) {
      using T = decltype(type);
      T* p = parameter.as<T>();
      T* velocity = call.updates[count + index].as<T>();
#pragma omp parallel for num_threads(call.threads) schedule(static)
      for (Index i = 0; i < parameter.elements(); ++i) {
        double value = load(p[i]);
        double v = load(velocity[i]);
        update(load(gradient.as<T>()[i]), value, v);
        store(p[i], value);
        store(velocity[i], v);
      }
    });
  }
}

void adam(const Call& call) { update_pairs<AdamUpdate<double>>(call); }

void nadam(const Call& call) { update_pairs<NadamUpdate<double>>(call); }

void adadelta(const Call& call) { update_pairs<AdadeltaUpdate<double>>(call); }

}  // namespace dlbench::backend::ref
