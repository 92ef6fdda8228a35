// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses run in f32 (f64 in gradient checks) for any precision of the network. The Dice loss
// is differentiated as a chain (chains.cpp): its two nodes share one gradient.
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

using graph::OpKind;

OpCase dice_sums_case(std::string note, const core::Shape& p) {
  return {.op = OpKind::kDiceSums,
          .note = std::move(note),
          .attributes = graph::DiceAttributes{},  // only read by the gradient rule
          .inputs = {input("p", p, Fill::kProbability), mask("mask", {p[0], p[2], p[3]})},
          .accuracy = Accuracy::kReduction};
}

OpCase dice_loss_case(std::string note, float smooth) {
  return {.op = OpKind::kDiceLoss,
          .note = std::move(note),
          .attributes = graph::DiceAttributes{.smooth = smooth},
          .inputs = {input("sums", {3}, Fill::kPositive)},
          .accuracy = Accuracy::kTranscendental};
}

OpCase log_softmax_case(std::string note, const core::Shape& x, Fill fill) {
  return {.op = OpKind::kLogSoftmax,
          .note = std::move(note),
          .inputs = {input("x", x, fill)},
          .accuracy = Accuracy::kTranscendental};
}

OpCase nll_case(std::string note, std::int64_t batch, std::int64_t classes) {
  return {.op = OpKind::kNllLoss,
          .note = std::move(note),
          .inputs = {input("logp", {batch, classes}), labels("label", batch, classes)},
          .accuracy = Accuracy::kReduction,
          // Only the label's class gets a gradient.
          .mostly_zero = {"grad_logp"}};
}

}  // namespace

std::vector<OpCase> losses() {
  return {
      dice_sums_case("round sizes", {4, 1, 16, 16}),
      dice_sums_case("prime sizes", {3, 1, 7, 11}),
      dice_loss_case("smooth 1", 1.0F),
      dice_loss_case("no smoothing", 0.0F),
      log_softmax_case("ten classes", {64, 10}, Fill::kUniform),
      log_softmax_case("prime sizes", {7, 13}, Fill::kUniform),
      log_softmax_case("a thousand classes", {3, 1000}, Fill::kUniform),
      log_softmax_case("large inputs neither overflow nor lose digits", {5, 10}, Fill::kFar),
      nll_case("ten classes", 64, 10),
      nll_case("prime sizes", 7, 13),
      nll_case("one sample", 1, 4),
  };
}

}  // namespace dlbench::conformance::cases
