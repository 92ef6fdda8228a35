// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Non-finite gradients cannot be compared with tolerances: the tests of the kernels cover them.
#include "engine/conformance/cases/case_lists.h"

#include <string>

namespace dlbench::conformance::cases {
namespace {

using graph::LossScaleAttributes;
using graph::OpKind;

OpCase unscale_case(double loss_scale) {
  return {.op = OpKind::kUnscaleGradients,
          .note = "scale " + std::to_string(loss_scale),
          .inputs = {scalar("loss_scale", Element::kF32, loss_scale)},
          .updates = {parameter("conv", {5, 3, 3, 3}),
                      parameter("bias", {5}),
                      parameter("linear", {17, 31}),
                      scalar("found_inf", Element::kF32, 0.0)},
          .serves = {core::DType::kF16},
          .mostly_zero = {"found_inf"}};
}

OpCase update_case(std::string note,
                   double found_inf,
                   double good_steps,
                   const LossScaleAttributes& rule = {}) {
  return {.op = OpKind::kUpdateLossScale,
          .note = std::move(note),
          .attributes = rule,
          .inputs = {},
          .updates = {scalar("loss_scale", Element::kF32, 65536.0),
                      scalar("found_inf", Element::kF32, found_inf),
                      scalar("good_steps", Element::kI64, good_steps),
                      scalar("skipped_steps", Element::kI64, 5)},
          .accuracy = Accuracy::kExact,
          .serves = {core::DType::kF16},
          .mostly_zero = {"found_inf", "good_steps"}};
}

}  // namespace

std::vector<OpCase> loss_scaling() {
  return {
      unscale_case(65536.0),
      unscale_case(0.125),
      unscale_case(1000.0),
      update_case("a good step", 0.0, 3),
      update_case("a bad step", 1.0, 3),
      update_case("the last good step before it grows", 0.0, 1999),
      update_case("another rule", 0.0, 3, {.growth = 1.5, .backoff = 0.25, .interval = 4}),
      update_case("another rule, a bad step", 1.0, 3, {.growth = 1.5, .backoff = 0.25}),
  };
}

}  // namespace dlbench::conformance::cases
