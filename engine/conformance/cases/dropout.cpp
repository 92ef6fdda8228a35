// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

OpCase dropout_case(std::string note, const core::Shape& x, float rate, double first_sample) {
  return {.op = graph::OpKind::kDropout,
          .note = std::move(note),
          .attributes = graph::DropoutAttributes{.rate = rate, .key = 3},
          .inputs = {input("x", x, Fill::kAwayFromZero),
                     scalar("seed", Element::kI64, 1234567890123.0),
                     scalar("step", Element::kI64, 7),
                     scalar("first_sample", Element::kI64, first_sample)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kRounding};
}

}  // namespace

std::vector<OpCase> dropout() {
  return {
      dropout_case("blocked channels", {2, 32, 6, 6}, 0.25F, 0),
      dropout_case("prime sizes", {3, 7, 5, 11}, 0.5F, 12),
      dropout_case("matrix", {8, 129}, 0.5F, 64),
      dropout_case("rate 0 keeps everything", {2, 33}, 0.0F, 0),
  };
}

}  // namespace dlbench::conformance::cases
