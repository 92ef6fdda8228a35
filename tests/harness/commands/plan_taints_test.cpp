// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/plan_taints.h"

#include <gtest/gtest.h>

namespace dlbench::harness {
namespace {

TEST(PlanTaints, ALinkThatDelaysNothingCastsNoDoubt) {
  const auto nodes_of_3 = comm::parse_link_model("latency_us=10", 3);
  EXPECT_FALSE(link_taint(nodes_of_3, 2).has_value());
  EXPECT_FALSE(link_taint(std::nullopt, 2).has_value());
  EXPECT_EQ(link_taint(nodes_of_3, 4)->code, reports::Taint::kSimulated);
}

}  // namespace
}  // namespace dlbench::harness
