// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// cuDNN's plans for every convolution of every workload, from descriptions of devices: no GPU and
// no driver is needed. What is found stands in the test's output.
#include "engine/backend/cuda/libraries/conv_plan.h"

#include "engine/core/error.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "tests/engine/backend/cuda/conv_problems.h"
#include "workloads/workload.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

class ConvPlans : public ::testing::TestWithParam<std::string> {
 protected:
  static CudnnDescriptor device() { return described_device(GetParam()); }
};

// The plans for one step, printed.
struct FoundPlans {
  int count = 0;
  int tensor_core = 0;
};

FoundPlans find_plans(const std::string& device_name,
                      const CudnnDescriptor& device,
                      const workloads::Workload& workload,
                      std::int64_t batch_size,
                      const Precision& precision) {
  FoundPlans found;
  std::size_t largest = 0;
  const workloads::BuiltWorkload built =
      workload.build({.batch_size = batch_size}, graph::Mode::kTrain);
  for (const ConvProblem& problem :
       problems_of(workloads::training_graph(workload.spec(), built, precision.dtype))) {
    const std::vector<ConvPlan> plans = find_conv_plans(
        problem,
        {.allow_tf32 = precision.allow_tf32, .workspace_limit = std::int64_t{1} << 30},
        PlanTarget(device),
        1);
    const ConvPlan& best = plans.front();
    fmt::print("{} {} {} ws {:.1f} MiB [{}] {}\n",
               device_name,
               precision.name,
               best.name,
               static_cast<double>(best.workspace_bytes) / (1 << 20),
               best.notes,
               problem.text());
    largest = std::max(largest, best.workspace_bytes);
    found.tensor_core += best.tensor_core ? 1 : 0;
    ++found.count;
    if (precision.dtype == DType::kF32 && !precision.allow_tf32) {
      EXPECT_FALSE(best.tensor_core) << problem.text();
    }
  }
  fmt::print(
      "== {} {} batch {} {}: {} problems, {} on tensor cores, largest workspace {:.1f} MiB\n",
      device_name,
      workload.spec().name,
      batch_size,
      precision.name,
      found.count,
      found.tensor_core,
      static_cast<double>(largest) / (1 << 20));
  return found;
}

// At the default batch, and at those of the bars in docs/gpu-status.md.
TEST_P(ConvPlans, ExistForEveryWorkloadPrecisionAndDirection) {
  const CudnnDescriptor device = ConvPlans::device();
  int count = 0;
  for (const std::string& name : workloads::workload_names()) {
    const workloads::Workload& workload = workloads::find_workload(name);
    for (const std::int64_t batch_size : {workload.spec().batch_size, std::int64_t{32}}) {
      for (const Precision& precision : precisions()) {
        const FoundPlans found = find_plans(GetParam(), device, workload, batch_size, precision);
        EXPECT_GT(found.count, 0) << name;
        if (precision.name != "fp32") {
          EXPECT_GT(found.tensor_core, found.count / 2) << name << ' ' << precision.name;
        }
        count += found.count;
      }
    }
  }
  EXPECT_GT(count, 200);
}

// Without them each convolution with a bias would read and write its result once more. What is
// faster is for the device to say: both kinds are offered.
TEST_P(ConvPlans, FuseEveryBiasThatNoReluFollowsAndOfferBareOnesBehind) {
  constexpr std::size_t kMax = 4;
  const CudnnDescriptor device = ConvPlans::device();
  std::map<std::string, int> epilogues;
  for (const std::string& workload_name : workloads::workload_names()) {
    const workloads::Workload& workload = workloads::find_workload(workload_name);
    const workloads::BuiltWorkload built = workload.build({}, graph::Mode::kTrain);
    for (const Precision& precision : precisions()) {
      const graph::Graph graph = workloads::training_graph(workload.spec(), built, precision.dtype);
      for (const ConvProblem& problem : problems_of(graph)) {
        const std::vector<ConvPlan> plans = find_conv_plans(
            problem,
            {.allow_tf32 = precision.allow_tf32, .workspace_limit = std::int64_t{1} << 30},
            PlanTarget(device),
            kMax);
        const auto bare = std::find_if(
            plans.begin(), plans.end(), [](const ConvPlan& plan) { return !plan.fuses_epilogue; });
        EXPECT_TRUE(bare != plans.end()) << problem.text();
        EXPECT_TRUE(std::none_of(
            bare, plans.end(), [](const ConvPlan& plan) { return plan.fuses_epilogue; }))
            << "bare plans stand behind the others: " << problem.text();
        ++epilogues[problem.epilogue.text()];
        EXPECT_EQ(bare != plans.begin(), problem.epilogue.text() == "+bias") << problem.text();
        for (auto plan = plans.begin(); plan != bare; ++plan) {
          EXPECT_THAT(plan->name, ::testing::EndsWith(problem.epilogue.text()));
        }
      }
    }
  }
  // Of each precision the two convolutions of mnist_cnn, and those of resunetpp.
  EXPECT_EQ(epilogues["+bias+relu"], 8);
  EXPECT_GT(epilogues["+bias"], 100);
  EXPECT_EQ(epilogues.size(), 3U) << "these and none";
}

TEST_P(ConvPlans, OfHeuristicsBStandBehindThoseOfAAndAreOthers) {
  constexpr std::size_t kMax = 8;
  const CudnnDescriptor device = ConvPlans::device();
  const workloads::Workload& workload = workloads::find_workload("resunetpp");
  const graph::Graph graph = workloads::training_graph(
      workload.spec(), workload.build({}, graph::Mode::kTrain), DType::kBF16);
  const ConvPolicy policy{.workspace_limit = std::int64_t{1} << 30};
  int problems = 0;
  int with_others = 0;
  for (const ConvProblem& problem : problems_of(graph)) {
    if (problem.direction == ConvDirection::kForward) {
      continue;
    }
    const auto plans = find_conv_plans(problem, policy, PlanTarget(device), kMax);
    std::set<std::string> names;
    for (const ConvPlan& plan : plans) {
      names.insert(plan.name);
    }
    EXPECT_EQ(names.size(), plans.size()) << problem.text();
    EXPECT_LE(plans.size(), 2 * kMax);
    EXPECT_EQ(plans.front().name,
              find_conv_plans(problem, policy, PlanTarget(device), 1).front().name);
    ++problems;
    with_others += plans.size() > kMax ? 1 : 0;
  }
  EXPECT_GT(with_others, problems / 2) << problems;
}

// What `verify` asks for, whose tolerances are those of plain sums.
TEST_P(ConvPlans, DirectOnesExistForEveryWorkloadAndAreNeitherWinogradNorFft) {
  const CudnnDescriptor device = ConvPlans::device();
  int left_out = 0;
  for (const std::string& workload_name : workloads::workload_names()) {
    const workloads::Workload& workload = workloads::find_workload(workload_name);
    const workloads::BuiltWorkload built = workload.build({}, graph::Mode::kTrain);
    for (const Precision& precision : precisions()) {
      const graph::Graph graph = workloads::training_graph(workload.spec(), built, precision.dtype);
      for (const ConvProblem& problem : problems_of(graph)) {
        const ConvPolicy any{.allow_tf32 = precision.allow_tf32,
                             .workspace_limit = std::int64_t{1} << 30};
        ConvPolicy direct = any;
        direct.direct = true;
        const std::string first =
            find_conv_plans(problem, any, PlanTarget(device), 1).front().notes;
        left_out += first.find("winograd") != std::string::npos ? 1 : 0;
        for (const ConvPlan& plan : find_conv_plans(problem, direct, PlanTarget(device), 8)) {
          EXPECT_EQ(plan.notes.find("winograd"), std::string::npos) << problem.text();
          EXPECT_EQ(plan.notes.find("fft"), std::string::npos) << problem.text();
        }
      }
    }
  }
  fmt::print("== {}: cuDNN's first plan is Winograd's for {} problems\n", GetParam(), left_out);
}

TEST_P(ConvPlans, AWorkspaceLimitLeavesOutWhatNeedsMore) {
  const CudnnDescriptor device = ConvPlans::device();
  const workloads::Workload& workload = workloads::find_workload("resunetpp");
  const workloads::BuiltWorkload built = workload.build({}, graph::Mode::kTrain);
  int larger = 0;
  for (const ConvProblem& problem :
       problems_of(workloads::training_graph(workload.spec(), built, DType::kF32))) {
    constexpr std::int64_t kLimit = std::int64_t{2} << 20;
    larger += find_conv_plans(problem, {}, PlanTarget(device), 1).front().workspace_bytes > kLimit
                  ? 1
                  : 0;
    try {
      for (const ConvPlan& plan :
           find_conv_plans(problem, {.workspace_limit = kLimit}, PlanTarget(device), 8)) {
        EXPECT_LE(plan.workspace_bytes, static_cast<std::size_t>(kLimit)) << problem.text();
      }
    } catch (const core::Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("with at most 2 MiB of workspace"));
    }
  }
  EXPECT_GT(larger, 0) << "the limit left out nothing";
}

/// Whether one of the plans that tuning times runs on tensor cores without first copying x, which
/// would take at least the workspace of x.
bool feeds_tensor_cores(const std::vector<ConvPlan>& plans, const ConvProblem& problem) {
  const Index elements = problem.x[0] * problem.x[1] * problem.x[2] * problem.x[3];
  const std::size_t bytes = static_cast<std::size_t>(elements) * core::size_of(problem.dtype);
  return std::any_of(plans.begin(), plans.end(), [&](const ConvPlan& plan) {
    return plan.tensor_core && plan.workspace_bytes < bytes;
  });
}

void print(const char* channels, const ConvPlan& plan, const ConvProblem& problem) {
  fmt::print("{} {} ws {} bytes [{}] {}\n",
             channels,
             plan.name,
             plan.workspace_bytes,
             plan.notes,
             problem.text());
}

TEST_P(ConvPlans, OfPaddedImagesFeedTensorCoresWithoutACopy) {
  constexpr std::size_t kTimed = 8;
  const CudnnDescriptor device = ConvPlans::device();
  const ConvPolicy policy{.workspace_limit = std::int64_t{1} << 30};
  int padded_problems = 0;
  for (const std::string& workload_name : workloads::workload_names()) {
    const workloads::Workload& workload = workloads::find_workload(workload_name);
    const workloads::BuiltWorkload built = workload.build({}, graph::Mode::kTrain);
    for (const DType precision : {DType::kBF16, DType::kF16}) {
      const graph::Graph graph = workloads::training_graph(workload.spec(), built, precision);
      const ChannelPadding padding(graph, Fusion(graph, {}));
      for (const graph::Node& node : graph.nodes()) {
        if (node.op != graph::OpKind::kConv && node.op != graph::OpKind::kConvBackwardWeights) {
          continue;
        }
        const ConvProblem dense = conv_problem(graph, node, {});
        const ConvProblem padded = conv_problem(graph, node, padding);
        if (padded.text() == dense.text()) {
          continue;
        }
        ++padded_problems;
        const auto plans = find_conv_plans(padded, policy, PlanTarget(device), kTimed);
        print("dense", find_conv_plans(dense, policy, PlanTarget(device), 1).front(), dense);
        print("padded", plans.front(), padded);
        EXPECT_TRUE(feeds_tensor_cores(plans, padded)) << padded.text();
      }
    }
  }
  // The one of mnist_cnn and the two of resunetpp, forward and the weights' gradient, twice.
  EXPECT_EQ(padded_problems, 12);
}

/// What no workload has today but the ops allow: dilation, groups, three axes, uneven padding, and
/// backward data as a transposed convolution of kernel 3 with an output padding of 1.
std::vector<ConvProblem> unusual_problems() {
  const ConvProblem plain{.x = {4, 64, 56, 56},
                          .w = {64, 64, 3, 3},
                          .y = {4, 64, 56, 56},
                          .pad_begin = {1, 1},
                          .pad_end = {1, 1},
                          .stride = {1, 1},
                          .dilation = {1, 1}};
  ConvProblem dilated = plain;
  dilated.pad_begin = dilated.pad_end = dilated.dilation = {2, 2};
  ConvProblem grouped = plain;
  grouped.w = {64, 16, 3, 3};
  ConvProblem uneven = plain;
  uneven.y = {4, 64, 28, 28};
  uneven.pad_begin = {0, 0};
  uneven.stride = {2, 2};
  const ConvProblem volume{.x = {2, 32, 32, 32, 32},
                           .w = {64, 32, 2, 2, 2},
                           .y = {2, 64, 16, 16, 16},
                           .pad_begin = {0, 0, 0},
                           .pad_end = {0, 0, 0},
                           .stride = {2, 2, 2},
                           .dilation = {1, 1, 1}};
  ConvProblem transposed = plain;
  transposed.w = {128, 64, 3, 3};
  transposed.y = {4, 128, 28, 28};
  transposed.stride = {2, 2};
  return {plain, dilated, grouped, uneven, volume, transposed};
}

TEST_P(ConvPlans, ExistForDilationGroupsVolumesAndUnevenPaddingDeterministicToo) {
  const CudnnDescriptor device = ConvPlans::device();
  for (ConvProblem problem : unusual_problems()) {
    for (const Precision& precision : precisions()) {
      for (const ConvDirection direction : {ConvDirection::kForward,
                                            ConvDirection::kBackwardData,
                                            ConvDirection::kBackwardWeights}) {
        problem.direction = direction;
        problem.dtype = precision.dtype;
        const auto plans =
            find_conv_plans(problem,
                            {.allow_tf32 = precision.allow_tf32, .deterministic = true},
                            PlanTarget(device),
                            4);
        for (const ConvPlan& plan : plans) {
          EXPECT_THAT(plan.notes, ::testing::Not(::testing::HasSubstr("nondeterministic")));
        }
      }
    }
  }
}

// An A100 has no others for some in strict f32, of which none is a gradient of weights.
TEST_P(ConvPlans, OfUnevenPaddingAreNotOfEnginesInDoubtWhereThereAreOthers) {
  const CudnnDescriptor device = ConvPlans::device();
  const workloads::Workload& workload = workloads::find_workload("resunetpp");
  const workloads::BuiltWorkload built =
      workload.build({.batch_size = 2, .image_size = 64}, graph::Mode::kTrain);
  int uneven = 0;
  bool oldest_elsewhere = false;
  bool wrong_elsewhere = false;
  for (const Precision& precision : precisions()) {
    for (const ConvProblem& problem :
         problems_of(workloads::training_graph(workload.spec(), built, precision.dtype))) {
      const auto plans =
          find_conv_plans(problem, {.allow_tf32 = precision.allow_tf32}, PlanTarget(device), 4);
      const bool of_weights = problem.direction == ConvDirection::kBackwardWeights;
      const auto oldest =
          std::ranges::count_if(plans, [](const ConvPlan& plan) { return plan.engine < 4; });
      const auto wrong = std::ranges::count_if(
          plans, [&](const ConvPlan& plan) { return of_weights && plan.engine == 20; });
      if (problem.pad_begin == problem.pad_end) {
        oldest_elsewhere = oldest_elsewhere || oldest > 0;
        wrong_elsewhere = wrong_elsewhere || wrong > 0;
        continue;
      }
      ++uneven;
      EXPECT_EQ(oldest, oldest < std::ssize(plans) ? 0 : std::ssize(plans)) << problem.text();
      EXPECT_EQ(wrong, 0) << problem.text();
    }
  }
  EXPECT_EQ(uneven, 36) << "three convolutions, three directions, four precisions";
  EXPECT_TRUE(oldest_elsewhere && wrong_elsewhere) << "they are left out for their padding";
}

TEST_P(ConvPlans, RefuseShapesThatContradictEachOther) {
  // The shapes contradict each other: cuDNN must say so, not crash.
  ConvProblem problem = unusual_problems().front();
  problem.y = {4, 64, 10, 10};
  const CudnnDescriptor device = ConvPlans::device();
  EXPECT_THROW(static_cast<void>(find_conv_plans(problem, {}, PlanTarget(device), 1)), core::Error);
}

TEST(LastCudnnFailure, IsOfWhatWasNeitherYesNorNo) {
  LastCudnnFailure failure;
  EXPECT_TRUE(failure.accepts("eng1", {}));
  EXPECT_FALSE(failure.accepts("eng2", {.status = CUDNN_STATUS_NOT_SUPPORTED, .text = "no"}));
  EXPECT_EQ(failure.text(), "");
  EXPECT_FALSE(failure.accepts("eng3", {.status = CUDNN_STATUS_BAD_PARAM, .text = "first"}));
  EXPECT_FALSE(failure.accepts("eng4", {.status = CUDNN_STATUS_INTERNAL_ERROR, .text = "last"}));
  EXPECT_FALSE(failure.accepts("eng5", {.status = CUDNN_STATUS_NOT_SUPPORTED, .text = "no"}));
  EXPECT_EQ(failure.text(), "; eng4 failed: last");
}

TEST(CudnnAnswer, IsNoOnlyWhereSomethingIsNotSupported) {
  EXPECT_TRUE(CudnnAnswer{}.yes());
  EXPECT_FALSE(CudnnAnswer{}.no());
  EXPECT_TRUE(CudnnAnswer{.status = CUDNN_STATUS_NOT_SUPPORTED}.no());
  EXPECT_TRUE(CudnnAnswer{.status = CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH}.no());
  for (const cudnnStatus_t wrong : {CUDNN_STATUS_BAD_PARAM,
                                    CUDNN_STATUS_INTERNAL_ERROR,
                                    CUDNN_STATUS_NOT_INITIALIZED,
                                    CUDNN_STATUS_EXECUTION_FAILED}) {
    EXPECT_FALSE(CudnnAnswer{.status = wrong}.no()) << wrong;
    EXPECT_FALSE(CudnnAnswer{.status = wrong}.yes()) << wrong;
  }
}

TEST(CudnnAnswer, SaysWhatWentWrong) {
  CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);  // of nothing
  const CudnnAnswer answer = plan.try_finalize();
  EXPECT_FALSE(answer.yes());
  EXPECT_FALSE(answer.no()) << answer.text;
  EXPECT_THAT(answer.text, ::testing::HasSubstr("CUDNN_STATUS_BAD_PARAM"));
}

INSTANTIATE_TEST_SUITE_P(Devices,
                         ConvPlans,
                         ::testing::Values("h200", "a100"),
                         [](const auto& test) { return std::string(test.param); });

TEST(ConvProblem, ReadsNodesOfEachDirectionAlike) {
  const auto& workload = workloads::find_workload("mnist_cnn");
  const auto built = workload.build({}, graph::Mode::kTrain);
  const graph::Graph graph = workloads::training_graph(workload.spec(), built, DType::kF32);
  std::map<std::vector<std::int64_t>, int> directions_of_weight;
  for (const ConvProblem& problem : problems_of(graph)) {
    EXPECT_EQ(problem.x[0], problem.y[0]);
    EXPECT_EQ(problem.x[1], problem.w[1]);
    EXPECT_EQ(problem.y[1], problem.w[0]);
    ++directions_of_weight[problem.w];
  }
  ASSERT_EQ(directions_of_weight.size(), 2U);
  // The image needs no gradient.
  EXPECT_EQ(directions_of_weight.at({32, 1, 3, 3}), 2);
  EXPECT_EQ(directions_of_weight.at({64, 32, 3, 3}), 3);
}

TEST(ConvProblem, OfATransposedConvolutionIsTheDataGradientOfItsAdjoint) {
  graph::GraphBuilder builder(graph::Mode::kTrain);
  const graph::ValueId x = builder.add_input("x", DType::kBF16, {4, 128, 28, 28});
  static_cast<void>(graph::conv_transpose2d(
      builder,
      x,
      "up",
      {.channels_out = 64, .kernel = 3, .padding = 1, .output_padding = 1, .bias = false}));
  ConvProblem want = unusual_problems().back();
  want.direction = ConvDirection::kBackwardData;
  want.dtype = DType::kBF16;
  EXPECT_EQ(conv_problem(builder.graph(), builder.graph().nodes().back(), {}).text(), want.text());
}

TEST(ChannelsLastStrides, PutTheChannelInnermost) {
  EXPECT_THAT(channels_last_strides({2, 3, 4, 5}), ::testing::ElementsAre(60, 1, 15, 3));
  EXPECT_THAT(channels_last_strides({2, 3, 4, 5, 6}), ::testing::ElementsAre(360, 1, 90, 18, 3));
}

}  // namespace
}  // namespace dlbench::backend::cuda
