// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/plan_record.h"

#include <gmock/gmock.h>

namespace dlbench::harness {
namespace {

class Step final : public backend::LoweredGraph {
 public:
  void add(const std::string& name, bool repeatable) {
    backend::LoweredNode node;
    node.name = name;
    node.kernel_name = "cudnn:eng1";
    node.repeatable = repeatable;
    nodes.push_back(std::move(node));
  }
  void export_value(graph::ValueId /*value*/,
                    const std::byte* /*physical*/,
                    core::HostTensor& /*logical*/) const override {}
};

TEST(PlanTaint, NamesTheFirstKernelThatIsNotRepeatable) {
  Step step;
  step.add("conv1", true);
  EXPECT_FALSE(plan_taint(step).has_value());
  step.add("conv1/grad", false);
  step.add("conv2/grad", false);
  const auto taint = plan_taint(step);
  ASSERT_TRUE(taint.has_value());
  EXPECT_EQ(taint->code, reports::Taint::kNondeterministicPlan);
  EXPECT_EQ(taint->where, "step");
  EXPECT_THAT(taint->detail,
              ::testing::AllOf(::testing::StartsWith("2 of 3 kernels"),
                               ::testing::HasSubstr("conv1/grad (cudnn:eng1)"),
                               ::testing::HasSubstr("--deterministic")));
}

}  // namespace
}  // namespace dlbench::harness
