// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

OpCase average_case(std::string note, const core::Shape& x) {
  return {.op = graph::OpKind::kGlobalAvgPool,
          .note = std::move(note),
          .inputs = {input("x", x)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kReduction};
}

OpCase max_case(std::string note,
                const core::Shape& x,
                const graph::Spatial& kernel,
                const graph::Spatial& stride) {
  return {.op = graph::OpKind::kMaxPool,
          .note = std::move(note),
          .attributes = graph::PoolAttributes{.kernel = kernel, .stride = stride},
          .inputs = {input("x", x, Fill::kDistinct)},
          .dtypes = activation_dtypes(),
          // Where windows overlap a few gradients are summed; values and positions agree exactly.
          .accuracy = Accuracy::kRounding,
          // Only one element of a window gets the gradient.
          .mostly_zero = {"grad_x"}};
}

}  // namespace

std::vector<OpCase> pooling() {
  return {
      average_case("blocked channels", {2, 32, 8, 8}),
      average_case("prime sizes", {3, 7, 5, 11}),
      average_case("one pixel", {2, 16, 1, 1}),
      average_case("volume", {2, 5, 3, 4, 5}),
      max_case("2 x 2", {2, 16, 8, 8}, {2, 2, 1}, {2, 2, 1}),
      max_case("2 x 2, odd sizes: the last row and column are dropped",
               {3, 7, 7, 11},
               {2, 2, 1},
               {2, 2, 1}),
      max_case("4 x 4", {1, 5, 16, 8}, {4, 4, 1}, {4, 4, 1}),
      max_case("overlapping windows", {2, 3, 9, 9}, {3, 3, 1}, {2, 2, 1}),
      max_case("gaps between windows", {1, 4, 9, 9}, {2, 2, 1}, {3, 3, 1}),
      max_case("windows and strides of each axis", {2, 5, 9, 11}, {2, 3, 1}, {2, 1, 1}),
      max_case("window of one", {1, 3, 4, 4}, {1, 1, 1}, {1, 1, 1}),
      max_case("volume", {1, 4, 4, 6, 5}, {2, 2, 2}, {2, 2, 2}),
      max_case("volume, windows and strides of each axis", {2, 3, 4, 7, 9}, {1, 2, 3}, {2, 1, 3}),
  };
}

}  // namespace dlbench::conformance::cases
