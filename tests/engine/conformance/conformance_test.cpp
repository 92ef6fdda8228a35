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

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name.
void PrintTo(const OnBackend& p, std::ostream* out) { *out << p.op << " on " << p.backend; }

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

void expect_agreement(const OnBackend& where, backend::ConvAlgorithm algorithm) {
  std::string why;
  backend::Backend* backend = shared_backend(where.backend, why);
  if (backend == nullptr) {
    GTEST_SKIP() << why;
  }
  int run = 0;
  for (const CaseResult& result :
       run_cases(*backend, {.op = where.op, .conv_algorithm = algorithm})) {
    if (result.outcome == Outcome::kUnimplemented) {
      std::cout << describe(result) << '\n';
      continue;
    }
    ++run;
    EXPECT_EQ(name(result.outcome), "passed") << describe(result);
  }
  if (run == 0) {
    GTEST_SKIP() << where.backend << " implements no case of " << where.op;
  }
}

TEST_P(Conformance, AgreesWithTheOracle) {
  expect_agreement(GetParam(), backend::ConvAlgorithm::kDirect);
}

INSTANTIATE_TEST_SUITE_P(Ops,
                         Conformance,
                         ::testing::ValuesIn(every_op_on_every_backend()),
                         [](const auto& param_info) {
                           return param_info.param.backend + "_" + param_info.param.op;
                         });

std::vector<OnBackend> convolutions_on_every_backend() {
  std::vector<OnBackend> list;
  for (const OnBackend& item : every_op_on_every_backend()) {
    if (item.op == "conv" || item.op == "conv_transpose" || item.op == "chain") {
      list.push_back(item);
    }
  }
  return list;
}

class WinogradConformance : public ::testing::TestWithParam<OnBackend> {};

TEST_P(WinogradConformance, AgreesWithTheOracle) {
  expect_agreement(GetParam(), backend::ConvAlgorithm::kWinograd);
}

INSTANTIATE_TEST_SUITE_P(Ops,
                         WinogradConformance,
                         ::testing::ValuesIn(convolutions_on_every_backend()),
                         [](const auto& param_info) {
                           return param_info.param.backend + "_" + param_info.param.op;
                         });

class GradientRules : public ::testing::TestWithParam<std::string> {};

TEST_P(GradientRules, AgreeWithCentralDifferences) {
  // One thread: thousands of runs, each too short to share out.
  const auto ref = backend::create_backend("ref", {.threads = 1});
  for (const CaseResult& result : run_gradient_checks(*ref, {.op = GetParam()})) {
    EXPECT_EQ(name(result.outcome), "passed") << describe(result);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops,
                         GradientRules,
                         ::testing::ValuesIn(case_names()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace dlbench::conformance
