// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/interference_arms.h"

#include "engine/core/clock.h"
#include "engine/core/parallel.h"
#include "engine/core/trace.h"
#include "harness/session/plan_record.h"
#include "harness/trials/step_pipeline.h"

#include <chrono>
#include <exception>
#include <semaphore>
#include <thread>
#include <utility>

namespace dlbench::harness {
namespace {

// A background thread that runs until it is stopped, or goes, and keeps the first exception it
// meets. Its body ends soon after the request to stop, whatever it waits for.
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
  }
  [[nodiscard]] std::optional<data::LoaderStats> loader_stats() const override {
    return session_.loader().stats();
  }
  [[nodiscard]] std::int64_t untimed_steps() const override { return 1; }
  [[nodiscard]] int extra_threads() const override { return 1; }  // the drainer
  [[nodiscard]] PhaseTotals phases() const override { return steps_.totals(); }
  [[nodiscard]] std::optional<reports::LossScalingRecord> loss_scaling() const override {
    return loss_scaling_record(session_.state());
  }

 private:
  Session& session_;
  StepPipeline steps_;
  std::counting_semaphore<> wanted_{0};
  Companion drainer_;
};

class LoaderBesideStep final : public Arm {
 public:
  LoaderBesideStep(TrialId id, Session& session) : Arm(std::move(id)), session_(session) {}

  void prepare() override {
    session_.state().restore();
    const int threads = session_.plan().backend().device().threads;
    trainer_.start([this, threads](const std::stop_token& stop) {
      core::trace::name_this_thread("trainer");
      session_.plan().backend().attach_thread();
      core::configure_compute_threads(threads);
      StepPipeline steps(session_);
      steps.reset();
      while (!stop.stop_requested()) {
        static_cast<void>(steps.step({.batch = &session_.cached_batch()}));
      }
    });
    session_.loader().start();
    step_untimed(untimed_steps());
    session_.loader().reset_stats();
    totals_ = {};
  }
  std::optional<StepSample> step() override {
    const core::trace::Region region(core::trace::Category::kPhase, "data_wait");
    const auto start = std::chrono::steady_clock::now();
    const data::BatchLease lease = session_.loader().next();
    totals_.data_wait += core::seconds_since(start);
    totals_.steps += 1;
    return StepSample{.samples = lease->samples};
  }
  void finish() override {
    session_.loader().stop();
    trainer_.stop();
  }
  [[nodiscard]] std::optional<std::int64_t> queue_fill() const override {
    return session_.loader().stats().queue_ready;
  }
  [[nodiscard]] std::int64_t burst() const override {
    return data::loader_burst(session_.loader().dataset().spec(), session_.loader().options());
  }
  [[nodiscard]] std::optional<data::LoaderStats> loader_stats() const override {
    return session_.loader().stats();
  }
  [[nodiscard]] std::int64_t untimed_steps() const override {
    return session_.loader().options().prefetch + 1;
  }
  // Who takes the batches: the compute threads are the trainer's.
  [[nodiscard]] int extra_threads() const override { return 1; }
  [[nodiscard]] PhaseTotals phases() const override { return totals_; }

 private:
  Session& session_;
  PhaseTotals totals_;
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
