// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// That gpu_bandwidth measures every own kernel that counts: each kind in the training step of any
// workload in any precision, as the CUDA backend lowers it, has a case. Nothing runs.
#include "engine/backend/backend.h"
#include "engine/conformance/case_graph.h"
#include "engine/graph/passes.h"
#include "tests/engine/backend/cuda/host_device.h"
#include "tests/gpu/op_bandwidth.h"
#include "workloads/workload.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace dlbench {
namespace {

using backend::LoweredGraph;
using backend::LoweredNode;
using core::DType;
using graph::OpKind;
using ::testing::Contains;
using ::testing::IsEmpty;

/// Half the channels are 16 bytes and more: backends read such ranges where they lie.
constexpr BandwidthSizes kSmallSteps{.batch = 2, .channels = 32, .side = 32};
constexpr DType kPrecisions[] = {DType::kBF16, DType::kF16, DType::kF32};
/// Of the bytes of a step's own kernels. Below it are what works on single numbers, the softmax and
/// its loss over ten classes, and the weights of one small convolution: bound by their launch.
constexpr double kSmallShare = 2e-4;

/// A kind of own kernel in a step.
struct Kind {
  double bytes = 0.0;
  std::string largest;  ///< node
  double largest_bytes = 0.0;
  std::set<std::string> wrong;  ///< what wrong_bytes() says

  void add(const std::string& name, double moved) {
    bytes += moved;
    if (moved > largest_bytes) {
      largest_bytes = moved;
      largest = name;
    }
  }
};

using Kinds = std::map<std::string, Kind>;

struct Step {
  graph::Graph graph;
  std::unique_ptr<LoweredGraph> lowered;
  Kinds kinds;
  double bytes = 0.0;  ///< of all its own kernels

  [[nodiscard]] bool counts(const Kind& kind) const { return kind.bytes >= kSmallShare * bytes; }
};

/// What may run on the GPU behind a library's kernel, within one node (epilogue.h): the bias, with
/// a ReLU in the same pass or without; a ReLU alone; the gradient of the bias.
void add_kernels_beside(Step& step, const LoweredNode& node) {
  const graph::Node& main = step.graph.node(node.covers.front());
  const auto bytes = [&](graph::ValueId id) {
    return static_cast<double>(step.graph.value(id).dense_bytes());
  };
  const auto add = [&](OpKind op, graph::ValueId id, bool writes_as_much) {
    const auto type = core::name(step.graph.value(id).dtype);
    step
        .kinds[fmt::format(
            "own:{0} {0} {1} -> {2}", graph::name(op), type, writes_as_much ? type : "small")]
        .add(node.name, bytes(id) * (writes_as_much ? 2 : 1));
  };
  switch (node.op) {
    case OpKind::kConv:
    case OpKind::kConvTranspose:
    case OpKind::kLinear:
      if (main.inputs.size() > 2) {
        add(OpKind::kAddBias, main.outputs.at(0), true);
      } else if (node.covers.size() > 1) {
        add(OpKind::kRelu, main.outputs.at(0), true);
      }
      break;
    case OpKind::kConvBackwardWeights:
    case OpKind::kLinearBackwardWeights:
      if (node.writes.size() > 1) {
        add(OpKind::kAddBiasBackward, main.inputs.at(1), false);
      }
      break;
    default:
      break;
  }
}

Step step_of(const std::string& name, DType precision) {
  const workloads::Workload& workload = workloads::find_workload(name);
  Step step{.graph = workloads::training_graph(
                workload.spec(), workload.build({}, graph::Mode::kTrain), precision),
            .lowered = nullptr,
            .kinds = {}};
  backend::cuda::HostDevice device;
  step.lowered = device.lower(step.graph, {.autotune = false, .try_out = false});
  for (const LoweredNode& node : step.lowered->nodes) {
    if (node.kernel == nullptr) {  // a collective
      continue;
    }
    if (node.kernel_name.starts_with("host:")) {  // in the place of a library
      add_kernels_beside(step, node);
      continue;
    }
    const Traffic traffic = traffic_of(step.graph, *step.lowered, node);
    Kind& kind = step.kinds[kernel_kind(step.graph, *step.lowered, node)];
    kind.add(node.name, static_cast<double>(traffic.operands));
    if (const std::string wrong = wrong_bytes(node, traffic); !wrong.empty()) {
      kind.wrong.insert(wrong);
    }
  }
  for (const auto& [text, kind] : step.kinds) {
    step.bytes += kind.bytes;
  }
  return step;
}

/// What each case measures, by its note.
using KindsOfCases = std::map<std::string, std::set<std::string>>;

KindsOfCases kinds_of(const std::vector<conformance::OpCase>& cases) {
  KindsOfCases kinds;
  backend::cuda::HostDevice device;
  for (const conformance::OpCase& spec : cases) {
    for (const DType dtype : spec.dtypes) {
      const conformance::CaseGraph graph = conformance::make_case_graph(
          spec, dtype, conformance::Nodes::kForwardAndBackward, conformance::Contents::kRepeated);
      const auto lowered = device.lower(graph.graph, {.autotune = false, .try_out = false});
      for (const LoweredNode* node : measured_kernels(graph.graph, *lowered)) {
        kinds[spec.note].insert(kernel_kind(graph.graph, *lowered, *node));
      }
    }
  }
  return kinds;
}

std::set<std::string> all_of(const KindsOfCases& kinds) {
  std::set<std::string> all;
  for (const auto& [note, of_case] : kinds) {
    all.insert(of_case.begin(), of_case.end());
  }
  return all;
}

/// The kinds of a step that count and that no case measures.
std::vector<std::string> without_case(const Step& step, const std::set<std::string>& measured) {
  std::vector<std::string> missing;
  for (const auto& [text, kind] : step.kinds) {
    if (step.counts(kind) && !measured.contains(text)) {
      missing.push_back(text);
    }
  }
  return missing;
}

TEST(BandwidthCoverage, EveryOwnKernelOfATrainingStepIsMeasured) {
  const std::set<std::string> measured = all_of(kinds_of(bandwidth_cases(kSmallSteps)));
  for (const std::string& workload : workloads::workload_names()) {
    for (const DType precision : kPrecisions) {
      const Step step = step_of(workload, precision);
      EXPECT_GT(step.kinds.size(), 10U);
      double left_out = 0.0;
      for (const auto& [text, kind] : step.kinds) {
        const std::string what = fmt::format("{} {}: {} ({:.2g} % of the bytes, {})",
                                             workload,
                                             core::name(precision),
                                             text,
                                             100.0 * kind.bytes / step.bytes,
                                             kind.largest);
        if (!step.counts(kind)) {
          left_out += kind.bytes;
          continue;
        }
        EXPECT_TRUE(measured.contains(text)) << what << " has no case in bandwidth_cases.cpp";
        EXPECT_THAT(kind.wrong, IsEmpty()) << what;
      }
      EXPECT_LT(left_out, 1e-3 * step.bytes) << workload << ' ' << core::name(precision);
    }
  }
}

struct Omission {
  std::vector<std::string> notes;  ///< of the cases left out
  std::string kind;                ///< that nobody measures then
};

TEST(BandwidthCoverage, APlantedOmissionIsFound) {
  const std::vector<Omission> omissions{
      {{"add_bias"}, "own:add_bias add_bias f16 -> f16"},
      {{"add_bias"}, "own:add_bias_backward add_bias_backward f16 -> small"},
      {{"batch_norm+relu+beside"},
       "own:batch_norm_backward batch_norm_backward+relu_backward+add f16 -> f16"},
      {{"cast"}, "own:cast cast f16 -> f32"},
      {{"cast"}, "own:cast cast f32 -> f16"},
      {{"casts"}, "own:cast casts f16 -> f32"},
      {{"casts"}, "own:cast casts f32 -> f16"},
      {{"concat+beside"}, "own:add add f16, f16[range] -> f16"},
      {{"concat+beside"}, "own:add add+add f16, f16[range] -> f16"},
      {{"concat+beside", "multiply"}, "own:multiply multiply f16 -> f16"},
      {{"concat+beside", "sigmoid"}, "own:sigmoid sigmoid f16 -> f16"},
      {{"concat+beside", "sigmoid"}, "own:sigmoid_backward sigmoid_backward f16 -> f16"},
      {{"global_avg_pool+scale_channels"},
       "own:scale_channels scale_channels+global_avg_pool_backward+add f16 -> f16"},
      {{"normalize_image", "normalize_image+cast"},
       "own:normalize_image normalize_image u8 -> f32"},
      {{"normalize_image+cast"}, "own:cast cast f32 -> f16[padded]"},
      {{"relu+reshape"}, "own:reshape reshape f16[nhwc] -> f16[plain]"},
      {{"segmentation_counts"}, "own:segmentation_counts segmentation_counts f32, u8 -> small"},
      {{"unscale_gradients"}, "own:unscale_gradients unscale_gradients f32 -> f32"},
  };
  const Step steps[] = {step_of("mnist_cnn", DType::kF16), step_of("resunetpp", DType::kF16)};
  const KindsOfCases kinds = kinds_of(bandwidth_cases(kSmallSteps));
  const auto missing = [&](const std::vector<std::string>& left_out) {
    KindsOfCases others = kinds;
    for (const std::string& note : left_out) {
      EXPECT_EQ(others.erase(note), 1U) << note;
    }
    const std::set<std::string> measured = all_of(others);
    std::vector<std::string> found = without_case(steps[0], measured);
    std::ranges::copy(without_case(steps[1], measured), std::back_inserter(found));
    return found;
  };
  ASSERT_THAT(missing({}), IsEmpty());
  for (const Omission& omission : omissions) {
    EXPECT_THAT(missing(omission.notes), Contains(omission.kind));
  }
}

// Another precision is another kernel.
TEST(BandwidthCoverage, APrecisionThatIsNotMeasuredIsFound) {
  std::vector<conformance::OpCase> cases = bandwidth_cases(kSmallSteps);
  for (conformance::OpCase& spec : cases) {
    std::erase(spec.dtypes, DType::kF16);
  }
  const std::set<std::string> measured = all_of(kinds_of(cases));
  EXPECT_THAT(without_case(step_of("resunetpp", DType::kF16), measured),
              Contains("own:batch_norm batch_norm+relu f16 -> f16"));
  EXPECT_THAT(without_case(step_of("resunetpp", DType::kBF16), measured), IsEmpty());
}

}  // namespace
}  // namespace dlbench
