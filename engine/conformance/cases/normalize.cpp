// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

using core::DType;

OpCase image_case(std::string note,
                  const core::Shape& x,
                  const graph::NormalizeAttributes& attributes) {
  return {.op = graph::OpKind::kNormalizeImage,
          .note = std::move(note),
          .attributes = attributes,
          .inputs = {{.name = "x", .shape = x, .fill = Fill::kBytes, .element = Element::kU8}},
          .accuracy = Accuracy::kRounding};
}

OpCase cast_case(DType to) {
  return {.op = graph::OpKind::kCast,
          .note = "to " + std::string(core::name(to)),
          .attributes = graph::CastAttributes{.dtype = to},
          .inputs = {input("x", {2, 7, 5, 3})},
          .dtypes = {DType::kF32, DType::kBF16, DType::kF16},
          // Both sides round the same number to nearest even.
          .accuracy = Accuracy::kExact,
          .serves = {to},
          // Rounding to fewer bits is a staircase; the rule passes the gradient straight through.
          .smooth = to == DType::kF64};
}

}  // namespace

std::vector<OpCase> normalize() {
  return {
      image_case("divide by 255", {2, 16, 16, 3}, {}),
      image_case("grey, prime sizes", {3, 7, 11, 1}, {}),
      image_case("mean and deviation per channel",
                 {2, 5, 9, 3},
                 {.mean = {0.485F, 0.456F, 0.406F}, .stddev = {0.229F, 0.224F, 0.225F}}),
      image_case("one mean", {4, 28, 28, 1}, {.mean = {0.1307F}, .stddev = {0.3081F}}),
      cast_case(DType::kF32),
      cast_case(DType::kBF16),
      cast_case(DType::kF16),
      cast_case(DType::kF64),
  };
}

}  // namespace dlbench::conformance::cases
