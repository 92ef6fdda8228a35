// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/conv_plan.h"

#include "engine/backend/cuda/libraries/cuda_call.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

cudnnDataType_t cudnn_type(core::DType dtype) {
  switch (dtype) {
    case core::DType::kF16:
      return CUDNN_DATA_HALF;
    case core::DType::kBF16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

/// The id of a virtual tensor, which has no memory and is in no variant pack.
constexpr std::int64_t kVirtualSums = 's';

CudnnDescriptor tensor(core::DType dtype,
                       const std::vector<std::int64_t>& extents,
                       std::int64_t id,
                       bool is_virtual = false) {
  CudnnDescriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  d.set(CUDNN_ATTR_TENSOR_DATA_TYPE, cudnn_type(dtype));
  d.set(CUDNN_ATTR_TENSOR_DIMENSIONS, extents);
  d.set(CUDNN_ATTR_TENSOR_STRIDES, channels_last_strides(extents));
  d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
  d.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{16});
  d.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
  d.finalize("cuDNN tensor descriptor");
  return d;
}

CudnnDescriptor convolution(const ConvProblem& problem) {
  CudnnDescriptor d(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  d.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  d.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  d.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, static_cast<std::int64_t>(problem.stride.size()));
  d.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, problem.pad_begin);
  d.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, problem.pad_end);
  d.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, problem.stride);
  d.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, problem.dilation);
  d.finalize("cuDNN convolution descriptor");
  return d;
}

/// The attribute names of the operands for each of the three directions.
struct OperationAttributes {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t x;
  cudnnBackendAttributeName_t w;
  cudnnBackendAttributeName_t y;
  cudnnBackendAttributeName_t convolution;
  cudnnBackendAttributeName_t alpha;
  cudnnBackendAttributeName_t beta;
};

OperationAttributes attributes_of(ConvDirection direction) {
  switch (direction) {
    case ConvDirection::kForward:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case ConvDirection::kBackwardData:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    default:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }
}

/// A tensor (1, K, 1, ...) that is added to every position.
CudnnDescriptor bias_tensor(const ConvProblem& problem) {
  std::vector<std::int64_t> extents(problem.y.size(), 1);
  extents[1] = problem.y[1];
  return tensor(problem.dtype, extents, kConvBias);
}

CudnnDescriptor convolution_operation(const ConvProblem& problem, const CudnnDescriptor& y) {
  const OperationAttributes names = attributes_of(problem.direction);
  CudnnDescriptor operation(names.type);
  operation.set(names.x, tensor(problem.dtype, problem.x, kConvX));
  operation.set(names.w, tensor(problem.dtype, problem.w, kConvW));
  operation.set(names.y, y);
  operation.set(names.convolution, convolution(problem));
  operation.set(names.alpha, 1.0F);
  operation.set(names.beta, 0.0F);
  operation.finalize("cuDNN convolution operation");
  return operation;
}

/// y = sums + bias, where the sums are virtual. They are f32, as computed: cuDNN 9.19 has no
/// precompiled engine for sums that are rounded to 16 bits in between.
CudnnDescriptor bias_operation(const ConvProblem& problem,
                               const CudnnDescriptor& sums,
                               const CudnnDescriptor& y) {
  CudnnDescriptor addition(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  const cudnnPointwiseMode_t mode = CUDNN_POINTWISE_ADD;
  addition.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
  addition.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
  addition.finalize("cuDNN pointwise descriptor");
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, addition);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, sums);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, bias_tensor(problem));
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  operation.finalize("cuDNN pointwise operation");
  return operation;
}

/// The graph of the convolution, and of the addition of its bias if that is to be fused.
CudnnDescriptor operation_graph(const ConvProblem& problem, bool fuse, const PlanTarget& target) {
  const CudnnDescriptor y = tensor(problem.dtype, problem.y, kConvY);
  std::vector<CudnnDescriptor> operations;
  if (fuse) {
    const CudnnDescriptor sums = tensor(core::DType::kF32, problem.y, kVirtualSums, true);
    operations.push_back(convolution_operation(problem, sums));
    operations.push_back(bias_operation(problem, sums, y));
  } else {
    operations.push_back(convolution_operation(problem, y));
  }
  CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
  target.tell_graph(graph);
  graph.finalize("cuDNN operation graph");
  return graph;
}

/// Engine configurations in cuDNN's order; none if the heuristics have no answer.
std::vector<CudnnDescriptor> configurations(const CudnnDescriptor& graph,
                                            const PlanTarget& target,
                                            cudnnBackendHeurMode_t mode,
                                            LastCudnnFailure& failure) {
  CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  target.tell_heuristics(heuristics);
  if (!failure.accepts("cuDNN's heuristics", heuristics.try_finalize())) {
    return {};
  }
  return heuristics.get_descriptors(
      CUDNN_ATTR_ENGINEHEUR_RESULTS,
      CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
      heuristics.count(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR));
}

struct EngineNotes {
  std::vector<cudnnBackendNumericalNote_t> numerical;
  std::vector<cudnnBackendBehaviorNote_t> behavior;

  [[nodiscard]] bool has(cudnnBackendNumericalNote_t note) const {
    return std::find(numerical.begin(), numerical.end(), note) != numerical.end();
  }
  [[nodiscard]] bool has(cudnnBackendBehaviorNote_t note) const {
    return std::find(behavior.begin(), behavior.end(), note) != behavior.end();
  }
};

EngineNotes notes_of(const CudnnDescriptor& engine) {
  return {engine.get_list<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                       CUDNN_TYPE_NUMERICAL_NOTE,
                                                       CUDNN_NUMERICAL_NOTE_TYPE_COUNT),
          engine.get_list<cudnnBackendBehaviorNote_t>(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
                                                      CUDNN_TYPE_BEHAVIOR_NOTE,
                                                      CUDNN_BEHAVIOR_NOTE_TYPE_COUNT)};
}

std::string describe(const EngineNotes& notes) {
  constexpr std::array<std::pair<cudnnBackendNumericalNote_t, std::string_view>, 8> kNames{
      {{CUDNN_NUMERICAL_NOTE_TENSOR_CORE, "tensor_core"},
       {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, "down_convert_inputs"},
       {CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, "reduced_precision_reduction"},
       {CUDNN_NUMERICAL_NOTE_FFT, "fft"},
       {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, "nondeterministic"},
       {CUDNN_NUMERICAL_NOTE_WINOGRAD, "winograd"},
       {CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4, "winograd_4x4"},
       {CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6, "winograd_6x6"}}};
  std::string text;
  for (const auto& [note, word] : kNames) {
    if (notes.has(note)) {
      text += (text.empty() ? "" : ", ") + std::string(word);
    }
  }
  return text;
}

bool transforms(const EngineNotes& notes) {
  return notes.has(CUDNN_NUMERICAL_NOTE_WINOGRAD) ||
         notes.has(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4) ||
         notes.has(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6) ||
         notes.has(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13) || notes.has(CUDNN_NUMERICAL_NOTE_FFT);
}

bool acceptable(const EngineNotes& notes, const ConvProblem& problem, const ConvPolicy& policy) {
  const bool rounds_operands = notes.has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) ||
                               notes.has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
  if (problem.dtype == core::DType::kF32 && !policy.allow_tf32 && rounds_operands) {
    return false;
  }
  if (policy.deterministic && notes.has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) {
    return false;
  }
  if (policy.direct && transforms(notes)) {
    return false;
  }
  return !notes.has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION) &&
         !notes.has(CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
}

std::string name_of(const CudnnDescriptor& configuration, const CudnnDescriptor& engine) {
  std::string text = fmt::format("eng{}{{", engine.get_int(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
  bool first = true;
  for (const CudnnDescriptor& choice :
       configuration.get_descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                     CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
                                     CUDNN_KNOB_TYPE_COUNTS)) {
    const auto type = choice.get_list<cudnnBackendKnobType_t>(
        CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1);
    text += fmt::format("{}{}={}",
                        first ? "" : ",",
                        static_cast<int>(type.at(0)),
                        choice.get_int(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
    first = false;
  }
  return text + "}";
}

}  // namespace

CudnnDescriptor device_properties(std::string_view json) {
  CudnnDescriptor device(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  device.set_text(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, json);
  device.finalize("cuDNN device properties");
  return device;
}

// On a device the handle is set in the graph (whose heuristics then query that device) and in the
// plan. cuDNN 9.19 calls both attributes deprecated but accepts them: NVIDIA's cudnn-frontend, and
// PyTorch with it, do the same whenever they have a handle, so it is known to give plans that
// execute. Device properties are for making plans ahead of time: according to NVIDIA such a plan is
// serialised, and loaded again on the device before it runs.
void PlanTarget::tell_graph(CudnnDescriptor& graph) const {
  if (handle_ != nullptr) {
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle_);
  }
}

void PlanTarget::tell_heuristics(CudnnDescriptor& heuristics) const {
  if (description_ != nullptr) {
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *description_);
  }
}

void PlanTarget::tell_plan(CudnnDescriptor& plan) const {
  if (description_ != nullptr) {
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *description_);
  } else {
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle_);
  }
}

namespace {

/// One list of cuDNN's heuristics, to be used until there are `until` plans in all.
struct Source {
  cudnnBackendHeurMode_t mode;
  std::size_t until;
};

/// For plain convolutions mode B prefers other engines and knobs than mode A: for most gradients of
/// ResUNet++ its first ones come later in A, or are missing there (cuDNN 9.19, descriptions of an
/// H200 and an A100). With an epilogue both offered equally many, so A's are enough.
std::vector<Source> sources(bool fuse, std::size_t most) {
  if (fuse || most == 1) {
    return {{CUDNN_HEUR_MODE_A, most}, {CUDNN_HEUR_MODE_FALLBACK, most}};
  }
  return {
      {CUDNN_HEUR_MODE_A, most}, {CUDNN_HEUR_MODE_B, 2 * most}, {CUDNN_HEUR_MODE_FALLBACK, most}};
}

/// If padding differs between two sides, some engines of cuDNN 9.19 are avoided as long as there
/// are others. Engine 20 gave wrong weight gradients in f32 on an H200: in each of its 29 plans
/// that were run with such padding, most elements were wrong. The oldest engines, 0 to 3, are
/// suspect: they come from an interface with one padding for both sides, and a gradient was wrong
/// on an H100 (ResUNet++, 2 x 64 x 64, c2.conv1.weight) for which the heuristics offer 0 first,
/// although it is not known which engine was used. Plans are checked before use (conv_check.h), but
/// not if the device has too little memory to run them.
enum class Engines : std::uint8_t { kBeyondDoubt, kNotSeenWrong, kAll };

bool is_allowed(std::int64_t engine, const ConvProblem& problem, Engines engines) {
  constexpr std::int64_t kFirstBehindTheOldest = 4;
  constexpr std::int64_t kWrongForWeights = 20;
  if (engines == Engines::kAll || problem.pad_begin == problem.pad_end) {
    return true;
  }
  if (engine == kWrongForWeights && problem.direction == ConvDirection::kBackwardWeights) {
    return false;
  }
  return engines == Engines::kNotSeenWrong || engine >= kFirstBehindTheOldest;
}

/// Plans that all fuse the epilogue (`fuse`), or all do not.
std::vector<ConvPlan> plans_of_graph(const ConvProblem& problem,
                                     bool fuse,
                                     const ConvPolicy& policy,
                                     const PlanTarget& target,
                                     std::size_t most,
                                     Engines wanted,
                                     LastCudnnFailure& failure) {
  const CudnnDescriptor graph = operation_graph(problem, fuse, target);
  std::vector<ConvPlan> plans;
  std::set<std::string> seen;
  for (const Source& source : sources(fuse, most)) {
    if (plans.size() >= source.until) {
      continue;
    }
    for (const CudnnDescriptor& configuration :
         configurations(graph, target, source.mode, failure)) {
      if (plans.size() >= source.until) {
        break;
      }
      const auto engines = configuration.get_descriptors(
          CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
      const EngineNotes notes = notes_of(engines.at(0));
      ConvPlan plan{
          .name = name_of(configuration, engines.at(0)) + (fuse ? problem.epilogue.text() : ""),
          .engine = engines.at(0).get_int(CUDNN_ATTR_ENGINE_GLOBAL_INDEX),
          .notes = describe(notes),
          .tensor_core = notes.has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE),
          .transformed = transforms(notes),
          .repeatable = !notes.has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC),
          .fuses_epilogue = fuse};
      if (!is_allowed(plan.engine, problem, wanted) || !acceptable(notes, problem, policy) ||
          !seen.insert(plan.name).second) {
        continue;
      }
      plan.plan = CudnnDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
      target.tell_plan(plan.plan);
      if (!failure.accepts(plan.name, plan.plan.try_finalize())) {
        continue;
      }
      const std::int64_t bytes = plan.plan.get_int(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
      if (policy.workspace_limit > 0 && bytes > policy.workspace_limit) {
        continue;
      }
      plan.workspace_bytes = static_cast<std::size_t>(bytes);
      plans.push_back(std::move(plan));
    }
  }
  return plans;
}

/// Plans of both kinds, those that fuse the epilogue first.
std::vector<ConvPlan> plans_of(const ConvProblem& problem,
                               const ConvPolicy& policy,
                               const PlanTarget& target,
                               std::size_t most,
                               Engines engines,
                               LastCudnnFailure& failure) {
  std::vector<ConvPlan> plans;
  if (problem.epilogue.fusible()) {
    plans = plans_of_graph(problem, true, policy, target, most, engines, failure);
  }
  std::ranges::move(plans_of_graph(problem, false, policy, target, most, engines, failure),
                    std::back_inserter(plans));
  return plans;
}

}  // namespace

std::vector<ConvPlan> find_conv_plans(const ConvProblem& problem,
                                      const ConvPolicy& policy,
                                      const PlanTarget& target,
                                      std::size_t most) {
  LastCudnnFailure failure;
  std::vector<ConvPlan> plans;
  for (const Engines engines : {Engines::kBeyondDoubt, Engines::kNotSeenWrong, Engines::kAll}) {
    if (plans.empty()) {
      plans = plans_of(problem, policy, target, most, engines, failure);
    }
  }
  if (plans.empty()) {
    throw core::Error(
        core::ErrorCode::kUnavailable,
        fmt::format("cuDNN has no acceptable plan for {}{}{}{}{}",
                    problem.text(),
                    policy.deterministic ? ", deterministic" : "",
                    policy.direct ? ", direct" : "",
                    policy.workspace_limit > 0 ? fmt::format(", with at most {} MiB of workspace",
                                                             policy.workspace_limit >> 20)
                                               : "",
                    failure.text()));
  }
  return plans;
}

}  // namespace dlbench::backend::cuda
