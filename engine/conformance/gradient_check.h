// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks gradient rules against central differences in float64.
#pragma once

#include "engine/backend/backend.h"
#include "engine/conformance/op_case.h"

#include <string>
#include <vector>

namespace dlbench::conformance {

/// The result of checking the gradient of one operand.
struct GradientCheck {
  std::string operand;
  double worst = 0.0;  ///< |analytic - numeric| relative to the largest gradient of the operand
  int checked = 0;     ///< elements compared
  int kinks = 0;       ///< elements skipped: the function is not smooth around them
  bool passed = false;
  std::string detail{};  ///< a sentence, unless passed
};

/// Checks every differentiable operand of a case, run in f64 on `backend`, at up to 48 elements
/// chosen by a fixed seed. The numeric gradient is (L(x + h) - L(x - h)) / 2h with h = 1e-4 and
/// 5e-5, extrapolated to h = 0 (error of order h^4), where L = sum of seed times output. If the two
/// step sizes disagree, a kink lies between; the check fails if that is so for more than a quarter
/// of the elements. Returns nothing for a case without a gradient.
[[nodiscard]] std::vector<GradientCheck> check_gradients(backend::Backend& backend,
                                                         const OpCase& spec);

}  // namespace dlbench::conformance
