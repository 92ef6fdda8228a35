// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparison of a tensor with the oracle's.
#pragma once

#include "engine/core/host_tensor.h"

#include <string>

namespace dlbench::conformance {

enum class Verdict {
  kAgrees,
  kDiffers,
  kMistrusted,  ///< the oracle's tensor is mostly zero or not finite: agreement proves nothing
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

/// The scale is the largest magnitude in `want`. Tensors differ if shapes or dtypes do, if an
/// element is not finite or further than tolerance times scale from `want`, or, with 64 or more
/// elements, if the bias exceeds a quarter of the tolerance: rounding scatters, a bug has a bias.
[[nodiscard]] Comparison compare(const core::HostTensor& got,
                                 const core::HostTensor& want,
                                 const CompareOptions& options);

}  // namespace dlbench::conformance
