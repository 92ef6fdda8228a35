// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/verification/update_rule.h"

#include "engine/backend/optimizer_math.h"

#include <cmath>
#include <limits>

namespace dlbench::harness {
namespace {

using core::HostTensor;
using graph::OptimizerKind;

/// How far rounding to f32 may move a sum: twice half a last place, as the step was rounded too.
constexpr double kLastPlace = std::numeric_limits<float>::epsilon();
/// Below it f32 has no full mantissa.
constexpr double kSmallest = std::numeric_limits<float>::min();

}  // namespace

UpdateRule::UpdateRule(const graph::OptimizerSpec& spec, std::int64_t t) : spec_(spec) {
  coefficients_.fill(1.0);
  for (std::int64_t step = 1; step <= t; ++step) {
    backend::advance_coefficients(spec.attributes, step, coefficients_.data());
  }
}

UpdateRule::Element UpdateRule::operator()(double gradient, Element before) const {
  // The learning rate lives in the model state as f32.
  const double rate = static_cast<float>(spec_.learning_rate);
  const graph::OptimizerAttributes& attributes = spec_.attributes;
  const double* coefficients = coefficients_.data();
  auto& [parameter, state] = before;
  switch (spec_.kind) {
    case OptimizerKind::kSgd:
      backend::SgdUpdate<double>(attributes, rate, coefficients)(gradient, parameter, state[0]);
      break;
    case OptimizerKind::kAdam:
      backend::AdamUpdate<double>(attributes, rate, coefficients)(
          gradient, parameter, state[0], state[1]);
      break;
    case OptimizerKind::kNadam:
      backend::NadamUpdate<double>(attributes, rate, coefficients)(
          gradient, parameter, state[0], state[1]);
      break;
    case OptimizerKind::kAdadelta:
      backend::AdadeltaUpdate<double>(attributes, rate, coefficients)(
          gradient, parameter, state[0], state[1]);
      break;
  }
  return before;
}

UpdateDifferences update_differences(const exec::TensorMap& record,
                                     const std::string& parameter,
                                     const graph::OptimizerSpec& optimizer,
                                     const UpdateRule& rule) {
  const HostTensor& before = tensor_of(record, "before/", parameter);
  const HostTensor& gradient = tensor_of(record, "grad/", parameter);
  const HostTensor& after = tensor_of(record, "after/", parameter);
  std::vector<const HostTensor*> states_before;
  std::vector<const HostTensor*> states_after;
  for (const std::string& state : graph::state_names(optimizer.kind, parameter)) {
    if (record.contains("before/" + state)) {
      states_before.push_back(&tensor_of(record, "before/", state));
      states_after.push_back(&tensor_of(record, "after/", state));
    }
  }
  UpdateDifferences differences;
  differences.states.resize(states_before.size());
  double squared_places = 0.0;
  std::vector<double> squared_before(states_before.size());
  for (std::int64_t i = 0; i < after.elements(); ++i) {
    UpdateRule::Element element{.parameter = before.at(i)};
    for (std::size_t k = 0; k < states_before.size(); ++k) {
      element.state.at(k) = states_before[k]->at(i);
    }
    const UpdateRule::Element wanted = rule(gradient.at(i), element);
    differences.parameter.difference.add(after.at(i) - element.parameter,
                                         wanted.parameter - element.parameter);
    for (std::size_t k = 0; k < states_after.size(); ++k) {
      differences.states[k].difference.add(states_after[k]->at(i), wanted.state.at(k));
      squared_before[k] += std::pow(states_before[k]->at(i), 2);
    }
    squared_places += std::pow(kLastPlace * wanted.parameter, 2);
  }
  differences.parameter.unresolved = std::sqrt(squared_places);
  for (std::size_t k = 0; k < states_before.size(); ++k) {
    UpdateDifference& state = differences.states[k];
    state.unresolved = kSmallest * std::sqrt(static_cast<double>(after.elements()));
    state.before_norm = std::sqrt(squared_before[k]);
  }
  return differences;
}

}  // namespace dlbench::harness
