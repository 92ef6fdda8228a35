// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

OpCase concat_case(std::string note, const std::vector<core::Shape>& parts) {
  OpCase result{.op = graph::OpKind::kConcat,
                .note = std::move(note),
                .inputs = {},
                .dtypes = activation_dtypes(),
                .accuracy = Accuracy::kExact};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    result.inputs.push_back(input("part" + std::to_string(i), parts[i]));
  }
  return result;
}

OpCase slice_case(std::string note, const core::Shape& x, std::int64_t begin, std::int64_t extent) {
  return {.op = graph::OpKind::kSlice,
          .note = std::move(note),
          .attributes = graph::SliceAttributes{.begin = begin, .extent = extent},
          .inputs = {input("x", x)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kExact};
}

OpCase reshape_case(std::string note, const core::Shape& x, const core::Shape& y) {
  return {.op = graph::OpKind::kReshape,
          .note = std::move(note),
          .attributes = graph::ReshapeAttributes{.shape = y},
          .inputs = {input("x", x)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kExact};
}

}  // namespace

std::vector<OpCase> shape_ops() {
  return {
      concat_case("two of blocked channels", {{2, 16, 5, 5}, {2, 32, 5, 5}}),
      concat_case("no part at a block's border", {{3, 5, 4, 3}, {3, 7, 4, 3}, {3, 1, 4, 3}}),
      concat_case("one part", {{2, 3, 4, 4}}),
      concat_case("matrices", {{4, 3}, {4, 9}}),
      concat_case("volumes", {{1, 2, 3, 4, 5}, {1, 3, 3, 4, 5}}),
      slice_case("blocked channels", {2, 48, 4, 4}, 16, 32),
      slice_case("inside of blocks", {3, 19, 5, 3}, 5, 7),
      slice_case("everything", {2, 5, 3, 3}, 0, 5),
      slice_case("matrix", {4, 12}, 3, 4),
      slice_case("volume", {1, 11, 3, 2, 5}, 2, 9),
      reshape_case("flatten", {2, 16, 3, 5}, {2, 240}),
      reshape_case("flatten prime sizes", {3, 7, 5, 2}, {3, 70}),
      reshape_case("back to planes", {2, 90}, {2, 10, 3, 3}),
  };
}

}  // namespace dlbench::conformance::cases
