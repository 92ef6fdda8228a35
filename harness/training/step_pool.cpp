// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/training/step_pool.h"

#include "engine/comm/device_watch.h"
#include "engine/core/check.h"
#include "engine/core/log.h"
#include "harness/session/make_step.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace dlbench::harness {

StepPool::StepPool(StepPoolOptions options)
    : options_(std::move(options)),
      params_(workloads::choose_params(options_.workload.spec(), options_.params)),
      communicator_(options_.ranks.communicator == nullptr ? self_ : *options_.ranks.communicator),
      state_(options_.backend,
             graph_of(options_.workload.build(params_, graph::Mode::kTrain), graph::Mode::kTrain),
             options_.seed,
             &communicator_) {}

StepPool::~StepPool() {
  if (flights_.empty()) {
    return;
  }
  try {
    running_->executor->synchronize();
  } catch (const std::exception&) {
    // What went wrong with the device was already thrown.
  }
}

graph::Graph StepPool::graph_of(const workloads::BuiltWorkload& built, graph::Mode mode) const {
  return mode == graph::Mode::kTrain
             ? workloads::training_graph(
                   options_.workload.spec(), built, options_.precision, options_.ranks.reduction)
             : workloads::evaluation_graph(built, options_.precision, options_.ranks.reduction);
}

StepPool::Step& StepPool::step_for(graph::Mode mode, std::int64_t samples) {
  const auto found = steps_.find({mode, samples});
  if (found != steps_.end()) {
    return found->second;
  }
  DLBENCH_CHECK(alone()) << "no step for " << samples << " samples was prepared on all ranks";
  return make_step(mode, samples, options_.lowering);
}

StepPool::Step& StepPool::make_step(graph::Mode mode,
                                    std::int64_t samples,
                                    const backend::LoweringOptions& lowering) {
  workloads::WorkloadParams params = params_;
  params.batch_size = samples;
  Step step{.built = options_.workload.build(params, mode), .executor = nullptr};
  step.executor = std::make_unique<exec::Executor>(
      options_.backend,
      state_,
      communicator_,
      graph_of(step.built, mode),
      exec::ExecutorOptions{
          .lowering = lowering,
          .replay = options_.replay,
          .watch = {std::string(workloads::kLossOutput), std::string(workloads::kCountsOutput)},
          .broadcast_buffers = mode == graph::Mode::kTrain && options_.ranks.broadcast_buffers,
          .shares_arena_with = largest()});
  if (on_new_step) {
    on_new_step(*step.executor, samples);
  }
  return steps_.insert_or_assign(std::pair(mode, samples), std::move(step)).first->second;
}

const exec::Executor* StepPool::largest() const {
  const exec::Executor* largest = nullptr;
  for (const auto& [key, step] : steps_) {
    if (largest == nullptr || step.executor->plan().peak_bytes > largest->plan().peak_bytes) {
      largest = step.executor.get();
    }
  }
  return largest;
}

void StepPool::prepare(graph::Mode mode, std::int64_t samples) {
  if (alone()) {
    if (samples > 0) {
      step_for(mode, samples);
    }
    return;
  }
  const auto lower = [&](const backend::LoweringOptions& options) {
    if (samples == 0) {
      return std::map<std::string, std::string>{};
    }
    const auto found = steps_.find({mode, samples});
    const Step& step = found != steps_.end() ? found->second : make_step(mode, samples, options);
    return step.executor->lowered().decisions;
  };
  lower_together(*options_.ranks.rendezvous,
                 options_.lowering,
                 samples,
                 steps_.contains({mode, samples}),
                 lower);
}

void StepPool::prepare(graph::Mode mode, std::int64_t samples, std::int64_t last) {
  prepare(mode, samples);
  prepare(mode, last);
  const bool communicates = mode == graph::Mode::kTrain || options_.ranks.reduction.sync_loss;
  if (alone() || !communicates) {
    alike_.insert(mode);
    return;
  }
  // A rank for which both are the same step makes it more often than the others make theirs, and a
  // rank without samples makes none.
  enum Kind : std::int8_t { kOne, kTwo, kNone };
  const Kind kind = last == 0 ? kNone : samples == last ? kOne : kTwo;
  const std::vector<Kind> kinds = options_.ranks.rendezvous->all_gather(kind);
  if (kind != kNone && std::count(kinds.begin(), kinds.end(), kind) == communicator_.size()) {
    alike_.insert(mode);
  } else if (options_.replay == exec::GraphReplay::kOn) {
    core::log::warn_once(
        "--cuda-graph on: batches that do not divide by the ranks run node by "
        "node, for not all ranks would record them at once");
  }
}

// Either all ranks record a collective or none does (NCCL requires it), and each rank records a
// step once it has made it often enough.
bool StepPool::may_record(graph::Mode mode, const data::Batch& batch) const {
  return alike_.contains(mode) || batch.samples * communicator_.size() == batch.global_samples;
}

// Returns the weight of this rank's part of the global batch, and which of its samples it has.
StepPool::Share StepPool::share_of(const data::Batch& batch) const {
  return {.loss_gradient =
              options_.ranks.reduction.sync_loss
                  ? 1.0
                  : static_cast<double>(batch.samples) / static_cast<double>(batch.global_samples),
          .first_sample = static_cast<double>(batch.global_row)};
}

void StepPool::take_share(const Share& share) {
  state_.set_scalar("loss_gradient", share.loss_gradient);
  if (state_.contains("first_sample")) {
    state_.set_scalar("first_sample", share.first_sample);
  }
  share_ = share;
}

// Those sums belong to the forward pass that other ranks are making for their batch.
void StepPool::run_without_samples() {
  DLBENCH_CHECK(flights_.empty());
  if (!options_.ranks.reduction.sync_loss) {
    return;
  }
  workloads::WorkloadParams params = params_;
  params.batch_size = 1;
  const graph::Graph graph =
      graph_of(options_.workload.build(params, graph::Mode::kEvaluate), graph::Mode::kEvaluate);
  const auto stream = options_.backend.create_stream();
  for (const graph::Node& node : graph.nodes()) {
    if (node.op != graph::OpKind::kAllReduceStart) {
      continue;
    }
    const graph::Value& sums = graph.value(node.inputs.front());
    const auto count = static_cast<std::size_t>(sums.shape.elements());
    const auto nothing = options_.backend.allocate(count * core::size_of(sums.dtype));
    stream->fill_zero(nothing->data(), nothing->bytes());
    comm::watched(communicator_, [&] {
      communicator_.all_reduce(
          {.data = nothing->data(), .count = count, .dtype = sums.dtype, .lossless = true},
          *stream);
      stream->synchronize();
    });
  }
}

std::vector<StepOutcome> StepPool::run(graph::Mode mode,
                                       const data::Batch& batch,
                                       data::BatchLease lease) {
  Step& step = step_for(mode, batch.samples);
  std::vector<StepOutcome> told;
  // All steps share the state, and each kind enqueues on its own stream.
  const bool takes_share = mode == graph::Mode::kTrain && !alone() && share_ != share_of(batch);
  if (&step != running_ || takes_share) {
    told = drain();
  } else if (step.executor->steps_in_flight() == exec::StepRing::kInFlight) {
    tell(true, told);
  }
  running_ = &step;
  if (takes_share) {
    take_share(share_of(batch));
  }
  flights_.push_back({.lease = std::move(lease), .samples = batch.samples});
  for (const workloads::InputBinding& binding : step.built.inputs) {
    const data::BatchTensor& tensor = batch.tensor(binding.tensor);
    const auto rows = static_cast<std::size_t>(batch.samples);
    step.executor->bind_input(binding.input, tensor.data(), rows * tensor.spec().row_bytes());
  }
  step.executor->set_replay(may_record(mode, batch));
  step.executor->run();
  while (tell(false, told)) {
  }
  return told;
}

bool StepPool::replays() const { return running_ != nullptr && running_->executor->replays(); }

std::vector<StepOutcome> StepPool::drain() {
  std::vector<StepOutcome> told;
  while (tell(true, told)) {
  }
  return told;
}

bool StepPool::tell(bool wait, std::vector<StepOutcome>& told) {
  const std::optional<exec::FinishedStep> done = flights_.empty() ? std::nullopt
                                                 : wait           ? running_->executor->await_step()
                                                                  : running_->executor->poll_step();
  if (!done.has_value()) {
    return false;
  }
  told.push_back({.loss = done->watched.front(),
                  .counts = {done->watched.begin() + 1, done->watched.end()},
                  .samples = flights_.front().samples});
  flights_.pop_front();
  return true;
}

}  // namespace dlbench::harness
