// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

OpCase pixels_case(std::string note,
                   const core::Shape& p,
                   float threshold,
                   Fill fill = Fill::kProbability) {
  return {.op = graph::OpKind::kSegmentationCounts,
          .note = std::move(note),
          .attributes = graph::ThresholdAttributes{.threshold = threshold},
          .inputs = {input("p", p, fill), mask("mask", {p[0], p[2], p[3]})},
          .accuracy = Accuracy::kExact};
}

OpCase classes_case(std::string note,
                    std::int64_t batch,
                    std::int64_t classes,
                    Fill fill = Fill::kUniform) {
  return {.op = graph::OpKind::kClassificationCounts,
          .note = std::move(note),
          .inputs = {input("logp", {batch, classes}, fill), labels("label", batch, classes)},
          .accuracy = Accuracy::kExact};
}

}  // namespace

std::vector<OpCase> metrics() {
  return {
      pixels_case("round sizes", {2, 1, 16, 16}, 0.5F),
      pixels_case("prime sizes", {3, 1, 7, 11}, 0.5F),
      pixels_case("threshold 0.25", {1, 1, 9, 9}, 0.25F),
      pixels_case("at the threshold is not above it", {2, 1, 9, 5}, 1.0F, Fill::kMask),
      classes_case("ten classes", 64, 10),
      classes_case("two classes", 7, 2),
      classes_case("the first of equal classes wins", 40, 5, Fill::kMask),
  };
}

}  // namespace dlbench::conformance::cases
