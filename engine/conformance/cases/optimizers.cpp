// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

using graph::OpKind;
using graph::OptimizerAttributes;
using graph::Storage;

Operand coefficients() {
  return {.name = "coefficients",
          .shape = core::Shape{8},
          // Powers of the betas lie in (0, 1).
          .fill = Fill::kProbability,
          .storage = Storage::kScalar,
          .element = Element::kF64};
}

/// One bucket of three parameters of different shapes.
OpCase update_case(OpKind op,
                   std::string note,
                   const std::vector<std::string>& states,
                   const OptimizerAttributes& attributes) {
  const std::vector<std::pair<std::string, core::Shape>> parameters{
      {"conv.weight", {5, 3, 3, 3}}, {"conv.bias", {5}}, {"linear.weight", {17, 31}}};
  OpCase result{.op = op,
                .note = std::move(note),
                .attributes = attributes,
                .inputs = {scalar("learning_rate", Element::kStatistics, 0.125), coefficients()},
                .accuracy = Accuracy::kTranscendental};
  for (const auto& [name, shape] : parameters) {
    result.updates.push_back(parameter(name, shape));
    result.inputs.push_back(
        {.name = "grad/" + name, .shape = shape, .storage = Storage::kGradient, .parameter = name});
  }
  for (const std::string& state : states) {
    for (const auto& [name, shape] : parameters) {
      result.updates.push_back(
          {.name = std::string(state).append("/").append(name),
           .shape = shape,
           // Second moments are never negative.
           .fill = state == "m" || state == "velocity" ? Fill::kUniform : Fill::kPositive,
           .storage = Storage::kOptimizerState,
           .parameter = name});
    }
  }
  return result;
}

/// The first step of weights half of which have a zero gradient: their second moment stays zero, so
/// that the divisor must be the epsilon.
OpCase untouched_weights(OpCase plain) {
  for (Operand& operand : plain.inputs) {
    if (operand.storage == Storage::kGradient) {
      operand.fill = Fill::kMask;
    }
  }
  for (Operand& operand : plain.updates) {
    if (operand.storage == Storage::kOptimizerState) {
      operand.fill = Fill::kConstant;
    }
  }
  plain.note = "first step, half of the gradients zero";
  return plain;
}

/// A step with loss scaling; one with found_inf changes nothing.
OpCase skippable(OpCase plain, double found_inf) {
  plain.inputs.push_back(scalar("found_inf", Element::kF32, found_inf));
  plain.serves = {core::DType::kF16};
  plain.note += found_inf == 0.0 ? ", not skipped" : ", skipped";
  if (found_inf != 0.0) {
    plain.accuracy = Accuracy::kExact;
  }
  return plain;
}

OpCase advance_case(double step) {
  Operand operand = scalar("step", Element::kI64, step);
  return {.op = OpKind::kOptimizerAdvance,
          .note = "from step " + std::to_string(static_cast<int>(step)),
          .attributes = OptimizerAttributes{},
          .inputs = {},
          .updates = {operand, coefficients()},
          .accuracy = Accuracy::kTranscendental};
}

}  // namespace

std::vector<OpCase> optimizers() {
  return {
      advance_case(0),
      advance_case(1000),
      skippable(advance_case(7), 0.0),
      skippable(advance_case(7), 1.0),
      update_case(OpKind::kSgd, "plain", {"velocity"}, {}),
      update_case(
          OpKind::kSgd, "momentum and decay", {"velocity"}, {.momentum = 0.9, .weight_decay = 0.1}),
      update_case(OpKind::kAdam, "defaults", {"m", "v"}, {}),
      update_case(OpKind::kAdam,
                  "large epsilon and decay",
                  {"m", "v"},
                  {.epsilon = 0.1, .weight_decay = 0.1}),
      update_case(OpKind::kNadam, "defaults", {"m", "v"}, {}),
      update_case(OpKind::kNadam, "large epsilon", {"m", "v"}, {.beta1 = 0.5, .epsilon = 0.1}),
      update_case(OpKind::kAdadelta, "defaults", {"square", "delta"}, {.epsilon = 1e-6}),
      update_case(
          OpKind::kAdadelta, "large epsilon", {"square", "delta"}, {.epsilon = 0.1, .rho = 0.5}),
      untouched_weights(update_case(OpKind::kAdam, "", {"m", "v"}, {})),
      untouched_weights(update_case(OpKind::kNadam, "", {"m", "v"}, {})),
      untouched_weights(update_case(OpKind::kAdadelta, "", {"square", "delta"}, {})),
      skippable(update_case(OpKind::kSgd, "plain", {"velocity"}, {}), 0.0),
      skippable(update_case(OpKind::kSgd, "plain", {"velocity"}, {}), 1.0),
      skippable(update_case(OpKind::kAdam, "defaults", {"m", "v"}, {}), 0.0),
      skippable(update_case(OpKind::kAdam, "defaults", {"m", "v"}, {}), 1.0),
      skippable(update_case(OpKind::kNadam, "defaults", {"m", "v"}, {}), 0.0),
      skippable(update_case(OpKind::kNadam, "defaults", {"m", "v"}, {}), 1.0),
      skippable(update_case(OpKind::kAdadelta, "defaults", {"square", "delta"}, {}), 0.0),
      skippable(update_case(OpKind::kAdadelta, "defaults", {"square", "delta"}, {}), 1.0),
  };
}

}  // namespace dlbench::conformance::cases
