// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A conformance case: one op, or a short chain of ops, with its operands and the tolerance of its
// results. The lists of cases are in cases/<family>.cpp.
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_builder.h"

#include <string>
#include <vector>

namespace dlbench::conformance {

/// How an operand is filled; random values depend on a fixed seed and the operand's name.
enum class Fill {
  kUniform,       ///< U(-1, 1)
  kPositive,      ///< U(0.5, 1.5)
  kOffset,        ///< 10 + U(-1, 1): a mean far from zero
  kFar,           ///< 1e4 + U(-1, 1): a mean beyond what exp() can take
  kTiny,          ///< U(-1, 1) / 256: a variance smaller than an epsilon of 1e-5
  kSaturating,    ///< of either sign, magnitude U(20, 200): where exp() under- or overflows
  kOutlierFirst,  ///< U(-1, 1), but the first element of each channel is 1000
  kProbability,   ///< U(0.05, 0.95)
  kAwayFromZero,  ///< of either sign, magnitude U(0.1, 1): away from the kink of ReLU
  kDistinct,      ///< evenly spaced values in (-1, 1) in random order: no ties for max pooling
  kMask,          ///< 0 or 1
  kBytes,         ///< 0 ... 255
  kLabels,        ///< integers in [0, value)
  kConstant,      ///< value
};

/// Element type of an operand.
enum class Element {
  kCase,        ///< the dtype in which the case runs
  kStatistics,  ///< f32, or f64 in an f64 case
  kF32,
  kU8,
  kI32,
  kI64,
  kF64,
};

struct Operand {
  std::string name;
  core::Shape shape;
  Fill fill = Fill::kUniform;
  graph::Storage storage = graph::Storage::kInput;
  Element element = Element::kCase;
  double value = 0.0;       ///< of kLabels and kConstant
  std::string parameter{};  ///< the parameter to which a gradient or optimizer state belongs
};

/// How exactly a backend must agree with the oracle (reasons: tolerance.h).
enum class Accuracy { kExact, kRounding, kTranscendental, kReduction, kContraction, kChain };

/// Adds the nodes of a chain; returns the outputs, which are compared and seeded for the gradients.
using BuildChain = std::vector<graph::ValueId> (*)(graph::GraphBuilder& builder,
                                                   const std::vector<graph::ValueId>& inputs);

struct OpCase {
  graph::OpKind op = graph::OpKind::kAdd;
  std::string note;  ///< what is special about the case, for reports
  graph::Attributes attributes{};
  std::vector<Operand> inputs;
  std::vector<Operand> updates{};
  std::vector<core::DType> dtypes{core::DType::kF32};
  Accuracy accuracy = Accuracy::kRounding;
  /// Other precisions for which the case matters, such as f16 for loss scaling: a backend without
  /// one of them need not implement the case.
  std::vector<core::DType> serves{};
  /// Results that are rightly mostly zero; any other result that is mostly zero is mistrusted.
  std::vector<std::string> mostly_zero{};
  /// False if central differences cannot check its gradient: the function is a staircase, is flat
  /// except for rounding, or bends within the step size.
  bool smooth = true;
  /// Set for chains: `op` and `attributes` are then unused.
  BuildChain build = nullptr;
};

/// A case in one dtype, with its number among the cases of the same name.
struct Case {
  const OpCase* spec = nullptr;
  core::DType dtype = core::DType::kF32;
  int index = 0;

  /// The op's name, or "chain".
  [[nodiscard]] std::string name() const;
};

/// Every case in every dtype it is listed for, grouped by name and numbered from 0 within it.
[[nodiscard]] const std::vector<Case>& all_cases();

/// The distinct names of cases, sorted.
[[nodiscard]] std::vector<std::string> case_names();

}  // namespace dlbench::conformance
