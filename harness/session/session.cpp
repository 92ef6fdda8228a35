// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/session.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/host_allocator.h"
#include "engine/core/log.h"
#include "harness/ranks.h"
#include "harness/session/make_step.h"
#include "harness/session/plan_record.h"
#include "probes/node/process_pages.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using graph::Storage;

/// Returns the resident set of this process in bytes, after returning memory that was freed but
/// kept by the C library (for example buffers for trying kernels).
std::int64_t resident_bytes() {
  core::release_free_memory();
  return probes::read_process_pages().resident * sysconf(_SC_PAGESIZE);
}

}  // namespace

Session::Session(SessionPlan& plan) : plan_(plan), stream_(plan.backend().create_stream()) {
  const std::int64_t before = resident_bytes();
  communicator_ = make_communicator(plan);
  compressed_ = dynamic_cast<comm::CompressedCommunicator*>(communicator_.get());
  core::log::progress("choosing kernels");
  std::vector<Storage> shared = {Storage::kGradient};
  if (plan.single_root()) {
    shared.push_back(Storage::kParameter);
  }
  state_ = std::make_unique<exec::ModelState>(plan.backend(),
                                              plan.training_graph(),
                                              plan.options().seed,
                                              communicator_.get(),
                                              std::move(shared));
  make_step();
  state_->broadcast_all();
  // A mean over this rank's samples is weighted by their number; the ratio of global sums is the
  // whole loss on every rank.
  const BatchShare& batch = plan.batch();
  state_->set_scalar("loss_gradient",
                     plan.reduction().sync_loss
                         ? 1.0
                         : static_cast<double>(batch.local) / static_cast<double>(batch.global));
  if (state_->contains("first_sample")) {
    state_->set_scalar("first_sample", static_cast<double>(batch.first));
  }
  state_->save();
  together(plan.ranks(), [&] {
    loader_ = std::make_unique<data::PrefetchLoader>(plan.dataset(), plan.loader_options());
    cached_ = loader_->next();
    DLBENCH_CHECK(static_cast<bool>(cached_)) << "an endless loader ended";
    loader_->stop();
  });
  if (plan.single_root()) {
    make_root_exchange();
  }
  core::log::progress("");
  rss_growth_bytes_ = resident_bytes() - before;
}

MemoryNeed Session::memory_need() const {
  const auto held = [this](Storage storage) {  // with the gaps between tensors
    return static_cast<std::int64_t>(state_->bytes(storage));
  };
  MemoryNeed need = need_of_plan(plan_.backend(), step_->graph(), step_->plan());
  need.parameters = held(Storage::kParameter) + held(Storage::kBuffer);
  need.gradients = held(Storage::kGradient);
  need.optimizer = held(Storage::kOptimizerState);
  need.saved_state = need.parameters + need.gradients + need.optimizer;
  return plan_.need_beside(need, plan_.batch_size());
}

void Session::make_root_exchange() {
  std::vector<std::size_t> first_samples;
  first_samples.reserve(static_cast<std::size_t>(plan_.ranks().size()));
  for (int rank = 0; rank < plan_.ranks().size(); ++rank) {
    first_samples.push_back(static_cast<std::size_t>(
        share_batch(plan_.batch().local, plan_.batch().global, rank, plan_.ranks().size()).first));
  }
  first_samples.push_back(static_cast<std::size_t>(plan_.batch().global));
  root_inputs_ = std::make_unique<RootInputs>(
      plan_.built().inputs, *cached_, first_samples, *communicator_, plan_.backend());
  root_outputs_ =
      std::make_unique<RootOutputs>(*step_, first_samples, *communicator_, plan_.backend());
  step_->set_update(communicator_->rank() == 0);
}

std::optional<double> Session::measure_compression_error() {
  if (compressed_ == nullptr) {
    return std::nullopt;
  }
  state_->restore();
  double error = 0.0;
  bool skipped = true;
  while (skipped) {  // of the first step that updates: an overflow says nothing of rounding
    const auto before = loss_scaling_record(*state_);
    bind(*cached_);
    compressed_->measure_error(true);
    step_->run_profiled();  // node by node: a replayed step would not pass by here
    compressed_->measure_error(false);
    error = compressed_->take_relative_error();
    skipped = before.has_value() && before->loss_scale >= 1.0 &&
              loss_scaling_record(*state_, before->skipped_steps)->skipped_steps > 0;
  }
  return error;
}

void Session::make_step() {
  const auto lower = [&](const backend::LoweringOptions& options) {
    step_ = std::make_unique<exec::Executor>(
        plan_.backend(),
        *state_,
        *communicator_,
        plan_.training_graph(),
        exec::ExecutorOptions{.lowering = options,
                              .replay = plan_.options().cuda_graph,
                              .watch = {std::string(workloads::kLossOutput)},
                              .broadcast_buffers = plan_.options().broadcast_buffers});
    return step_->lowered().decisions;
  };
  lower_together(plan_.ranks(), plan_.lowering(), plan_.batch().local, false, lower);
  if (plan_.ranks().size() > 1) {
    check_same_plan();
  }
}

void Session::check_same_plan() {
  const std::string mine = std::to_string(step_->plan().hash);
  const BatchShare& batch = plan_.batch();
  const bool even = batch.global % plan_.ranks().size() == 0;  // else shapes differ by a sample
  const std::string first = plan_.ranks().broadcast_text(mine);
  together(plan_.ranks(), [&] {
    if (even && first != mine) {
      throw Error(ErrorCode::kUnavailable,
                  "this rank's plan of the step differs from rank 0's: are options, build and "
                  "libraries the same on all nodes?");
    }
  });
}

void Session::scatter_batch(const data::Batch& batch) {
  root_inputs_->scatter(batch, *step_);
  state_->broadcast_parameters();
}

float Session::gather_outputs(float own_loss) {
  root_outputs_->gather();
  const BatchShare& batch = plan_.batch();
  float loss = own_loss * static_cast<float>(batch.local) / static_cast<float>(batch.global);
  communicator_->reduce(
      {.data = reinterpret_cast<std::byte*>(&loss), .count = 1, .dtype = core::DType::kF32},
      0,
      *stream_);
  return loss;
}

void Session::bind(const data::Batch& batch) {
  const BatchShare& share = plan_.batch();
  const bool part = plan_.single_root();
  for (const workloads::InputBinding& binding : plan_.built().inputs) {
    const data::BatchTensor& tensor = batch.tensor(binding.tensor);
    const std::size_t row_bytes = tensor.spec().row_bytes();
    const auto rows = static_cast<std::size_t>(part ? share.local : batch.samples);
    const auto first = static_cast<std::size_t>(part ? share.first : 0);
    step_->bind_input(binding.input, tensor.data() + first * row_bytes, rows * row_bytes);
  }
}

}  // namespace dlbench::harness
