// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Every op on the GPU against the oracle, in every precision of its cases.
#include "engine/backend/backend.h"
#include "engine/conformance/runner.h"

#include <gtest/gtest.h>

#include <string>

namespace dlbench {
namespace {

class GpuConformance : public ::testing::TestWithParam<std::string> {};

TEST_P(GpuConformance, AgreesWithTheOracle) {
  if (const std::string why = backend::backend_unavailable_reason("cuda"); !why.empty()) {
    GTEST_SKIP() << why;
  }
  const auto device = backend::create_backend("cuda", {});
  int run = 0;
  for (const conformance::CaseResult& result :
       conformance::run_cases(*device, {.op = GetParam()})) {
    EXPECT_EQ(conformance::name(result.outcome), "passed") << conformance::describe(result);
    ++run;
  }
  EXPECT_GT(run, 0);
}

INSTANTIATE_TEST_SUITE_P(Ops,
                         GpuConformance,
                         ::testing::ValuesIn(conformance::case_names()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace dlbench
