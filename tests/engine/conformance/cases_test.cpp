// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/ref_backend.h"
#include "engine/conformance/case_graph.h"
#include "engine/conformance/runner.h"
#include "engine/conformance/tolerance.h"
#include "engine/core/error.h"
#include "engine/graph/op_def.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace dlbench::conformance {
namespace {

using core::DType;
using ::testing::HasSubstr;

std::string usage_error(const Filter& filter) {
  return tests::usage_error([&] { (void)select_cases(filter); });
}

TEST(Cases, RunEveryOpThatHasAKernel) {
  std::set<graph::OpKind> covered;
  for (const Case& item : all_cases()) {
    const CaseGraph graph = make_case_graph(*item.spec, item.dtype);
    for (const graph::Node& node : graph.graph.nodes()) {
      covered.insert(node.op);
    }
  }
  // The executor runs these; the communicators' tests cover them.
  covered.insert(graph::OpKind::kAllReduceStart);
  covered.insert(graph::OpKind::kAllReduceWait);
  for (const graph::OpDef& op : graph::all_op_defs()) {
    EXPECT_TRUE(covered.contains(op.kind)) << op.name << " is in no case";
  }
}

TEST(Cases, CompareAGradientOfEveryDifferentiableOp) {
  std::set<graph::OpKind> differentiated;
  for (const Case& item : all_cases()) {
    const CaseGraph graph = make_case_graph(*item.spec, item.dtype);
    if (!graph.gradients.empty()) {
      for (const graph::Node& node : graph.graph.nodes()) {
        differentiated.insert(node.op);
      }
    }
  }
  for (const graph::OpDef& op : graph::all_op_defs()) {
    if (op.differentiate != nullptr) {
      EXPECT_TRUE(differentiated.contains(op.kind)) << op.name;
    }
  }
}

TEST(Cases, AreNumberedFromZeroWithinAName) {
  int next = 0;
  for (const Case& item : select_cases({.op = "conv"})) {
    EXPECT_EQ(item.index, next++);
  }
  EXPECT_GT(next, 60);
}

TEST(Cases, UnknownNamesAndNumbersAreUsageErrors) {
  EXPECT_THAT(usage_error({.op = "conf"}), HasSubstr("unknown op 'conf'; did you mean 'conv'?"));
  EXPECT_THAT(usage_error({.op = "conv", .index = 100000}), HasSubstr("conv has no case 100000"));
  EXPECT_THAT(usage_error({.index = 3}), HasSubstr("--case needs the --op"));
}

TEST(Cases, ContentsAreTheSameEachTime) {
  const Case item = select_cases({.op = "conv", .index = 3}).front();
  const CaseGraph first = make_case_graph(*item.spec, item.dtype);
  const CaseGraph second = make_case_graph(*item.spec, item.dtype);
  for (const auto& [name, tensor] : first.contents) {
    EXPECT_EQ(std::memcmp(tensor.data(), second.contents.at(name).data(), tensor.bytes()), 0);
  }
}

TEST(Cases, RefGivesTheSameBitsForAnyNumberOfThreads) {
  backend::ref::RefBackend one({.threads = 1});
  backend::ref::RefBackend three({.threads = 3});
  for (const Case& item : all_cases()) {
    if (item.dtype == DType::kF32) {
      const CaseResult result = run_case(three, one, item);
      EXPECT_EQ(result.worst_error, 0.0) << describe(result);
    }
  }
}

TEST(Cases, RepeatedContentsFillLargeTensorsWithTheFirstDrawnElements) {
  constexpr std::int64_t kPeriod = 65521;
  const OpCase add{.op = graph::OpKind::kAdd,
                   .inputs = {{.name = "a", .shape = core::Shape{3, kPeriod}},
                              {.name = "b", .shape = core::Shape{3, kPeriod}}}};
  const CaseGraph drawn = make_case_graph(add, DType::kF32);
  const CaseGraph repeated =
      make_case_graph(add, DType::kF32, Nodes::kForwardAndBackward, Contents::kRepeated);
  const auto a = drawn.contents.at("a").as<float>();
  const auto again = repeated.contents.at("a").as<float>();
  ASSERT_EQ(again.size(), a.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    ASSERT_EQ(again[i], a[i % kPeriod]) << i;
  }
  EXPECT_NE(a[kPeriod], a[0]);
}

TEST(Tolerances, StatisticsOfA16BitOpAreHeldToF32) {
  EXPECT_LT(tolerance(Accuracy::kReduction, DType::kF32, Arithmetic::kDirect).relative, 1e-4);
  EXPECT_GT(tolerance(Accuracy::kReduction, DType::kBF16, Arithmetic::kDirect).relative, 1e-3);
  EXPECT_EQ(tolerance(Accuracy::kExact, DType::kBF16, Arithmetic::kDirect).relative, 0.0);
  for (const Accuracy accuracy : {Accuracy::kExact,
                                  Accuracy::kRounding,
                                  Accuracy::kTranscendental,
                                  Accuracy::kReduction,
                                  Accuracy::kContraction,
                                  Accuracy::kChain}) {
    EXPECT_FALSE(tolerance(accuracy, DType::kF32, Arithmetic::kDirect).reason.empty());
  }
}

}  // namespace
}  // namespace dlbench::conformance
