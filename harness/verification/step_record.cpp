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
#include <vector>

namespace dlbench::harness {
namespace {

using exec::TensorMap;
using graph::Storage;

/// Returns a copy; masks with layout N H W become N 1 H W.
core::HostTensor with_channel_axis(const core::HostTensor& tensor) {
  if (tensor.shape().rank() != 3) {
    return tensor.clone();
  }
  core::HostTensor mask(tensor.dtype(),
                        {tensor.shape()[0], 1, tensor.shape()[1], tensor.shape()[2]});
  std::memcpy(mask.data(), tensor.data(), tensor.bytes());
  return mask;
}

exec::ExecutorOptions options_of(const StepSetup& setup,
                                 const graph::Graph& graph,
                                 exec::GraphReplay replay) {
  exec::ExecutorOptions options;
  options.lowering = setup.lowering;
  options.replay = replay;
  for (const workloads::InputBinding& binding : setup.built.inputs) {
    if (binding.network_value != binding.input) {
      options.lowering.keep.push_back(graph.find(binding.network_value).value());
    }
  }
  return options;
}

/// Initializes the state before kernels are chosen, which may take a while.
exec::ModelState& initialized(exec::ModelState& state, const StepSetup& setup) {
  if (setup.init.has_value()) {
    exec::load_checkpoint(state, *setup.init);
  }
  return state;
}

/// A model, its training step and the batch that it works on.
class Recorder {
 public:
  Recorder(backend::Backend& backend, const StepSetup& setup, exec::GraphReplay replay)
      : setup_(setup),
        graph_(workloads::training_graph(setup.spec, setup.built, setup.precision)),
        state_(backend, graph_, setup.seed),
        executor_(backend,
                  initialized(state_, setup),
                  communicator_,
                  graph_,
                  options_of(setup, graph_, replay)) {
    for (const auto& [name, tensor] : setup.inputs) {
      executor_.bind_input(name, tensor.data(), tensor.bytes());
    }
  }

  [[nodiscard]] TensorMap first_step() {
    TensorMap record;
    add_state(record, "before/", {Storage::kParameter, Storage::kBuffer, Storage::kScalar});
    run_first();
    for (const workloads::InputBinding& binding : setup_.built.inputs) {
      const bool is_input = binding.network_value == binding.input;
      record.emplace("input/" + binding.tensor,
                     is_input ? with_channel_axis(setup_.inputs.at(binding.input))
                              : executor_.read(graph_.find(binding.network_value).value()));
    }
    // f32 even if the network computes in 16 bits, so that other frameworks can read it directly.
    record.emplace("output/prediction",
                   executor_.read(workloads::kPredictionOutput).to(core::DType::kF32));
    record.emplace("loss", executor_.read(workloads::kLossOutput));
    add_state(record, "", {Storage::kGradient});
    add_state(record, "after/", {Storage::kParameter, Storage::kBuffer});
    return record;
  }

  /// Records the last of `more` steps.
  [[nodiscard]] TensorMap later_step(int more) {
    const std::vector<Storage> updated{Storage::kParameter, Storage::kOptimizerState};
    for (int step = 1; step < more; ++step) {
      run_on();
    }
    TensorMap record;
    add_state(record, "before/", updated);
    run_on();
    add_state(record, "", {Storage::kGradient});
    add_state(record, "after/", updated);
    return record;
  }

  [[nodiscard]] bool replays() const { return executor_.replays(); }

 private:
  void add_state(TensorMap& record,
                 const std::string& prefix,
                 const std::vector<Storage>& kinds) const {
    for (auto& [name, tensor] : state_.export_tensors(kinds)) {
      record.emplace(prefix + name, std::move(tensor));
    }
  }

  void run() {
    executor_.run();
    executor_.synchronize();
  }

  /// Checks the scale after a skipped step lowered it.
  void check_scale() {
    const float loss = executor_.read_scalar(workloads::kLossOutput);
    if (state_.scalar("loss_scale") < 1.0 || !std::isfinite(loss)) {
      throw core::Error(core::ErrorCode::kRun,
                        "no loss scale down to 1 makes the gradients finite; the loss is " +
                            std::to_string(loss) + ": choose another precision");
    }
  }

  [[nodiscard]] double skipped_steps() const {
    return state_.contains("skipped_steps") ? state_.scalar("skipped_steps") : 0.0;
  }

  /// Runs the recorded first step. A loss scale starts high and falls until the gradients are
  /// finite, so this is the first step that updates, from the initial state.
  void run_first() {
    const bool scales = state_.contains("loss_scale");
    if (scales) {
      state_.save();
    }
    run();
    while (skipped_steps() > 0.0) {
      check_scale();
      const double scale = state_.scalar("loss_scale");
      state_.restore();
      state_.set_scalar("loss_scale", scale);
      run();
    }
  }

  /// Runs the next step that updates.
  void run_on() {
    double skipped = skipped_steps();
    run();
    while (skipped_steps() > skipped) {
      check_scale();
      skipped = skipped_steps();
      run();
    }
  }

  const StepSetup& setup_;
  graph::Graph graph_;
  exec::ModelState state_;
  comm::SelfCommunicator communicator_;
  exec::Executor executor_;
};

}  // namespace

StepRecord record_steps(backend::Backend& backend, const StepSetup& setup, int more) {
  Recorder recorder(backend, setup, exec::GraphReplay::kAuto);
  StepRecord record;
  record.first = recorder.first_step();
  record.later = recorder.later_step(more);
  record.replayed = recorder.replays();
  return record;
}

TensorMap record_step(backend::Backend& backend, const StepSetup& setup) {
  return Recorder(backend, setup, exec::GraphReplay::kOff).first_step();
}

}  // namespace dlbench::harness
