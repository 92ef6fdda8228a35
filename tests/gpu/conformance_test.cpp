// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Every op on the GPU against the oracle, in every precision of its cases that the device has.
#include "engine/backend/backend.h"
#include "engine/conformance/runner.h"

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <set>
#include <string>

namespace dlbench {
namespace {

class GpuConformance : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = backend::backend_unavailable_reason("cuda"); !why.empty()) {
      GTEST_SKIP() << why;
    }
    device_ = backend::create_backend("cuda", {});
  }

  std::unique_ptr<backend::Backend> device_;
};

class GpuConformanceTf32 : public GpuConformance {};

TEST_P(GpuConformance, AgreesWithTheOracle) {
  int run = 0;
  std::set<std::string> unsupported;
  for (const conformance::CaseResult& result :
       conformance::run_cases(*device_, {.op = GetParam()})) {
    if (std::string why; !device_->supports(result.dtype, &why)) {
      unsupported.insert(why);
      continue;
    }
    EXPECT_EQ(conformance::name(result.outcome), "passed") << conformance::describe(result);
    ++run;
  }
  for (const std::string& why : unsupported) {
    std::cout << "cases left out: " << why << '\n';
  }
  if (run == 0 && !unsupported.empty()) {
    GTEST_SKIP() << *unsupported.begin();
  }
  EXPECT_GT(run, 0);
}

TEST_P(GpuConformanceTf32, AgreesWithinItsTolerance) {
  int run = 0;
  for (const conformance::Case& item : conformance::select_cases({.op = GetParam()})) {
    if (item.dtype != core::DType::kF32) {
      continue;
    }
    const auto oracle = backend::create_backend("ref", {});
    const conformance::CaseResult result =
        conformance::run_case(*device_, *oracle, item, {.allow_tf32 = true});
    if (result.outcome == conformance::Outcome::kUnimplemented &&
        result.detail.find("tf32 needs") != std::string::npos) {
      GTEST_SKIP() << result.detail;
    }
    EXPECT_EQ(conformance::name(result.outcome), "passed") << conformance::describe(result);
    ++run;
  }
  EXPECT_GT(run, 0);
}

INSTANTIATE_TEST_SUITE_P(Ops,
                         GpuConformance,
                         ::testing::ValuesIn(conformance::case_names()),
                         [](const auto& param_info) { return param_info.param; });

INSTANTIATE_TEST_SUITE_P(Contractions,
                         GpuConformanceTf32,
                         ::testing::Values("conv", "conv_transpose", "linear"),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace dlbench
