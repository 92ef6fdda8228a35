// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/gpu_trace.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace dlbench::probes {
namespace {

// In the second launch the second kernel begins first; its records come first and last.
TEST(TieGraphNodes, GoesByTheOrderOfTheFirstLaunch) {
  GpuTrace trace;
  const auto kernel = [&](std::int64_t node, std::int64_t begin_ns) {
    trace.activities.push_back(
        {.begin_ns = begin_ns, .end_ns = begin_ns + 5, .stream = 7, .graph_node = node});
  };
  kernel(1, 210);
  kernel(1, 0);
  kernel(2, 10);
  kernel(2, 200);
  EXPECT_TRUE(tie_graph_nodes(trace, {40, 41}));
  EXPECT_TRUE(trace.graph_nodes.in_order);
  EXPECT_EQ(trace.op_of(trace.activities.front()), 40);
  EXPECT_EQ(trace.op_of(trace.activities.back()), 41);
}

}  // namespace
}  // namespace dlbench::probes
