// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How far a result may be from the oracle's, and why.
#pragma once

#include "engine/conformance/op_case.h"
#include "engine/core/dtype.h"

#include <string_view>

namespace dlbench::conformance {

struct Tolerance {
  /// Largest difference of an element, relative to the largest magnitude in the tensor.
  double relative = 0.0;
  std::string_view reason;
};

/// How contractions of f32 may be computed.
enum class Arithmetic { kDirect, kWinograd, kTf32 };

/// The tolerance for a tensor of dtype `result`: the f32 statistics of a bf16 op must be as good as
/// those of an f32 op. For contractions of f32 the bound depends on `arithmetic`.
[[nodiscard]] Tolerance tolerance(Accuracy accuracy, core::DType result, Arithmetic arithmetic);

}  // namespace dlbench::conformance
