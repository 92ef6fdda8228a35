// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares a tensor with the oracle's.
#pragma once

#include "engine/core/host_tensor.h"

#include <string>

namespace dlbench::conformance {

enum class Verdict {
  kAgrees,
  kDiffers,
  kMistrusted,  ///< the oracle's tensor is mostly zero or not finite: agreement would prove nothing
};

struct Comparison {
  Verdict verdict = Verdict::kAgrees;
  double worst = 0.0;    ///< largest difference relative to the scale
  double bias = 0.0;     ///< mean difference in the direction of the oracle's value, over mean size
  std::string detail{};  ///< a sentence, unless the verdict is kAgrees
};

struct CompareOptions {
  double tolerance = 0.0;
  bool may_be_mostly_zero = false;
};

/// The scale is the largest magnitude in `want`. Differs: shapes or dtypes; an element further than
/// tolerance times scale from `want`, or not finite; or, with 64 elements and more, a bias above a
/// quarter of the tolerance: rounding scatters, a wrong formula leans to one side.
[[nodiscard]] Comparison compare(const core::HostTensor& got,
                                 const core::HostTensor& want,
                                 const CompareOptions& options);

}  // namespace dlbench::conformance
