// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Every op on every backend of this build against the oracle, and every gradient rule against
// central differences on the oracle.
#include "engine/conformance/runner.h"
#include "engine/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>

namespace dlbench::conformance {
namespace {

struct OnBackend {
  std::string backend;
  std::string op;
};

std::vector<OnBackend> every_op_on_every_backend() {
  std::vector<OnBackend> list;
  for (const std::string& backend : backend::backend_names()) {
    for (const std::string& op : case_names()) {
      list.push_back({backend, op});
    }
  }
  return list;
}

/// Made once per program; nullptr where the machine cannot have it.
backend::Backend* shared_backend(const std::string& name, std::string& why) {
  static std::map<std::string, std::unique_ptr<backend::Backend>> backends;
  auto& entry = backends[name];
  if (entry == nullptr) {
    try {
      entry = backend::create_backend(name, {});
    } catch (const core::Error& error) {
      why = error.what();
    }
  }
  return entry.get();
}

class Conformance : public ::testing::TestWithParam<OnBackend> {};

TEST_P(Conformance, AgreesWithTheOracle) {
  std::string why;
  backend::Backend* backend = shared_backend(GetParam().backend, why);
  if (backend == nullptr) {
    GTEST_SKIP() << why;
  }
  int unimplemented = 0;
  for (const CaseResult& result : run_cases(*backend, {.op = GetParam().op})) {
    if (result.outcome == Outcome::kUnimplemented) {
      ++unimplemented;
      std::cout << describe(result) << '\n';
      continue;
    }
    EXPECT_EQ(result.outcome, Outcome::kPassed) << describe(result);
  }
  RecordProperty("unimplemented", unimplemented);
}

INSTANTIATE_TEST_SUITE_P(Ops,
                         Conformance,
                         ::testing::ValuesIn(every_op_on_every_backend()),
                         [](const auto& param_info) {
                           return param_info.param.backend + "_" + param_info.param.op;
                         });

class GradientRules : public ::testing::TestWithParam<std::string> {};

TEST_P(GradientRules, AgreeWithCentralDifferences) {
  // One thread: thousands of runs, each too short to share out.
  const auto ref = backend::create_backend("ref", {.threads = 1});
  for (const CaseResult& result : run_gradient_checks(*ref, {.op = GetParam()})) {
    EXPECT_EQ(result.outcome, Outcome::kPassed) << describe(result);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops,
                         GradientRules,
                         ::testing::ValuesIn(case_names()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace dlbench::conformance
