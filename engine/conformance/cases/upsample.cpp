// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

OpCase nearest_case(std::string note, const core::Shape& x, const graph::Spatial& factor) {
  return {.op = graph::OpKind::kUpsampleNearest,
          .note = std::move(note),
          .attributes = graph::UpsampleAttributes{.factor = factor},
          .inputs = {input("x", x)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kReduction};
}

}  // namespace

std::vector<OpCase> upsample() {
  return {
      nearest_case("by 2, blocked channels", {2, 16, 6, 6}, {2, 2, 1}),
      nearest_case("by 2, prime sizes", {3, 7, 5, 3}, {2, 2, 1}),
      nearest_case("by 3 and 2", {1, 5, 4, 3}, {3, 2, 1}),
      nearest_case("one pixel by 8", {1, 16, 1, 1}, {8, 8, 1}),
      nearest_case("volume", {1, 3, 2, 3, 4}, {2, 2, 2}),
  };
}

}  // namespace dlbench::conformance::cases
