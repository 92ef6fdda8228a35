// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/step_pipeline.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "harness/faults/injected_fault.h"
#include "harness/faults/non_finite_loss.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

StepPipeline::~StepPipeline() {
  if (started_ == totals_.steps) {
    return;
  }
  try {
    session_.step().synchronize();
  } catch (const std::exception&) {
    // What went wrong with the device was already thrown.
  }
}

void StepPipeline::reset() {
  while (drain().has_value()) {
  }
  while (session_.step().await_step().has_value()) {  // of another pipeline
  }
  for (Flight& flight : flights_) {
    flight.lease.release();
  }
  started_ = 0;
  totals_ = {};
  comm::losses_seen(seen_, seen_);
}

// A single root needs the loss of each step before the next one.
bool StepPipeline::in_step_with_others() const {
  return session_.plan().single_root() && session_.step().communicates();
}

std::optional<StepSample> StepPipeline::step(StepInput input) {
  const bool full = session_.step().steps_in_flight() == exec::StepRing::kInFlight;
  std::optional<StepSample> told = full ? tell(true) : std::nullopt;
  start(std::move(input));
  return told.has_value() ? told : tell(in_step_with_others());
}

void StepPipeline::start(StepInput input) {
  if (inject_fault(session_.communicator().rank())) {
    session_.step().synchronize();  // steps on their way had finite parameters
    poison_parameters(session_.state());
  }
  exec::Executor& step = session_.step();
  Flight& flight = flights_[static_cast<std::size_t>(started_) % flights_.size()];
  flight = {.lease = std::move(input.lease),
            .samples =
                session_.plan().single_root() ? session_.plan().batch_size() : input.batch->samples,
            .data_wait_s = input.data_wait_s,
            .scatter_s = 0.0,
            .copies = input.copies || in_step_with_others()};
  ++started_;
  comm::losses_seen(seen_, seen_ + started_ - totals_.steps);
  if (in_step_with_others()) {
    const auto begin = Clock::now();
    session_.scatter_batch(*input.batch);
    flight.scatter_s = core::seconds_since(begin);
  } else if (input.copies) {
    session_.bind(*input.batch);
  }
  step.run();
}

std::optional<StepSample> StepPipeline::tell(bool wait) {
  const std::optional<exec::FinishedStep> done =
      wait ? session_.step().await_step() : session_.step().poll_step();
  if (!done.has_value()) {
    return std::nullopt;
  }
  const bool first = totals_.steps == 0;  // before it the device did something else
  Flight& flight = flights_[static_cast<std::size_t>(totals_.steps) % flights_.size()];
  flight.lease.release();
  totals_.data_wait +=
      first ? flight.data_wait_s : std::min(flight.data_wait_s, done->idle_s.value_or(0.0));
  if (flight.copies) {  // else that is the launch of the step
    totals_.host_to_device += done->inputs_s;
  }
  for (std::size_t phase = 0; phase < totals_.engine.size(); ++phase) {
    totals_.engine[phase] += done->phases[phase];
  }
  constexpr auto kAllReduce = static_cast<std::size_t>(graph::Phase::kAllReduce);
  waits_.add(done->phases[kAllReduce]);
  double& communication_s = totals_.engine[kAllReduce];
  communication_s += flight.scatter_s;
  const float loss = done->watched.front();
  if (in_step_with_others()) {
    const auto begin = Clock::now();
    static_cast<void>(session_.gather_outputs(loss));
    communication_s += core::seconds_since(begin);
  }
  totals_.steps += 1;
  if (!std::isfinite(loss)) {
    throw NonFiniteLoss("the loss is " + std::to_string(loss) + " after " +
                        std::to_string(totals_.steps) + " steps of a repetition; " + remedy());
  }
  ++seen_;
  comm::losses_seen(seen_, seen_ + started_ - totals_.steps);
  return StepSample{
      .samples = flight.samples, .step_s = first ? std::nullopt : done->total_s(), .loss = loss};
}

std::string StepPipeline::remedy() const {
  const bool wide = session_.plan().compute_dtype() == core::DType::kF32;
  return std::string("try ") + (wide ? "" : "--precision fp32, ") +
         "another --seed, or --conv-algorithm direct";
}

std::optional<bool> StepPipeline::replays() const {
  return session_.plan().backend().reads_host_memory() ? std::nullopt
                                                       : std::optional(session_.step().replays());
}

void StepPipeline::check_parameters() const {
  session_.plan().ranks().barrier();
  if (const std::string name = session_.state().find_not_finite(); !name.empty()) {
    throw core::Error(core::ErrorCode::kRun,
                      "after " + std::to_string(totals_.steps) + " steps of a repetition '" + name +
                          "' is not finite; " + remedy());
  }
}

}  // namespace dlbench::harness
