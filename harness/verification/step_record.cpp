// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/verification/step_record.h"

#include "engine/comm/self.h"
#include "engine/core/error.h"
#include "engine/exec/checkpoint.h"
#include "engine/exec/executor.h"

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

using exec::TensorMap;
using graph::Storage;

void add_with_prefix(TensorMap& target, const std::string& prefix, TensorMap&& source) {
  for (auto& [name, tensor] : source) {
    target.emplace(prefix + name, std::move(tensor));
  }
}

/// A copy; masks, which lie as N H W, as N 1 H W.
core::HostTensor with_channel_axis(const core::HostTensor& tensor) {
  if (tensor.shape().rank() != 3) {
    return tensor.clone();
  }
  core::HostTensor mask(tensor.dtype(),
                        {tensor.shape()[0], 1, tensor.shape()[1], tensor.shape()[2]});
  std::memcpy(mask.data(), tensor.data(), tensor.bytes());
  return mask;
}

/// Runs the step. A loss scale begins high and falls step by step until the gradients are finite:
/// the record is that of the first step that updates, from the state of the beginning.
void run_until_updated(exec::Executor& executor, exec::ModelState& state) {
  const bool scales = state.contains("loss_scale");
  if (scales) {
    state.save();
  }
  executor.run();
  executor.synchronize();
  while (scales && state.scalar("skipped_steps") > 0.0) {
    const double scale = state.scalar("loss_scale");
    const float loss = executor.read_scalar(workloads::kLossOutput);
    if (scale < 1.0 || !std::isfinite(loss)) {
      throw core::Error(core::ErrorCode::kRun,
                        "no loss scale down to 1 makes the gradients finite; the loss is " +
                            std::to_string(loss) + ": choose another precision");
    }
    state.restore();
    state.set_scalar("loss_scale", scale);
    executor.run();
    executor.synchronize();
  }
}

}  // namespace

TensorMap record_step(backend::Backend& backend, const StepSetup& setup) {
  const graph::Graph graph = workloads::training_graph(setup.spec, setup.built, setup.precision);
  exec::ModelState state(backend, graph, setup.seed);
  if (setup.init.has_value()) {
    exec::load_checkpoint(state, *setup.init);
  }

  exec::ExecutorOptions options;
  options.lowering = setup.lowering;
  for (const workloads::InputBinding& binding : setup.built.inputs) {
    if (binding.network_value != binding.input) {
      options.lowering.keep.push_back(graph.find(binding.network_value).value());
    }
  }
  comm::SelfCommunicator communicator;
  exec::Executor executor(backend, state, communicator, graph, options);
  for (const auto& [name, tensor] : setup.inputs) {
    executor.bind_input(name, tensor.data(), tensor.bytes());
  }

  TensorMap record;
  add_with_prefix(record,
                  "before/",
                  state.export_tensors({Storage::kParameter, Storage::kBuffer, Storage::kScalar}));
  run_until_updated(executor, state);
  for (const workloads::InputBinding& binding : setup.built.inputs) {
    const bool is_input = binding.network_value == binding.input;
    record.emplace("input/" + binding.tensor,
                   is_input ? with_channel_axis(setup.inputs.at(binding.input))
                            : executor.read(graph.find(binding.network_value).value()));
  }
  // f32 also where the network computes in 16 bits: other frameworks read it as it is.
  record.emplace("output/prediction",
                 executor.read(workloads::kPredictionOutput).to(core::DType::kF32));
  record.emplace("loss", executor.read(workloads::kLossOutput));
  add_with_prefix(record, "", state.export_tensors({Storage::kGradient}));
  add_with_prefix(record, "after/", state.export_tensors({Storage::kParameter, Storage::kBuffer}));
  return record;
}

}  // namespace dlbench::harness
