// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/tolerance.h"

namespace dlbench::conformance {
namespace {

// Spacing of numbers just above 1.
constexpr double kUlpF32 = 0x1p-23;
constexpr double kUlpBF16 = 0x1p-7;
constexpr double kUlpF16 = 0x1p-10;
constexpr double kUlpTf32 = 0x1p-10;

Tolerance f32_tolerance(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::kExact:
      return {0.0, "moves or selects elements: every bit agrees"};
    case Accuracy::kRounding:
      return {4 * kUlpF32, "a few arithmetic operations, each correctly rounded"};
    case Accuracy::kTranscendental:
      return {2e-6, "vectorised exp, log and rsqrt are good to a few units in the last place"};
    case Accuracy::kReduction:
      return {8e-6, "f32 sums of n <= 1e4 terms drift like sqrt(n) half units: 6e-6"};
    case Accuracy::kContraction:
      return {8e-6,
              "dot products of n <= 5e3 terms in f32 drift like sqrt(n) half units: 4e-6, twice"};
    case Accuracy::kChain:
      return {5e-5, "errors of up to ten ops in a row, each within its own bound"};
  }
  return {};
}

}  // namespace

Tolerance tolerance(Accuracy accuracy, core::DType result, Arithmetic arithmetic) {
  const bool bf16 = result == core::DType::kBF16;
  const bool reduced = bf16 || result == core::DType::kF16;
  if (accuracy == Accuracy::kExact || !reduced) {
    const bool contraction = accuracy == Accuracy::kContraction || accuracy == Accuracy::kChain;
    if (contraction && arithmetic == Arithmetic::kWinograd) {
      return {2e-4, "Winograd F(4x4, 3x3) amplifies rounding some tenfold"};
    }
    if (contraction && arithmetic == Arithmetic::kTf32) {
      return {4 * kUlpTf32,
              "each operand loses up to a unit in its tenth bit, cut off rather than rounded, so a "
              "product up to two; twice that, since a sum may be smaller than its terms"};
    }
    return f32_tolerance(accuracy);
  }
  // A sum close to the midpoint of two 16-bit numbers may round either way, and a backward pass
  // that reads such an output may be off by one more.
  const double ulp = bf16 ? kUlpBF16 : kUlpF16;
  if (accuracy == Accuracy::kRounding) {
    return {ulp, "the last bit may round either way"};
  }
  return {2 * ulp, "the last bit may round either way, twice in a row"};
}

}  // namespace dlbench::conformance
