// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From a case to a tiny graph with forward and backward nodes, and the content of its operands.
#pragma once

#include "engine/conformance/op_case.h"
#include "engine/core/host_tensor.h"
#include "engine/graph/graph.h"

#include <map>
#include <string>
#include <vector>

namespace dlbench::conformance {

using TensorsByName = std::map<std::string, core::HostTensor>;

/// The gradient of one operand: the graph output "grad_<input>" or the state "grad/<parameter>"
/// that holds it, or, where it is the seed itself (as for add), the input.
struct OperandGradient {
  std::string operand;
  std::string result;
  bool is_input = false;
};

/// A case ready to run. Gradients are those of L = sum over seeds of <seed, output>.
struct CaseGraph {
  graph::Graph graph;
  TensorsByName contents;             ///< of every input and every state value
  std::vector<std::string> outputs;   ///< graph outputs to compare: forward results and gradients
  std::vector<std::string> updated;   ///< state values to compare after the run
  std::vector<std::string> weighted;  ///< forward outputs that L is made of; "seed_<output>" is the
                                      ///< weight
  std::vector<OperandGradient> gradients;
};

enum class Nodes { kForward, kForwardAndBackward };

/// What operands hold.
enum class Contents {
  kDrawn,     ///< elements drawn one by one
  kRepeated,  ///< some thousand drawn ones again and again: quickly made where only time matters
};

/// Builds the graph of a case with activations of `dtype`; contents depend on case and names alone.
[[nodiscard]] CaseGraph make_case_graph(const OpCase& spec,
                                        core::DType dtype,
                                        Nodes nodes = Nodes::kForwardAndBackward,
                                        Contents contents = Contents::kDrawn);

}  // namespace dlbench::conformance
