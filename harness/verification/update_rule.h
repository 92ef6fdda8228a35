// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Computes an optimizer's update in float64, and the deviation of a recorded update from it.
#pragma once

#include "engine/exec/model_state.h"
#include "engine/graph/passes.h"
#include "harness/verification/tensor_difference.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

/// The update rule of step t = 1, 2, ... for one element.
class UpdateRule {
 public:
  UpdateRule(const graph::OptimizerSpec& spec, std::int64_t t);

  struct Element {
    double parameter = 0.0;
    std::array<double, 2> state{};  ///< in the order of graph::state_names()
  };
  [[nodiscard]] Element operator()(double gradient, Element before) const;

 private:
  const graph::OptimizerSpec& spec_;
  std::array<double, 8> coefficients_{};
};

/// A difference, and lower bounds for the denominator of its error.
struct UpdateDifference {
  Difference difference;
  double unresolved = 0.0;   ///< norm of what f32 may lose, independent of its size
  double before_norm = 0.0;  ///< of the old state, which may cancel with what is added

  /// Returns the smallest denominator for which f32's losses stay within `tolerance`.
  [[nodiscard]] double smallest_norm(double tolerance) const {
    return std::max(before_norm, unresolved / tolerance);
  }
};

/// The differences of a parameter and of each state of its optimizer: what the record's step added
/// to the parameter, compared with the rule applied to the record's own gradient and state; for a
/// state the state itself. A record without state ("before/<state>") is that of a fresh optimizer,
/// whose state is not compared.
struct UpdateDifferences {
  UpdateDifference parameter;
  std::vector<UpdateDifference> states;
};
[[nodiscard]] UpdateDifferences update_differences(const exec::TensorMap& record,
                                                   const std::string& parameter,
                                                   const graph::OptimizerSpec& optimizer,
                                                   const UpdateRule& rule);

}  // namespace dlbench::harness
