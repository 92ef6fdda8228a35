// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/conv_problems.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

bool is_convolution(graph::OpKind op) {
  return op == graph::OpKind::kConv || op == graph::OpKind::kConvTranspose ||
         op == graph::OpKind::kConvBackwardData || op == graph::OpKind::kConvBackwardWeights;
}

}  // namespace

const std::vector<Precision>& precisions() {
  static const std::vector<Precision> list{{"fp32", core::DType::kF32, false},
                                           {"tf32", core::DType::kF32, true},
                                           {"bf16", core::DType::kBF16, false},
                                           {"fp16", core::DType::kF16, false}};
  return list;
}

std::vector<ConvProblem> problems_of(const graph::Graph& graph) {
  const Fusion fusion(graph, {});
  const ChannelPadding padding(graph, fusion);
  std::map<std::string, ConvProblem> distinct;
  for (const graph::Node& node : graph.nodes()) {
    if (is_convolution(node.op)) {
      ConvProblem problem =
          conv_problem(graph, node, padding, epilogue_of(node, fusion.group_of(node.id)));
      distinct.emplace(problem.text(), std::move(problem));
    }
  }
  std::vector<ConvProblem> problems;
  for (auto& [text, problem] : distinct) {
    problems.push_back(std::move(problem));
  }
  return problems;
}

CudnnDescriptor described_device(std::string_view name) {
  std::ifstream file(fmt::format("{}/{}_device_properties.json", DLBENCH_TEST_DEVICES, name));
  EXPECT_TRUE(file) << name;
  std::string json((std::istreambuf_iterator<char>(file)), {});
  while (!json.empty() && json.back() == '\n') {
    json.pop_back();
  }
  return device_properties(std::string_view(json));
}

}  // namespace dlbench::backend::cuda
