// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// cuDNN's plans for every convolution that op conformance runs, from descriptions of devices: tiny
// images, prime channels, kernels beyond the image, depthwise, volumes of three channels.
#include "engine/backend/cuda/libraries/conv_plan.h"
#include "engine/conformance/case_graph.h"
#include "engine/conformance/op_case.h"
#include "engine/core/error.h"
#include "tests/engine/backend/cuda/conv_problems.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

/// The problems of the cases of a dtype and the first case that asks for each.
std::map<std::string, std::pair<ConvProblem, std::string>> problems_of_cases(core::DType dtype) {
  std::map<std::string, std::pair<ConvProblem, std::string>> problems;
  for (const conformance::Case& item : conformance::all_cases()) {
    if (item.dtype == dtype) {
      const conformance::CaseGraph made = conformance::make_case_graph(*item.spec, dtype);
      for (ConvProblem& problem : problems_of(made.graph)) {
        problems.try_emplace(
            problem.text(),
            std::move(problem),
            fmt::format("{} case {} ({})", item.name(), item.index, item.spec->note));
      }
    }
  }
  return problems;
}

class ConformancePlans : public ::testing::TestWithParam<std::string> {};

/// Asked as a case does on the device: plain sums, nothing timed.
std::vector<ConvPlan> plans_for_case(const ConvProblem& problem,
                                     const Precision& precision,
                                     const CudnnDescriptor& device) {
  return find_conv_plans(problem,
                         {.allow_tf32 = precision.allow_tf32,
                          .direct = true,
                          .workspace_limit = std::int64_t{1} << 30},
                         PlanTarget(device),
                         2);
}

TEST_P(ConformancePlans, ExistForEveryConvolutionOfTheCases) {
  const CudnnDescriptor device = described_device(GetParam());
  for (const Precision& precision : precisions()) {
    int lone = 0;
    const auto problems = problems_of_cases(precision.dtype);
    for (const auto& [text, asked] : problems) {
      const auto& [problem, who] = asked;
      try {
        lone += plans_for_case(problem, precision, device).size() == 1 ? 1 : 0;
      } catch (const core::Error& error) {
        ADD_FAILURE() << precision.name << ", " << who << ": " << error.what();
      }
    }
    fmt::print("== {} {}: {} problems, {} with a single plan\n",
               GetParam(),
               precision.name,
               problems.size(),
               lone);
    EXPECT_GT(problems.size(), 100U) << precision.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices,
                         ConformancePlans,
                         ::testing::Values("h200", "a100"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace dlbench::backend::cuda
