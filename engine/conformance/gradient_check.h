// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Gradient rules against central differences in float64.
#pragma once

#include "engine/backend/backend.h"
#include "engine/conformance/op_case.h"

#include <string>
#include <vector>

namespace dlbench::conformance {

/// What the check of one operand found.
struct GradientCheck {
  std::string operand;
  double worst = 0.0;  ///< |analytic - numeric| relative to the largest gradient of the operand
  int checked = 0;     ///< elements compared
  int kinks = 0;       ///< elements skipped: the function is not smooth around them
  bool passed = false;
  std::string detail{};  ///< a sentence, unless passed
};

/// Checks every differentiable operand of a case, run in f64 on `backend`, in up to 48 elements
/// chosen by a fixed seed. Numeric: (L(x + h) - L(x - h)) / 2h with h = 1e-4 and 5e-5, extrapolated
/// to h = 0 (error of order h^4), L = sum of seed times output. Where the two steps disagree a kink
/// lies between; more than a quarter of such elements fails the check. Empty where the case has no
/// gradient.
[[nodiscard]] std::vector<GradientCheck> check_gradients(backend::Backend& backend,
                                                         const OpCase& spec);

}  // namespace dlbench::conformance
