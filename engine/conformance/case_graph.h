// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds a small graph with forward and backward nodes for a case, and the content of its operands.
#pragma once

#include "engine/conformance/op_case.h"
#include "engine/core/host_tensor.h"
#include "engine/graph/graph.h"

#include <map>
#include <string>
#include <vector>

namespace dlbench::conformance {

using TensorsByName = std::map<std::string, core::HostTensor>;

/// Where the gradient of one operand is found: in the graph output "grad_<input>", the state value
/// "grad/<parameter>", or, if it is the seed itself (as for add), that input.
struct OperandGradient {
  std::string operand;
  std::string result;
  bool is_input = false;
};

/// A case ready to run. Gradients are those of L = sum over outputs of <seed, output>.
struct CaseGraph {
  graph::Graph graph;
  TensorsByName contents;             ///< of every input and every state value
  std::vector<std::string> outputs;   ///< graph outputs to compare: forward results and gradients
  std::vector<std::string> updated;   ///< state values to compare after the run
  std::vector<std::string> weighted;  ///< forward outputs that enter L; "seed_<output>" is the
                                      ///< weight
  std::vector<OperandGradient> gradients;
};

enum class Nodes { kForward, kForwardAndBackward };

/// How the contents of operands are made.
enum class Contents {
  kDrawn,     ///< elements drawn one by one
  kRepeated,  ///< some thousand drawn elements, repeated: fast, for when only time is measured
};

/// Builds the graph of a case with activations of `dtype`. Contents depend only on case and names.
[[nodiscard]] CaseGraph make_case_graph(const OpCase& spec,
                                        core::DType dtype,
                                        Nodes nodes = Nodes::kForwardAndBackward,
                                        Contents contents = Contents::kDrawn);

}  // namespace dlbench::conformance
