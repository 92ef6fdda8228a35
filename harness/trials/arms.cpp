// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communicator.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "harness/session/plan_record.h"
#include "harness/session/run_guard.h"
#include "harness/session/session.h"
#include "harness/trials/arm.h"
#include "harness/trials/interference_arms.h"
#include "harness/trials/loader_arms.h"
#include "harness/trials/step_pipeline.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using reports::TrialKind;

// If the host cannot see when ranks reach a collective (GPUs), uses the steps' waits instead.
Communication take_from(Session& session, StepPipeline& steps) {
  comm::Communicator& communicator = session.communicator();
  Communication taken{.totals = communicator.take_totals(),
                      .ahead_s = communicator.take_arrivals()};
  std::vector<double> waits = steps.take_waits();
  if (taken.totals.collectives == 0 && session.step().communicates()) {
    taken.ahead_s = std::move(waits);
  }
  return taken;
}

class FullArm final : public LoaderArm {
 public:
  FullArm(TrialId id, Session& session) : LoaderArm(std::move(id), session), steps_(session) {}

  void prepare() override {
    steps_.reset();
    session().state().restore();
    start_loader();
  }
  std::optional<StepSample> step() override {
    Taken taken = take();
    const data::Batch& batch = taken.lease ? *taken.lease : session().cached_batch();
    return steps_.step(
        {.batch = &batch, .lease = std::move(taken.lease), .data_wait_s = taken.wait_s});
  }
  std::optional<StepSample> drain() override { return steps_.drain(); }
  void finish() override {
    LoaderArm::finish();
    steps_.check_parameters();
  }
  Communication take_communication() override { return take_from(session(), steps_); }
  [[nodiscard]] std::optional<reports::LossScalingRecord> loss_scaling() const override {
    return loss_scaling_record(session().state());
  }
  [[nodiscard]] PhaseTotals phases() const override { return steps_.totals(); }
  [[nodiscard]] std::optional<bool> replays() const override { return steps_.replays(); }

 protected:
  void reset_counts() override {
    steps_.reset();
    LoaderArm::reset_counts();
  }

 private:
  StepPipeline steps_;
};

class SyntheticArm final : public Arm {
 public:
  SyntheticArm(TrialId id, Session& session)
      : Arm(std::move(id)), session_(session), steps_(session) {}

  void prepare() override {
    steps_.reset();
    session_.state().restore();
    session_.step().set_communication(id().variant != "nocomm");
    if (stays_on_device()) {
      session_.bind(session_.cached_batch());
    }
  }
  std::optional<StepSample> step() override {
    return steps_.step({.batch = &session_.cached_batch(), .copies = !stays_on_device()});
  }
  std::optional<StepSample> drain() override { return steps_.drain(); }
  void finish() override {
    session_.step().set_communication(true);
    steps_.check_parameters();
  }
  Communication take_communication() override { return take_from(session_, steps_); }
  [[nodiscard]] std::optional<reports::LossScalingRecord> loss_scaling() const override {
    return loss_scaling_record(session_.state());
  }
  [[nodiscard]] PhaseTotals phases() const override { return steps_.totals(); }
  [[nodiscard]] std::optional<bool> replays() const override { return steps_.replays(); }

 private:
  // Only the host variant exists for the copy. If the device reads host memory there is no copy,
  // and the batch is bound anew for each step.
  [[nodiscard]] bool stays_on_device() const {
    return !session_.plan().backend().reads_host_memory() && id().variant != "host";
  }

  Session& session_;
  StepPipeline steps_;
};

}  // namespace

void PhaseTotals::add(const PhaseTotals& other) {
  data_wait += other.data_wait;
  host_to_device += other.host_to_device;
  for (std::size_t phase = 0; phase < engine.size(); ++phase) {
    engine[phase] += other.engine[phase];
  }
  steps += other.steps;
}

void Arm::step_untimed(std::int64_t steps) {
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t made = 0; made < steps; ++made) {
    const bool told = step().has_value();
    // A device may still be working on it when the last one was started.
    if (!untimed_first_step_s_.has_value() &&
        (told || (made + 1 == steps && drain().has_value()))) {
      untimed_first_step_s_ = core::seconds_since(start);
    }
    RunGuard::check_current();
  }
}

std::string why_impossible(const TrialId& id, int ranks) {
  if (id.kind == TrialKind::kInterference && ranks > 1) {
    return "the arms of this trial make different numbers of steps, so it runs on one rank";
  }
  if (id.variant == "nocomm" && ranks == 1) {
    return "there is one rank, so there is no communication to leave out";
  }
  return {};
}

std::unique_ptr<Arm> make_arm(const TrialId& id, Session& session) {
  if (const std::string reason = why_impossible(id, session.communicator().size());
      !reason.empty()) {
    throw Error(ErrorCode::kUnavailable, reason);
  }
  switch (id.kind) {
    case TrialKind::kIo:
      return std::make_unique<IoArm>(id, session);
    case TrialKind::kFull:
      return std::make_unique<FullArm>(id, session);
    case TrialKind::kInterference:
      return make_interference_arm(id, session);
    case TrialKind::kSynthetic:
      break;
  }
  return std::make_unique<SyntheticArm>(id, session);
}

}  // namespace dlbench::harness
