// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

OpCase pixels_case(std::string note, const core::Shape& p, float threshold) {
  return {.op = graph::OpKind::kSegmentationCounts,
          .note = std::move(note),
          .attributes = graph::ThresholdAttributes{.threshold = threshold},
          .inputs = {input("p", p, Fill::kProbability), mask("mask", {p[0], p[2], p[3]})},
          .accuracy = Accuracy::kExact};
}

OpCase classes_case(std::string note, std::int64_t batch, std::int64_t classes) {
  return {.op = graph::OpKind::kClassificationCounts,
          .note = std::move(note),
          .inputs = {input("logp", {batch, classes}), labels("label", batch, classes)},
          .accuracy = Accuracy::kExact};
}

}  // namespace

std::vector<OpCase> metrics() {
  return {
      pixels_case("round sizes", {2, 1, 16, 16}, 0.5F),
      pixels_case("prime sizes", {3, 1, 7, 11}, 0.5F),
      pixels_case("threshold 0.25", {1, 1, 9, 9}, 0.25F),
      classes_case("ten classes", 64, 10),
      classes_case("two classes", 7, 2),
  };
}

}  // namespace dlbench::conformance::cases
