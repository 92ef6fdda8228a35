// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/step_comparison.h"

#include "engine/backend/fusion.h"
#include "engine/comm/self.h"
#include "engine/core/fnv1a.h"
#include "engine/core/rng.h"
#include "engine/exec/executor.h"
#include "engine/graph/layers.h"
#include "engine/graph/passes.h"
#include "harness/verification/compare_steps.h"
#include "harness/verification/step_inputs.h"
#include "harness/verification/step_record.h"
#include "workloads/workload.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace dlbench {
namespace {

/// Smooth pictures with noise, so that batch norm sees channels with a spread.
void fill(core::HostTensor& tensor, std::uint32_t limit) {
  core::RandomStream random(3, 5);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.set(i, random.below(limit));
  }
}

double norm_of(const core::HostTensor& tensor) {
  double norm = 0.0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    norm += tensor.at(i) * tensor.at(i);
  }
  return std::sqrt(norm);
}

/// One step of a graph on inputs that depend on their shapes alone: images below 256, labels and
/// masks below `classes`.
class GraphRun {
 public:
  GraphRun(backend::Backend& backend,
           const graph::Graph& graph,
           backend::ConvAlgorithm algorithm,
           std::uint32_t classes)
      : state_(backend, graph, 1), executor_(backend, state_, self_, graph, options(algorithm)) {
    for (const graph::ValueId id : graph.inputs()) {
      const graph::Value& value = graph.value(id);
      inputs_.emplace_back(value.dtype, value.shape);
      fill(inputs_.back(), value.shape.rank() == 4 ? 256 : classes);
      executor_.bind_input(value.name, inputs_.back().data(), inputs_.back().bytes());
    }
  }

  [[nodiscard]] exec::ModelState& state() { return state_; }
  [[nodiscard]] exec::Executor& executor() { return executor_; }
  void run() {
    executor_.run();
    executor_.synchronize();
  }

 private:
  static exec::ExecutorOptions options(backend::ConvAlgorithm algorithm) {
    exec::ExecutorOptions options;
    options.lowering.conv_algorithm = algorithm;
    options.lowering.autotune = false;
    return options;
  }

  exec::ModelState state_;
  comm::SelfCommunicator self_;
  exec::Executor executor_;
  std::vector<core::HostTensor> inputs_;
};

/// Gives running means and variances values that a wrong use of them shows: at the start they are 0
/// and 1.
void draw_statistics(exec::ModelState& state) {
  for (const auto& [name, tensor] : state.export_tensors({graph::Storage::kBuffer})) {
    core::RandomStream random(1, core::fnv1a(name));
    const double least = name.ends_with(".running_var") ? 0.5 : -0.5;
    core::HostTensor drawn = tensor.clone();
    for (std::int64_t i = 0; i < drawn.elements(); ++i) {
      drawn.set(i, least + static_cast<double>(random.uniform()));
    }
    state.write(name, drawn);
  }
}

Tensors run_graph(backend::Backend& backend,
                  const graph::Graph& graph,
                  backend::ConvAlgorithm algorithm,
                  std::uint32_t classes,
                  graph::Mode mode = graph::Mode::kTrain) {
  GraphRun step(backend, graph, algorithm, classes);
  if (mode == graph::Mode::kEvaluate) {
    draw_statistics(step.state());
  }
  step.run();
  Tensors result;
  result.emplace("loss", step.executor().read("loss"));
  result.emplace("prediction", step.executor().read("prediction"));
  for (auto& [name, tensor] : step.state().export_tensors(
           {graph::Storage::kParameter, graph::Storage::kGradient, graph::Storage::kBuffer})) {
    result.emplace(name, std::move(tensor));
  }
  return result;
}

graph::Graph up_convolution_step(core::DType precision) {
  graph::GraphBuilder b(graph::Mode::kTrain);
  const graph::ValueId image = b.add_input("image", core::DType::kU8, {2, 6, 5, 3});
  const graph::ValueId mask = b.add_input("mask", core::DType::kU8, {2, 12, 10});
  const graph::ValueId x = graph::normalize_image(b, image, "normalize", {});
  const graph::ValueId deep = graph::conv2d(b, x, "deep", {.channels_out = 19});
  const graph::ValueId up = graph::conv_transpose2d(
      b, deep, "up", {.channels_out = 24, .init = graph::WeightInit::kTorchDefault});
  const graph::ValueId left = graph::slice(b, up, "left", {.begin = 0, .extent = 16});
  const graph::ValueId right = graph::slice(b, up, "right", {.begin = 8, .extent = 16});
  const graph::ValueId sum = graph::add(b, left, graph::sigmoid(b, right, "gate"), "sum");
  const graph::ValueId head = graph::conv2d(b, sum, "head", {.channels_out = 1, .kernel = 1});
  const graph::ValueId prediction = graph::sigmoid(b, head, "prediction");
  b.mark_output("prediction", prediction);
  b.mark_output("loss", graph::dice_loss(b, prediction, mask, "loss", 1.0F));
  const graph::Graph forward = graph::mixed_precision(std::move(b).finish(), precision);
  return graph::differentiate(forward, forward.outputs().at("loss"));
}

workloads::BuiltWorkload built_of(const StepCase& test) {
  return workloads::find_workload(test.workload)
      .build({.batch_size = test.batch, .image_size = test.size}, test.mode);
}

graph::Graph graph_of(const StepCase& test) {
  const workloads::BuiltWorkload built = built_of(test);
  return test.mode == graph::Mode::kTrain
             ? workloads::training_graph(
                   workloads::find_workload(test.workload).spec(), built, test.precision)
             : workloads::evaluation_graph(built, test.precision);
}

std::uint32_t classes_of(const StepCase& test) {
  const std::int64_t classes = workloads::find_workload(test.workload).spec().classes;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(2, classes));
}

}  // namespace

Tensors run_step(backend::Backend& backend, const StepCase& test) {
  return run_graph(backend, graph_of(test), test.algorithm, classes_of(test), test.mode);
}

std::vector<std::string> parameters_whose_nan_is_lost(backend::Backend& backend,
                                                      const StepCase& test) {
  // The forward pass alone, of a training step: the loss depends on nothing else.
  const graph::Graph graph = workloads::evaluation_graph(built_of(test), test.precision);
  GraphRun step(backend, graph, test.algorithm, classes_of(test));
  step.state().save();
  std::vector<std::string> lost;
  for (const auto& [name, tensor] : step.state().export_tensors({graph::Storage::kParameter})) {
    step.state().restore();
    core::HostTensor spoilt = tensor.clone();
    // A whole filter: single taps of a wide one may lie beside a small image.
    const std::int64_t filter = tensor.elements() / tensor.shape()[0];
    for (std::int64_t index = 0; index < filter; ++index) {
      spoilt.set(index, std::numeric_limits<double>::quiet_NaN());
    }
    step.state().write(name, spoilt);
    step.run();
    if (!std::isnan(step.executor().read("loss").at(0))) {
      lost.push_back(name);
    }
  }
  return lost;
}

double relative_distance(const core::HostTensor& a, const core::HostTensor& b) {
  double difference = 0.0;
  double norm = 0.0;
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    difference += (a.at(i) - b.at(i)) * (a.at(i) - b.at(i));
    norm += b.at(i) * b.at(i);
  }
  return std::sqrt(difference / std::max(norm, 1e-300));
}

double gradient_cosine(const Tensors& a, const Tensors& b) {
  double product = 0.0;
  double norm_a = 0.0;
  double norm_b = 0.0;
  for (const auto& [name, tensor] : a) {
    if (!name.starts_with("grad/")) {
      continue;
    }
    const core::HostTensor& other = b.at(name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      product += tensor.at(i) * other.at(i);
      norm_a += tensor.at(i) * tensor.at(i);
      norm_b += other.at(i) * other.at(i);
    }
  }
  return product / std::sqrt(norm_a * norm_b);
}

void compare_with_reference(backend::Backend& backend, const StepCase& test) {
  const Tensors wanted = run_reference_step(test);
  const Tensors seen = run_step(backend, test);
  ASSERT_EQ(wanted.size(), seen.size());
  double gradient_norm = 0.0;
  for (const auto& [name, tensor] : wanted) {
    if (name.starts_with("grad/")) {
      gradient_norm = std::max(gradient_norm, norm_of(tensor));
    }
  }
  ASSERT_GT(gradient_norm, 0.0);
  for (const auto& [name, tensor] : wanted) {
    const bool gradient = name.starts_with("grad/");
    if (gradient && norm_of(tensor) < 1e-4 * gradient_norm) {
      EXPECT_LT(norm_of(seen.at(name)), 2e-4 * gradient_norm) << name;
    } else if (gradient || name == "loss" || name == "prediction" ||
               name.ends_with("running_var")) {
      EXPECT_LT(relative_distance(seen.at(name), tensor), test.tolerance) << name;
    }
  }
}

exec::TensorMap recorded_step(backend::Backend& backend, const StepCase& test) {
  const auto& workload = workloads::find_workload(test.workload);
  const workloads::BuiltWorkload built = built_of(test);
  const harness::StepInputs inputs = harness::draw_step_inputs(workload.spec(), built, 1);
  harness::StepSetup setup{
      .spec = workload.spec(), .built = built, .inputs = inputs, .precision = test.precision};
  setup.lowering.conv_algorithm = test.algorithm;
  setup.lowering.allow_tf32 = test.tf32;
  setup.lowering.autotune = false;
  setup.lowering.keep = test.keep;
  setup.lowering.decisions = test.decisions;
  return harness::record_step(backend, setup);
}

std::vector<graph::ValueId> values_done_without(const StepCase& test) {
  const graph::Graph graph = graph_of(test);
  const backend::Fusion fusion(graph, {});
  std::vector<graph::ValueId> values;
  for (const graph::Node& node : graph.nodes()) {
    if (node.outputs.empty()) {
      continue;
    }
    const graph::ValueId result = node.outputs[0];
    const backend::FusedGroup* group = fusion.group_of(node.id);
    const bool within_sum = group != nullptr && !group->summands.empty() && group->result != result;
    if (within_sum || node.op == graph::OpKind::kSlice ||
        fusion.upsampled_into_concat(result) != nullptr) {
      values.push_back(result);
    }
  }
  return values;
}

std::vector<std::string> changed_by_doing_without(backend::Backend& backend, const StepCase& test) {
  StepCase written = test;
  written.keep = values_done_without(test);
  const exec::TensorMap wanted = recorded_step(backend, written);
  std::vector<std::string> changed;
  for (const auto& [name, tensor] : recorded_step(backend, test)) {
    const core::HostTensor& other = wanted.at(name);
    if (tensor.bytes() != other.bytes() ||
        std::memcmp(tensor.data(), other.data(), tensor.bytes()) != 0) {
      changed.push_back(name);
    }
  }
  return changed;
}

std::vector<std::string> beyond_verification(const exec::TensorMap& tested,
                                             const exec::TensorMap& reference,
                                             const StepCase& test) {
  const workloads::WorkloadSpec& spec = workloads::find_workload(test.workload).spec();
  std::vector<std::string> beyond;
  for (const harness::TensorError& error :
       harness::compare_steps(tested,
                              reference,
                              spec.optimizer,
                              harness::StepTolerances::of(test.precision,
                                                          test.batch * test.size * test.size,
                                                          spec.verify_rounding,
                                                          test.tf32))) {
    if (!error.passed()) {
      beyond.push_back(fmt::format(
          "{}: error {:.2e}, at most {:.1e}", error.tensor, error.error, error.tolerance));
    }
  }
  return beyond;
}

std::vector<std::string> verification_of(backend::Backend& backend, const StepCase& test) {
  StepCase strict = test;
  strict.precision = core::DType::kF32;
  strict.tf32 = false;
  const auto reference = backend::create_backend("ref", {});
  return beyond_verification(recorded_step(backend, test), recorded_step(*reference, strict), test);
}

Tensors run_reference_step(const StepCase& test) {
  const auto reference = backend::create_backend("ref", {.threads = 2});
  return run_step(*reference, test);
}

void compare_16_bit_with_reference(backend::Backend& backend, const StepCase& test) {
  const Tensors wanted = run_reference_step(test);
  const Tensors seen = run_step(backend, test);
  EXPECT_LT(relative_distance(seen.at("loss"), wanted.at("loss")), 1e-2);
  EXPECT_LT(relative_distance(seen.at("prediction"), wanted.at("prediction")), 8e-2);
  EXPECT_GT(gradient_cosine(seen, wanted), 0.95);
}

void compare_up_convolution_with_reference(backend::Backend& backend,
                                           core::DType precision,
                                           double tolerance) {
  const auto reference = backend::create_backend("ref", {.threads = 2});
  const graph::Graph graph = up_convolution_step(precision);
  const auto algorithm = backend::ConvAlgorithm::kDirect;
  const Tensors wanted = run_graph(*reference, graph, algorithm, 2);
  const Tensors seen = run_graph(backend, graph, algorithm, 2);
  int gradients = 0;
  for (const auto& [name, tensor] : wanted) {
    if (name.starts_with("grad/")) {
      ++gradients;
      EXPECT_GT(norm_of(tensor), 0.0) << name;
      EXPECT_LT(relative_distance(seen.at(name), tensor), tolerance) << name;
    }
  }
  EXPECT_EQ(gradients, 6) << "weight and bias of three layers";
}

}  // namespace dlbench
