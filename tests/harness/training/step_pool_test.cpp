// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/training/step_pool.h"

#include "harness/verification/step_inputs.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace dlbench::harness {
namespace {

/// A drawn batch in the form in which the loader delivers one.
data::Batch make_batch(const workloads::Workload& workload,
                       const workloads::WorkloadParams& params) {
  const workloads::BuiltWorkload built = workload.build(params, graph::Mode::kTrain);
  const StepInputs inputs = draw_step_inputs(workload.spec(), built, 1);
  std::vector<data::TensorSpec> specs;
  for (const workloads::InputBinding& binding : built.inputs) {
    const core::HostTensor& tensor = inputs.at(binding.input);
    specs.push_back({.name = binding.tensor,
                     .role = binding.role,
                     .dtype = tensor.dtype(),
                     .sample_shape = core::Shape(tensor.shape().extents().subspan(1))});
  }
  data::Batch batch(specs, params.batch_size, core::default_host_allocator());
  batch.samples = params.batch_size;
  for (std::size_t index = 0; index < specs.size(); ++index) {
    const core::HostTensor& tensor = inputs.at(built.inputs[index].input);
    std::memcpy(batch.tensors()[index].data(), tensor.data(), tensor.bytes());
  }
  return batch;
}

/// Sets every running statistic to what the batch of the last step had, from the value before it
/// and the one after it: new = momentum old + (1 - momentum) batch.
void replace_statistics(exec::ModelState& state, const exec::TensorMap& before) {
  constexpr double kMomentum = 0.99;
  for (auto& [name, after] : state.export_tensors({graph::Storage::kBuffer})) {
    core::HostTensor statistics = after.clone();
    for (std::int64_t i = 0; i < after.elements(); ++i) {
      const double old = before.at(name).at(i);
      statistics.set(i, (after.at(i) - kMomentum * old) / (1.0 - kMomentum));
    }
    state.write(name, statistics);
  }
}

TEST(StepPool, EvaluateModeWithTheBatchsOwnStatisticsIsTrainMode) {
  const workloads::Workload& workload = workloads::find_workload("resunetpp");
  const workloads::WorkloadParams params{.batch_size = 4, .image_size = 32};
  const data::Batch batch = make_batch(workload, params);
  const auto backend = backend::create_backend("ref", {.threads = 1});
  StepPool steps({.workload = workload, .params = params, .backend = *backend});
  steps.state().set_scalar("learning_rate", 0.0);
  const exec::TensorMap before = steps.state().export_tensors({graph::Storage::kBuffer});
  const StepOutcome trained = steps.run(graph::Mode::kTrain, batch).front();
  const StepOutcome fresh = steps.run(graph::Mode::kEvaluate, batch).front();
  replace_statistics(steps.state(), before);
  const StepOutcome evaluated = steps.run(graph::Mode::kEvaluate, batch).front();
  // The running variance is the unbiased one: n / (n - 1) with n = 64 in the deepest layers.
  EXPECT_NEAR(evaluated.loss, trained.loss, 0.005);
  EXPECT_GT(std::abs(fresh.loss - trained.loss), 0.02);
  for (std::size_t i = 0; i < trained.counts.size(); ++i) {
    EXPECT_NEAR(evaluated.counts[i], trained.counts[i], 0.02 * 4 * 32 * 32) << i;
  }
}

}  // namespace
}  // namespace dlbench::harness
