// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What an optimizer makes of a gradient, in float64, and how far a recorded update lies from it.
#pragma once

#include "engine/exec/model_state.h"
#include "engine/graph/passes.h"
#include "harness/verification/tensor_difference.h"

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

/// A difference, and the smallest norm that its error is divided by: f32 resolves no less than that
/// times the tolerance.
struct UpdateDifference {
  Difference difference;
  double smallest_norm = 0.0;
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
                                                   const UpdateRule& rule,
                                                   double tolerance);

}  // namespace dlbench::harness
