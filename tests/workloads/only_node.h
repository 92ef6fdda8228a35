// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A node of a workload's graph by its kind.
#pragma once

#include "engine/graph/graph.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace dlbench::tests {

/// The only node of this kind. Fails the test if there are others, throws if there is none.
inline const graph::Node& only_node(const graph::Graph& graph, graph::OpKind op) {
  const graph::Node* found = nullptr;
  for (const graph::Node& node : graph.nodes()) {
    if (node.op == op) {
      EXPECT_EQ(found, nullptr) << node.name << " is another one";
      found = &node;
    }
  }
  if (found == nullptr) {
    throw std::runtime_error("the graph has no such node");
  }
  return *found;
}

}  // namespace dlbench::tests
