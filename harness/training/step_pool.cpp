// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/training/step_pool.h"

#include "harness/trials/plan_record.h"

namespace dlbench::harness {

StepPool::StepPool(const workloads::Workload& workload,
                   const workloads::WorkloadParams& params,
                   core::DType precision,
                   backend::Backend& backend,
                   const backend::LoweringOptions& lowering,
                   std::uint64_t seed)
    : workload_(workload),
      params_(workloads::choose_params(workload.spec(), params)),
      precision_(precision),
      backend_(backend),
      lowering_(lowering),
      state_(backend,
             graph_of(workload.build(params_, graph::Mode::kTrain), graph::Mode::kTrain),
             seed) {}

graph::Graph StepPool::graph_of(const workloads::BuiltWorkload& built, graph::Mode mode) const {
  return mode == graph::Mode::kTrain
             ? workloads::training_graph(workload_.spec(), built, precision_)
             : workloads::evaluation_graph(built, precision_);
}

StepPool::Step& StepPool::step_for(graph::Mode mode, std::int64_t samples) {
  const auto found = steps_.find({mode, samples});
  if (found != steps_.end()) {
    return found->second;
  }
  workloads::WorkloadParams params = params_;
  params.batch_size = samples;
  Step step{.built = workload_.build(params, mode), .executor = nullptr};
  step.executor = std::make_unique<exec::Executor>(backend_,
                                                   state_,
                                                   communicator_,
                                                   graph_of(step.built, mode),
                                                   exec::ExecutorOptions{.lowering = lowering_});
  if (on_new_step) {
    on_new_step(plan_record(*step.executor, samples));
  }
  return steps_.emplace(std::pair(mode, samples), std::move(step)).first->second;
}

StepOutcome StepPool::run(graph::Mode mode, const data::Batch& batch) {
  Step& step = step_for(mode, batch.samples);
  for (const workloads::InputBinding& binding : step.built.inputs) {
    const data::BatchTensor& tensor = batch.tensor(binding.tensor);
    const auto rows = static_cast<std::size_t>(batch.samples);
    step.executor->bind_input(binding.input, tensor.data(), rows * tensor.spec().row_bytes());
  }
  step.executor->run();
  step.executor->synchronize();
  StepOutcome outcome;
  outcome.loss = step.executor->read_scalar(workloads::kLossOutput);
  const core::HostTensor counts = step.executor->read(workloads::kCountsOutput);
  for (std::int64_t index = 0; index < counts.elements(); ++index) {
    outcome.counts.push_back(counts.at(index));
  }
  return outcome;
}

}  // namespace dlbench::harness
