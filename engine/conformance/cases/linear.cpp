// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

OpCase linear_case(std::string note,
                   std::int64_t batch,
                   std::int64_t features_in,
                   std::int64_t features_out,
                   bool bias) {
  OpCase result{.op = graph::OpKind::kLinear,
                .note = std::move(note),
                .inputs = {input("x", {batch, features_in}),
                           parameter("weight", {features_out, features_in})},
                .dtypes = activation_dtypes(),
                .accuracy = Accuracy::kContraction};
  if (bias) {
    result.inputs.push_back(parameter("bias", {features_out}));
  }
  return result;
}

}  // namespace

std::vector<OpCase> linear() {
  return {
      linear_case("round sizes", 16, 64, 32, true),
      linear_case("prime sizes", 3, 37, 13, true),
      linear_case("without bias", 5, 16, 7, false),
      linear_case("one of each", 1, 1, 1, true),
      linear_case("one sample", 1, 100, 10, true),
      linear_case("long rows", 2, 1201, 10, true),
  };
}

}  // namespace dlbench::conformance::cases
