// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Shape rules: for every op operands that fit, with the outputs they must give, and operands that
// do not, with a message that names op and node. The cases are in op_shape_cases.cpp.
#include "engine/core/error.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/op_def.h"
#include "tests/engine/graph/op_shape_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

namespace dlbench::graph {
namespace {

using ::testing::HasSubstr;
using testing::ShapeCase;
using testing::Tensor;

NodeSpec spec_of(GraphBuilder& builder, const ShapeCase& shape_case) {
  NodeSpec spec{
      .op = shape_case.op, .name = "layer7", .attributes = shape_case.attributes, .inputs = {}};
  for (const Tensor& tensor : shape_case.inputs) {
    const std::string name = "in" + std::to_string(spec.inputs.size());
    spec.inputs.push_back(builder.add_input(name, tensor.dtype, tensor.shape));
  }
  for (const Tensor& tensor : shape_case.updates) {
    const std::string name = "state" + std::to_string(spec.updates.size());
    spec.updates.push_back(
        builder.add_state(Storage::kParameter, name, tensor.dtype, tensor.shape, {}));
  }
  if (shape_case.op == OpKind::kAllReduceStart && spec.updates.empty()) {
    spec.updates = spec.inputs;
  }
  return spec;
}

TEST(OpShapes, FittingOperandsGiveTheirOutputs) {
  for (const ShapeCase& good : testing::good_shape_cases()) {
    GraphBuilder builder(Mode::kTrain);
    const NodeId id = builder.add_node(spec_of(builder, good));
    std::vector<Tensor> outputs;
    for (const ValueId output : builder.graph().node(id).outputs) {
      outputs.push_back({builder.graph().value(output).dtype, builder.graph().value(output).shape});
    }
    EXPECT_TRUE(outputs == good.outputs) << name(good.op);
  }
}

TEST(OpShapes, OperandsThatDoNotFitAreNamed) {
  for (const ShapeCase& bad : testing::bad_shape_cases()) {
    GraphBuilder builder(Mode::kTrain);
    try {
      (void)builder.add_node(spec_of(builder, bad));
      ADD_FAILURE() << name(bad.op) << " accepted what must fail with: " << bad.error;
    } catch (const core::Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.code(), core::ErrorCode::kShape) << message;
      EXPECT_THAT(message, HasSubstr(std::string(name(bad.op)) + " 'layer7': "));
      EXPECT_THAT(message, HasSubstr(bad.error));
      if (!bad.inputs.empty()) {
        EXPECT_THAT(message,
                    HasSubstr("in0 " + std::string(core::name(bad.inputs[0].dtype)) + " " +
                              bad.inputs[0].shape.to_string()));
      }
    }
  }
}

TEST(OpShapes, EveryOpHasAGoodAndABadCase) {
  std::array<std::set<OpKind>, 2> covered;
  for (const ShapeCase& good : testing::good_shape_cases()) {
    covered[0].insert(good.op);
  }
  for (const ShapeCase& bad : testing::bad_shape_cases()) {
    covered[1].insert(bad.op);
  }
  for (const OpDef& row : all_op_defs()) {
    EXPECT_TRUE(covered[0].contains(row.kind)) << row.name;
    // These two take any single operand.
    const bool takes_all = row.kind == OpKind::kRelu || row.kind == OpKind::kSigmoid;
    EXPECT_NE(covered[1].contains(row.kind), takes_all) << row.name;
  }
}

}  // namespace
}  // namespace dlbench::graph
