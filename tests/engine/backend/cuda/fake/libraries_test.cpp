// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands in for cuDNN, asked through the plug-in's own wrappers, against the definition
// written as loops; and what it has to refuse. Values are small whole numbers, whose sums are
// exact, so that results are equal and not just close.
#include "engine/backend/cuda/libraries/conv_plan.h"
#include "engine/backend/cuda/libraries/cudnn_descriptor.h"
#include "engine/core/dtype.h"
#include "tests/engine/backend/cuda/conv_problems.h"
#include "tests/engine/backend/cuda/fake/libraries_fixture.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

/// Calls f(place in x, place in w, place in y) for every product of the definition; all three lie
/// channels-last.
template <typename Function>
void visit_products(const ConvProblem& p, Function f) {
  const std::size_t axes = p.stride.size();
  const std::int64_t group_channels = p.w[1];
  const std::int64_t group_filters = p.w[0] / (p.x[1] / p.w[1]);
  const Extents positions(p.y.begin() + 2, p.y.end());
  const Extents kernel(p.w.begin() + 2, p.w.end());
  for (std::int64_t position = 0; position < elements(positions); ++position) {
    for (std::int64_t tap = 0; tap < elements(kernel); ++tap) {
      std::int64_t place = 0;
      std::int64_t position_left = elements(positions);
      std::int64_t tap_left = elements(kernel);
      bool inside = true;
      for (std::size_t i = 0; i < axes; ++i) {
        position_left /= positions[i];
        tap_left /= kernel[i];
        const std::int64_t at = position / position_left % positions[i] * p.stride[i] +
                                tap / tap_left % kernel[i] * p.dilation[i] - p.pad_begin[i];
        inside = inside && at >= 0 && at < p.x[i + 2];
        place = place * p.x[i + 2] + at;
      }
      for (std::int64_t n = 0; inside && n < p.x[0]; ++n) {
        const std::int64_t x = n * (elements(p.x) / p.x[0] / p.x[1]) + place;
        for (std::int64_t k = 0; k < p.w[0]; ++k) {
          for (std::int64_t c = 0; c < group_channels; ++c) {
            f(static_cast<std::size_t>(x * p.x[1] + k / group_filters * group_channels + c),
              static_cast<std::size_t>((k * elements(kernel) + tap) * group_channels + c),
              static_cast<std::size_t>((n * elements(positions) + position) * p.w[0] + k));
          }
        }
      }
    }
  }
}

/// y of the definition, or its adjoint.
Values expected(const ConvProblem& p, const Values& x, const Values& w, const Values& y) {
  const bool forward = p.direction == ConvDirection::kForward;
  const bool data = p.direction == ConvDirection::kBackwardData;
  Values result((forward ? y : data ? x : w).size(), 0.0);
  visit_products(p, [&](std::size_t at_x, std::size_t at_w, std::size_t at_y) {
    if (forward) {
      result[at_y] += x[at_x] * w[at_w];
    } else if (data) {
      result[at_x] += y[at_y] * w[at_w];
    } else {
      result[at_w] += x[at_x] * y[at_y];
    }
  });
  return result;
}

struct Operands {
  Operands(const ConvProblem& p, const Values& x_values, const Values& w_values)
      : x(p.dtype, x_values),
        w(p.dtype, w_values),
        y(p.dtype, whole_numbers(elements(p.y), 3)),
        bias(p.dtype, whole_numbers(p.y[1], 4)) {}
  explicit Operands(const ConvProblem& p)
      : Operands(p, whole_numbers(elements(p.x), 1), whole_numbers(elements(p.w), 2)) {}

  DeviceValues x;
  DeviceValues w;
  DeviceValues y;
  DeviceValues bias;
};

ConvProblem problem(Extents x, Extents w, Extents y) {
  const std::size_t axes = x.size() - 2;
  return {.x = std::move(x),
          .w = std::move(w),
          .y = std::move(y),
          .pad_begin = Extents(axes, 1),
          .pad_end = Extents(axes, 1),
          .stride = Extents(axes, 1),
          .dilation = Extents(axes, 1)};
}

std::vector<ConvProblem> problems() {
  ConvProblem plain = problem({2, 16, 9, 7}, {24, 16, 3, 3}, {2, 24, 9, 7});
  ConvProblem odd = problem({1, 3, 5, 6}, {7, 3, 3, 3}, {1, 7, 5, 6});
  ConvProblem strided = problem({2, 8, 10, 9}, {16, 8, 3, 3}, {2, 16, 5, 4});
  strided.stride = {2, 2};
  strided.pad_begin = {0, 0};
  strided.pad_end = {1, 0};
  ConvProblem dilated = problem({1, 8, 12, 11}, {8, 8, 3, 3}, {1, 8, 12, 9});
  dilated.dilation = {2, 3};
  dilated.pad_begin = dilated.pad_end = {2, 2};
  ConvProblem grouped = problem({2, 16, 6, 6}, {32, 4, 3, 3}, {2, 32, 6, 6});
  ConvProblem volume = problem({1, 8, 4, 6, 5}, {16, 8, 2, 3, 2}, {1, 16, 2, 6, 3});
  volume.stride = {2, 1, 2};
  volume.pad_begin = {0, 1, 1};
  volume.pad_end = {0, 1, 0};
  return {plain, odd, strided, dilated, grouped, volume};
}

class FakeConvolutions : public FakeLibraries {
 protected:
  std::vector<ConvPlan> plans(const ConvProblem& problem, bool tf32 = false) {
    return find_conv_plans(problem, {.allow_tf32 = tf32}, PlanTarget(handles_.cudnn()), 2);
  }
  /// The first that needs a workspace, and what for.
  std::pair<ConvProblem, ConvPlan> with_workspace() {
    for (ConvProblem candidate : problems()) {
      for (const auto direction : {ConvDirection::kBackwardData, ConvDirection::kBackwardWeights}) {
        candidate.direction = direction;
        for (ConvPlan& plan : plans(candidate)) {
          if (plan.workspace_bytes > 0) {
            return {candidate, std::move(plan)};
          }
        }
      }
    }
    ADD_FAILURE() << "no plan has a workspace";
    return {};
  }
  static CudnnDescriptor pack(std::span<const std::int64_t> ids,
                              std::span<void* const> data,
                              void* workspace) {
    CudnnDescriptor made(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    made.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    made.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
             CUDNN_TYPE_VOID_PTR,
             static_cast<std::int64_t>(data.size()),
             data.data());
    made.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    made.finalize("variant pack");
    return made;
  }
  cudnnStatus_t execute(const ConvPlan& plan,
                        const std::vector<std::int64_t>& ids,
                        const std::vector<void*>& data,
                        void* workspace) {
    return cudnnBackendExecute(
        handles_.cudnn(stream_), plan.plan.raw(), pack(ids, data, workspace).raw());
  }
  cudnnStatus_t execute(const ConvPlan& plan, const Operands& operands, void* workspace) {
    std::vector<std::int64_t> ids{kConvX, kConvW, kConvY};
    std::vector<void*> data{operands.x.data(), operands.w.data(), operands.y.data()};
    if (plan.fuses_epilogue) {
      ids.push_back(kConvBias);
      data.push_back(operands.bias.data());
    }
    return execute(plan, ids, data, workspace);
  }
  /// What the plan makes of the operands.
  Values result(const ConvProblem& problem, const ConvPlan& plan, const Operands& operands) {
    const DeviceValues workspace(DType::kF32, plan.workspace_bytes / 4 + 1);
    const DeviceValues& written = problem.direction == ConvDirection::kForward        ? operands.y
                                  : problem.direction == ConvDirection::kBackwardData ? operands.x
                                                                                      : operands.w;
    written.fill_with_nan();  // beta is 0: it is not read
    EXPECT_EQ(execute(plan, operands, workspace.data()), CUDNN_STATUS_SUCCESS);
    wait();
    return written.values();
  }
};

TEST_F(FakeConvolutions, AreTheirDefinitionInEveryDirectionAndPrecision) {
  for (ConvProblem p : problems()) {
    for (const Precision& precision : precisions()) {
      for (const auto direction : {ConvDirection::kForward,
                                   ConvDirection::kBackwardData,
                                   ConvDirection::kBackwardWeights}) {
        p.dtype = precision.dtype;
        p.direction = direction;
        p.epilogue = {.bias = direction == ConvDirection::kForward};
        const Operands before(p);
        Values want = expected(p, before.x.values(), before.w.values(), before.y.values());
        const Values bias = before.bias.values();
        int fused = 0;
        for (const ConvPlan& plan : plans(p, precision.allow_tf32)) {
          const Operands operands(p);
          const Values got = result(p, plan, operands);
          ASSERT_EQ(got.size(), want.size());
          for (std::size_t i = 0; i < got.size(); ++i) {
            const double sum = want[i] + (plan.fuses_epilogue ? bias[i % bias.size()] : 0);
            ASSERT_EQ(got[i], rounded(p.dtype, sum)) << plan.name << ' ' << p.text() << " at " << i;
          }
          fused += plan.fuses_epilogue ? 1 : 0;
        }
        EXPECT_EQ(fused > 0, p.epilogue.bias) << p.text();
      }
    }
  }
}

/// A convolution as the plug-in does not ask for it: NCHW, scaled, added to what is there.
struct ScaledConvolution {
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  float alpha = 1;
  float beta = 0;
  bool tells_order = false;  ///< of the vectors of x: none, but an attribute more
};

CudnnDescriptor planar_tensor(const Extents& extents, std::int64_t id, bool tells_order = false) {
  CudnnDescriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT);
  made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, extents);
  made.set(CUDNN_ATTR_TENSOR_STRIDES,
           Extents{extents[1] * extents[2] * extents[3], extents[2] * extents[3], extents[3], 1});
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
  made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{4});
  if (tells_order) {
    const cudnnBackendTensorReordering_t none = CUDNN_TENSOR_REORDERING_NONE;
    made.set(CUDNN_ATTR_TENSOR_REORDERING_MODE, CUDNN_TYPE_TENSOR_REORDERING_MODE, 1, &none);
  }
  made.finalize("tensor");
  return made;
}

CudnnDescriptor planar_graph(const ConvProblem& p, const ScaledConvolution& scaled) {
  CudnnDescriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &scaled.mode);
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
  convolution.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, p.pad_begin);
  convolution.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, p.pad_end);
  convolution.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, p.stride);
  convolution.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, p.dilation);
  convolution.finalize("convolution");
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                planar_tensor(p.x, kConvX, scaled.tells_order));
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, planar_tensor(p.w, kConvW));
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, planar_tensor(p.y, kConvY));
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, scaled.alpha);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, scaled.beta);
  operation.finalize("operation");
  std::vector<CudnnDescriptor> operations;
  operations.push_back(std::move(operation));
  CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
  return graph;
}

/// The first plan of a graph that was not finalised yet.
ConvPlan first_plan(CudnnDescriptor graph, const PlanTarget& target) {
  target.tell_graph(graph);
  graph.finalize("graph");
  ConvPlan made;
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    target.tell_heuristics(heuristics);
    if (!heuristics.try_finalize().yes()) {
      continue;
    }
    for (const CudnnDescriptor& configuration : heuristics.get_descriptors(
             CUDNN_ATTR_ENGINEHEUR_RESULTS,
             CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
             heuristics.count(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR))) {
      made.plan = CudnnDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      made.plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
      target.tell_plan(made.plan);
      if (made.plan.try_finalize().yes()) {
        made.workspace_bytes =
            static_cast<std::size_t>(made.plan.get_int(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
        return made;
      }
    }
  }
  ADD_FAILURE() << "no plan";
  return made;
}

// Each channel is alone: planar and channels-last differ in where it lies.
TEST_F(FakeConvolutions, FollowStridesModeAndScales) {
  const ConvProblem p = problem({1, 1, 6, 5}, {2, 1, 3, 3}, {1, 2, 6, 5});
  const Values x = whole_numbers(elements(p.x), 1);
  const Values w = whole_numbers(elements(p.w), 2);
  const Values y = whole_numbers(elements(p.y), 3);
  for (const auto mode : {CUDNN_CROSS_CORRELATION, CUDNN_CONVOLUTION}) {
    const ConvPlan plan = first_plan(planar_graph(p, {.mode = mode, .alpha = 2, .beta = 0.5F}),
                                     PlanTarget(handles_.cudnn()));
    const Operands operands(p, x, w);
    const DeviceValues workspace(DType::kF32, plan.workspace_bytes / 4 + 1);
    ASSERT_EQ(execute(plan, operands, workspace.data()), CUDNN_STATUS_SUCCESS);
    wait();
    Values kernel = w;
    if (mode == CUDNN_CONVOLUTION) {
      std::reverse(kernel.begin(), kernel.begin() + 9);
      std::reverse(kernel.begin() + 9, kernel.end());
    }
    const Values sums = expected(p, x, kernel, y);
    const Values got = operands.y.values();
    for (std::size_t position = 0; position < 30; ++position) {
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t planar = k * 30 + position;
        ASSERT_EQ(got[planar], 2 * sums[position * 2 + k] + 0.5 * y[planar]) << mode << planar;
      }
    }
  }
}

TEST_F(FakeConvolutions, RefuseWhatTheyDoNotInterpret) {
  const ConvProblem p = problem({1, 1, 6, 5}, {2, 1, 3, 3}, {1, 2, 6, 5});
  const ConvPlan plan =
      first_plan(planar_graph(p, {.tells_order = true}), PlanTarget(handles_.cudnn()));
  const Operands operands(p);
  const DeviceValues workspace(DType::kF32, plan.workspace_bytes / 4 + 1);
  EXPECT_EQ(execute(plan, operands, workspace.data()), CUDNN_STATUS_NOT_SUPPORTED);
}

TEST_F(FakeConvolutions, RoundOperandsOnlyWhereTheEngineSaysSo) {
  const ConvProblem p = problem({1, 8, 4, 4}, {8, 8, 3, 3}, {1, 8, 4, 4});
  constexpr double kFine = 1 + 0x1p-14;  // 1 in TF32
  const Values x(static_cast<std::size_t>(elements(p.x)), kFine);
  Values w(static_cast<std::size_t>(elements(p.w)), 0);
  w[4 * 8] = 1;  // the middle of the first filter's first channel
  for (const bool tf32 : {false, true}) {
    const ConvPlan plan = std::move(plans(p, tf32).front());
    const Operands operands(p, x, w);
    EXPECT_EQ(plan.tensor_core, tf32) << plan.notes;
    EXPECT_EQ(result(p, plan, operands)[0], tf32 ? 1 : kFine);
  }
}

TEST_F(FakeConvolutions, LeaveNothingInTheirWorkspace) {
  const auto [p, plan] = with_workspace();
  const DeviceValues workspace(DType::kF32, Values(plan.workspace_bytes / 4 + 4, 0));
  ASSERT_EQ(execute(plan, Operands(p), workspace.data()), CUDNN_STATUS_SUCCESS);
  wait();
  std::vector<std::uint8_t> left(workspace.bytes());
  copy(left.data(), workspace.data(), left.size(), cudaMemcpyDeviceToHost);
  for (std::size_t byte = 0; byte < left.size(); ++byte) {
    ASSERT_EQ(left[byte], byte < plan.workspace_bytes ? 0xFF : 0) << byte;
  }
}

TEST_F(FakeConvolutions, RefuseAddressesThatDoNotFit) {
  const auto [p, plan] = with_workspace();
  const Operands o(p);
  const Operands other(p);
  const DeviceValues small(DType::kF32, plan.workspace_bytes / 4 - 1);
  const DeviceValues workspace(DType::kF32, plan.workspace_bytes / 4 + 8);
  void* const fits = workspace.data();
  std::vector<std::byte> host(o.x.bytes() + 64);
  const std::vector<std::int64_t> ids{kConvX, kConvW, kConvY};
  void* const x = o.x.data();
  void* const w = o.w.data();
  void* const y = o.y.data();
  EXPECT_EQ(execute(plan, ids, {x, w, y}, fits), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(execute(plan, ids, {x, w, y}, nullptr), CUDNN_STATUS_BAD_PARAM) << "workspace";
  EXPECT_EQ(execute(plan, ids, {x, w, y}, small.data()), CUDNN_STATUS_BAD_PARAM) << "workspace";
  EXPECT_EQ(execute(plan, ids, {x, w, y}, host.data()), CUDNN_STATUS_BAD_PARAM) << "workspace";
  EXPECT_EQ(execute(plan, ids, {x, w, y}, workspace.at(4)), CUDNN_STATUS_BAD_PARAM) << "workspace";
  EXPECT_EQ(execute(plan, ids, {nullptr, w, y}, fits), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(execute(plan, ids, {host.data(), w, y}, fits), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(execute(plan, ids, {o.x.at(16), w, y}, fits), CUDNN_STATUS_BAD_PARAM) << "too small";
  EXPECT_EQ(execute(plan, ids, {x, w, x}, fits), CUDNN_STATUS_BAD_PARAM) << "one tensor twice";
  EXPECT_EQ(execute(plan, {kConvX, kConvW}, {x, w}, fits), CUDNN_STATUS_BAD_PARAM) << "no y";
  EXPECT_EQ(execute(plan, {kConvX, kConvW, kConvW}, {x, w, y}, fits), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(execute(plan, {kConvX, kConvW, 's'}, {x, w, y}, fits), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(execute(plan, {kConvX, kConvW, kConvY, 'z'}, {x, w, y, other.y.data()}, fits),
            CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(execute(plan, ids, {x, w, y}, o.x.data()), CUDNN_STATUS_BAD_PARAM);
  const DeviceValues wide(p.dtype, static_cast<std::size_t>(elements(p.x)) + 4);
  EXPECT_EQ(execute(plan, ids, {wide.at(4), w, y}, fits), CUDNN_STATUS_BAD_PARAM) << "misaligned";
  EXPECT_EQ(execute(plan, ids, {wide.at(16), w, y}, fits), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(execute(plan, {kConvY, kConvX, kConvW}, {y, x, w}, fits), CUDNN_STATUS_SUCCESS);
}

TEST_F(FakeConvolutions, RefuseHandlesAndPlansThatCannotRun) {
  const ConvProblem p = problems().front();
  const Operands o(p);
  const CudnnDescriptor description = described_device("h200");
  const ConvPlan described = std::move(find_conv_plans(p, {}, PlanTarget(description), 1).front());
  EXPECT_EQ(execute(described, o, nullptr), CUDNN_STATUS_BAD_PARAM);
  const ConvPlan plan = std::move(plans(p).front());
  const DeviceValues workspace(DType::kF32, plan.workspace_bytes / 4 + 1);
  const std::vector<std::int64_t> ids{kConvX, kConvW, kConvY};
  const std::vector<void*> data{o.x.data(), o.w.data(), o.y.data()};
  const CudnnDescriptor good = pack(ids, data, workspace.data());
  cudnnHandle_t handle = nullptr;
  ASSERT_EQ(cudnnCreate(&handle), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnBackendExecute(handle, plan.plan.raw(), good.raw()), CUDNN_STATUS_BAD_PARAM);
  std::vector<char> why(200);
  cudnnGetLastErrorString(why.data(), why.size());
  EXPECT_STREQ(why.data(), "the handle was told no stream");
  EXPECT_EQ(cudnnSetStream(handle, stream_), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnBackendExecute(handle, plan.plan.raw(), good.raw()), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnBackendExecute(handle, good.raw(), plan.plan.raw()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(cudnnDestroy(handle), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnSetStream(handle, stream_), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(cudnnBackendExecute(handle, plan.plan.raw(), good.raw()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(cudnnDestroy(handle), CUDNN_STATUS_BAD_PARAM);
}

}  // namespace
}  // namespace dlbench::backend::cuda
