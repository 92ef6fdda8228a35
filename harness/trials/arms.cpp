// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communicator.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/trace.h"
#include "harness/session/plan_record.h"
#include "harness/session/run_guard.h"
#include "harness/session/session.h"
#include "harness/trials/arm.h"
#include "harness/trials/interference_arms.h"
#include "harness/trials/step_pipeline.h"

#include <chrono>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using reports::TrialKind;
namespace trace = core::trace;
using Clock = std::chrono::steady_clock;

// After a repetition, so that it costs no step anything. Gradients carry what one rank's loss was
// to the parameters of all: the ranks meet before, so that the one with the loss has spoken.
void check_parameters(Session& session, std::int64_t steps) {
  session.plan().ranks().barrier();
  if (const std::string name = session.state().find_not_finite(); !name.empty()) {
    throw Error(ErrorCode::kRun,
                "after " + std::to_string(steps) + " steps of a repetition '" + name +
                    "' is not finite; try another --seed, or --conv-algorithm direct");
  }
}

Communication take_from(comm::Communicator& communicator) {
  return {.totals = communicator.take_totals(), .ahead_s = communicator.take_arrivals()};
}

// Reads one byte of every cache line, as a consumer of the batch would at least do.
void touch(const data::Batch& batch) {
  constexpr std::size_t kCacheLine = 64;
  unsigned sum = 0;
  for (const data::BatchTensor& tensor : batch.tensors()) {
    const std::byte* bytes = tensor.data();
    const std::size_t size = tensor.spec().row_bytes() * static_cast<std::size_t>(batch.samples);
    for (std::size_t offset = 0; offset < size; offset += kCacheLine) {
      sum += std::to_integer<unsigned>(bytes[offset]);
    }
  }
  volatile unsigned sink = sum;
  static_cast<void>(sink);
}

// The loader, running from prepare() to finish().
class LoaderArm : public Arm {
 public:
  LoaderArm(TrialId id, Session& session) : Arm(std::move(id)), session_(session) {}

  void finish() override { session_.loader().stop(); }
  [[nodiscard]] std::optional<std::int64_t> queue_fill() const override {
    return session_.loads() ? std::optional(session_.loader().stats().queue_ready) : std::nullopt;
  }
  [[nodiscard]] std::int64_t burst() const override {
    return data::loader_burst(session_.loader().dataset().spec(), session_.loader().options());
  }
  [[nodiscard]] std::optional<data::LoaderStats> loader_stats() const override {
    return session_.loads() ? std::optional(session_.loader().stats()) : std::nullopt;
  }
  [[nodiscard]] std::int64_t untimed_steps() const override {
    return session_.loader().options().prefetch + 1;
  }
  [[nodiscard]] std::int64_t surplus() const override {
    return std::max<std::int64_t>(0, queue_fill().value_or(0) - prepared_fill_);
  }
  void use_up(std::int64_t batches) override {
    step_untimed(batches);
    reset_counts();
  }

 protected:
  // A batch, empty on a rank that another one loads for, and how long it was waited for.
  struct Taken {
    data::BatchLease lease;
    double wait_s = 0.0;
  };

  // Starts the loader and uses up what it prepares before anybody waits.
  void start_loader() {
    if (session_.loads()) {
      session_.loader().start();
    }
    step_untimed(untimed_steps());
    prepared_fill_ = queue_fill().value_or(0);
    reset_counts();
  }
  // Of steps and loader.
  virtual void reset_counts() { session_.loader().reset_stats(); }
  Taken take() {
    if (!session_.loads()) {
      return {};
    }
    const trace::Region region(trace::Category::kPhase, "data_wait");
    const auto start = Clock::now();
    data::BatchLease lease = session_.loader().next();
    return {.lease = std::move(lease), .wait_s = core::seconds_since(start)};
  }
  [[nodiscard]] Session& session() const { return session_; }

 private:
  Session& session_;
  std::int64_t prepared_fill_ = 0;  // of the queue, when the batches of the capacity are used up
};

class IoArm final : public LoaderArm {
 public:
  using LoaderArm::LoaderArm;

  void prepare() override { start_loader(); }
  // Nothing but the loader takes time here: while this thread waits for a core, the queue fills,
  // and that is taken in no time.
  [[nodiscard]] std::int64_t least_steps() const override {
    constexpr std::int64_t kQueues = 20;
    return kQueues * session().loader().options().prefetch;
  }
  std::optional<StepSample> step() override {
    const Taken taken = take();
    totals_.data_wait += taken.wait_s;
    totals_.steps += 1;
    if (!taken.lease) {
      return StepSample{};
    }
    touch(*taken.lease);
    return StepSample{.samples = taken.lease->samples};
  }
  [[nodiscard]] PhaseTotals phases() const override { return totals_; }

 protected:
  void reset_counts() override {
    LoaderArm::reset_counts();
    totals_ = {};
  }

 private:
  PhaseTotals totals_;
};

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
    check_parameters(session(), steps_.totals().steps);
  }
  Communication take_communication() override { return take_from(session().communicator()); }
  [[nodiscard]] std::optional<reports::LossScalingRecord> loss_scaling() const override {
    return loss_scaling_record(session().state());
  }
  [[nodiscard]] PhaseTotals phases() const override { return steps_.totals(); }

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
    check_parameters(session_, steps_.totals().steps);
  }
  Communication take_communication() override { return take_from(session_.communicator()); }
  [[nodiscard]] std::optional<reports::LossScalingRecord> loss_scaling() const override {
    return loss_scaling_record(session_.state());
  }
  [[nodiscard]] PhaseTotals phases() const override { return steps_.totals(); }

 private:
  // Only the host variant is there for the copy. Where the device reads the host's memory there is
  // none, and the batch is bound to each step anew.
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
  for (std::int64_t made = 0; made < steps; ++made) {
    static_cast<void>(step());
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
