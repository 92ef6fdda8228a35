// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/interference_arms.h"

#include "engine/core/parallel.h"
#include "engine/core/trace.h"
#include "harness/session/plan_record.h"
#include "harness/trials/loader_arms.h"
#include "harness/trials/step_pipeline.h"

#include <exception>
#include <semaphore>
#include <thread>
#include <utility>

namespace dlbench::harness {
namespace {

// A background thread that runs until it is stopped or destroyed, and keeps the first exception.
// Its body ends soon after the request to stop, whatever it waits for.
class Companion {
 public:
  template <typename Body>
  void start(Body body) {
    failure_ = nullptr;
    thread_ = std::jthread([this, body = std::move(body)](const std::stop_token& stop) {
      try {
        body(stop);
      } catch (...) {
        failure_ = std::current_exception();
      }
    });
  }
  void stop() {
    thread_.request_stop();
    if (thread_.joinable()) {
      thread_.join();
    }
    if (failure_ != nullptr) {
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }

 private:
  std::exception_ptr failure_;
  std::jthread thread_;
};

class StepBesideLoader final : public Arm {
 public:
  StepBesideLoader(TrialId id, Session& session)
      : Arm(std::move(id)), session_(session), steps_(session) {}

  void prepare() override {
    steps_.reset();
    session_.state().restore();
    session_.loader().start();
    while (wanted_.try_acquire()) {  // what the last repetition left over
    }
    drainer_.start([this](const std::stop_token& stop) {
      core::trace::name_this_thread("loader drain");
      const std::stop_callback wake(stop, [this] { wanted_.release(); });
      while (true) {
        wanted_.acquire();
        if (stop.stop_requested()) {
          return;
        }
        static_cast<void>(session_.loader().next());
      }
    });
    step_untimed(untimed_steps());
    steps_.reset();
    session_.loader().reset_stats();
  }
  std::optional<StepSample> step() override {
    wanted_.release();
    return steps_.step({.batch = &session_.cached_batch()});
  }
  std::optional<StepSample> drain() override { return steps_.drain(); }
  void finish() override {
    session_.loader().stop();
    drainer_.stop();
    steps_.check_parameters();
  }
  [[nodiscard]] std::optional<data::LoaderStats> loader_stats() const override {
    return session_.loader().stats();
  }
  [[nodiscard]] std::int64_t untimed_steps() const override { return 1; }
  [[nodiscard]] int extra_threads() const override { return 1; }  // the drainer
  [[nodiscard]] PhaseTotals phases() const override { return steps_.totals(); }
  [[nodiscard]] std::optional<bool> replays() const override { return steps_.replays(); }
  [[nodiscard]] std::optional<reports::LossScalingRecord> loss_scaling() const override {
    return loss_scaling_record(session_.state());
  }

 private:
  Session& session_;
  StepPipeline steps_;
  std::counting_semaphore<> wanted_{0};
  Companion drainer_;
};

// Measures like io, so that both can be compared.
class LoaderBesideStep final : public IoArm {
 public:
  using IoArm::IoArm;

  void prepare() override {
    session().state().restore();
    const int threads = session().plan().backend().device().threads;
    trainer_.start([this, threads](const std::stop_token& stop) {
      core::trace::name_this_thread("trainer");
      session().plan().backend().attach_thread();
      core::configure_compute_threads(threads);
      StepPipeline steps(session());
      steps.reset();
      while (!stop.stop_requested()) {
        static_cast<void>(steps.step({.batch = &session().cached_batch()}));
      }
    });
    IoArm::prepare();
  }
  void finish() override {
    IoArm::finish();
    trainer_.stop();
  }
  // The thread that takes the batches: the compute threads belong to the trainer.
  [[nodiscard]] int extra_threads() const override { return 1; }

 private:
  Companion trainer_;
};

}  // namespace

std::unique_ptr<Arm> make_interference_arm(const TrialId& id, Session& session) {
  if (id.variant == "step_beside_loader") {
    return std::make_unique<StepBesideLoader>(id, session);
  }
  return std::make_unique<LoaderBesideStep>(id, session);
}

}  // namespace dlbench::harness
