// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What an optimizer makes of a gradient, in float64, and how far a recorded update lies from it.
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

/// The update of step t = 1, 2, ... of one element.
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

/// A difference, and what its error is to be divided by at least.
struct UpdateDifference {
  Difference difference;
  double unresolved = 0.0;   ///< norm of what f32 may lose of it whatever its size
  double before_norm = 0.0;  ///< of a state: the old one and what is added may cancel each other

  /// Such that what f32 loses is no more than `tolerance`.
  [[nodiscard]] double smallest_norm(double tolerance) const {
    return std::max(before_norm, unresolved / tolerance);
  }
};

/// Of a parameter and of each state of its optimizer: of what the record's step added to the
/// parameter, beside what the rule makes of the record's own gradient and state; of the state
/// itself. A record without state ("before/<state>") is that of a fresh optimizer, whose state is
/// not looked at.
struct UpdateDifferences {
  UpdateDifference parameter;
  std::vector<UpdateDifference> states;
};
[[nodiscard]] UpdateDifferences update_differences(const exec::TensorMap& record,
                                                   const std::string& parameter,
                                                   const graph::OptimizerSpec& optimizer,
                                                   const UpdateRule& rule);

}  // namespace dlbench::harness
