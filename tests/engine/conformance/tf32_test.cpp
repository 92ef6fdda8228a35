// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the tolerance of tf32 fits what it is for: operands of f32 contractions that lose the
// last 13 of their 23 bits, on the oracle itself.
#include "engine/conformance/case_graph.h"
#include "engine/conformance/case_run.h"
#include "engine/conformance/compare.h"
#include "engine/conformance/runner.h"
#include "engine/conformance/tolerance.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

namespace dlbench::conformance {
namespace {

/// The contents with only so many bits of each f32 mantissa, the others cut off.
TensorsByName cut(const TensorsByName& contents, int mantissa_bits) {
  const std::uint32_t mask = ~((std::uint32_t{1} << (23 - mantissa_bits)) - 1);
  TensorsByName result;
  for (const auto& [name, tensor] : contents) {
    core::HostTensor copy = tensor.clone();
    if (copy.dtype() == core::DType::kF32) {
      for (float& value : copy.as<float>()) {
        value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & mask);
      }
    }
    result.emplace(name, std::move(copy));
  }
  return result;
}

struct Counts {
  int results = 0;
  int outside = 0;
};

/// Results of an op's f32 cases from operands that were cut, held to the tolerance of tf32.
Counts results_of_cut_operands(const std::string& op, int mantissa_bits) {
  const auto oracle = backend::create_backend("ref", {.threads = 1});
  Counts counts;
  for (const Case& item : select_cases({.op = op})) {
    if (item.dtype != core::DType::kF32) {
      continue;
    }
    const CaseGraph graph = make_case_graph(*item.spec, item.dtype);
    const TensorsByName want = CaseRun(*oracle, graph).run(graph.contents);
    const TensorsByName cut_contents = cut(graph.contents, mantissa_bits);
    const TensorsByName got = CaseRun(*oracle, graph).run(cut_contents);
    for (const auto& [name, tensor] : want) {
      const Tolerance bound = tolerance(item.spec->accuracy, tensor.dtype(), Arithmetic::kTf32);
      const Comparison comparison =
          compare(got.at(name), tensor, {.tolerance = bound.relative, .may_be_mostly_zero = true});
      ++counts.results;
      if (comparison.verdict != Verdict::kAgrees) {
        ++counts.outside;
        if (mantissa_bits == 10) {
          ADD_FAILURE() << op << " case " << item.index << ' ' << name << ' ' << comparison.detail;
        }
      }
    }
  }
  return counts;
}

class Tf32Tolerance : public ::testing::TestWithParam<std::string> {};

TEST_P(Tf32Tolerance, HoldsForTenBitsAndNotForSeven) {
  EXPECT_GT(results_of_cut_operands(GetParam(), 10).results, 0);
  const Counts coarse = results_of_cut_operands(GetParam(), 7);
  EXPECT_GT(2 * coarse.outside, coarse.results) << coarse.outside;
}

INSTANTIATE_TEST_SUITE_P(Contractions,
                         Tf32Tolerance,
                         ::testing::Values("conv", "conv_transpose", "linear"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace dlbench::conformance
