// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/page_cache.h"
#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/exec/checkpoint.h"
#include "engine/exec/model_state.h"
#include "harness/commands/command.h"
#include "harness/commands/idle_options.h"
#include "harness/commands/output_files.h"
#include "harness/commands/plan_taints.h"
#include "harness/commands/plan_text.h"
#include "harness/commands/run_options.h"
#include "harness/commands/run_record.h"
#include "harness/commands/run_report.h"
#include "harness/commands/run_start.h"
#include "harness/commands/system_record.h"
#include "harness/commands/time_text.h"
#include "harness/commands/training_watch.h"
#include "harness/rank_placement.h"
#include "harness/ranks.h"
#include "harness/session/make_step.h"
#include "harness/session/plan_record.h"
#include "harness/session/run_guard.h"
#include "harness/session/same_samples.h"
#include "harness/training/trainer.h"
#include "harness/training/training_passes.h"
#include "harness/trials/device_fault.h"
#include "harness/trials/group_disturbance.h"
#include "harness/trials/probe_set.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/rank_peaks.h"
#include "reports/json_writer.h"
#include "reports/naming.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using reports::Taint;

struct TrainOptions {
  std::int64_t epochs = 0;
  double learning_rate = 0.0;
  std::string init;
  std::string checkpoint;
};

/// "epoch  3/14    31.9 s  1881.2 samples/s  rate 0.49  loss 0.3012  valid 0.2744  accuracy 0.9011
/// *"
std::string epoch_line(const reports::EpochRecord& epoch,
                       const workloads::WorkloadSpec& spec,
                       std::int64_t epochs,
                       bool best) {
  std::string line = fmt::format("epoch {:>3}/{} {:>8.1f} s {:>9.1f} samples/s  rate {:g}  loss {}",
                                 epoch.epoch,
                                 epochs,
                                 epoch.seconds,
                                 epoch.samples_per_second.value_or(0.0),
                                 epoch.learning_rate.value_or(0.0),
                                 reports::loss_text(epoch.train_loss.value_or(0.0)));
  if (epoch.valid_loss.has_value()) {
    line += "  valid " + reports::loss_text(*epoch.valid_loss);
  }
  const std::string prefix = epoch.valid_loss.has_value() ? "" : "train_";
  for (const std::string& metric : workloads::metric_names(spec.metrics)) {
    const auto found = epoch.metrics.find(prefix + metric);
    if (found != epoch.metrics.end()) {
      line += std::isfinite(found->second)
                  ? fmt::format("  {}{} {}", prefix, metric, reports::loss_text(found->second))
                  : fmt::format("  {}{} none", prefix, metric);
    }
  }
  return line + (best ? " *\n" : "\n");
}

/// "10 epochs of resunetpp, no limit for mnist_cnn".
std::string patience_text() {
  std::vector<std::string> parts;
  for (const std::string& name : workloads::workload_names()) {
    const std::int64_t patience = workloads::find_workload(name).spec().early_stop_patience;
    parts.push_back(patience == 0 ? "no limit for " + name
                                  : fmt::format("{} epochs of {}", patience, name));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// A train command in progress.
class TrainingRun {
 public:
  TrainingRun(const RunOptions& options,
              const TrainOptions& train,
              comm::Rendezvous& ranks,
              const probes::RankPlacement& placement,
              reports::RunRecord record)
      : options_(options),
        train_(train),
        ranks_(ranks),
        placement_(placement),
        guard_(options.timeout),
        report_(std::move(record), options.output, ranks),
        record_(report_.record()) {
    describe_launch(ranks_, record_.system);
  }

  int run() {
    SessionPlan plan(session_options(options_, placement_, ranks_.size()), ranks_);
    describe_plan(plan, record_);
    report_.keep_device_choice(plan.why_no_better_device());
    warn_idle_options(plan, options_, record_.config.source);
    reports::ValueMap& effective = record_.config.effective;
    effective["epochs"] = epochs(plan);
    if (train_.learning_rate == 0.0) {
      effective["learning-rate"] = plan.workload().spec().optimizer.learning_rate;
    }
    const std::unique_ptr<data::Dataset> validation = open_validation_on_all(plan);
    plan.set_memory_need([&](std::int64_t batch_size, const MemoryNeed& of_run) {
      TrainingSetup setup = setup_of(plan, validation.get());
      if (batch_size != plan.batch_size()) {
        setup.params.batch_size = batch_size;
        setup.loader.global_batch_size = 0;
      }
      return need_of_training(setup, of_run);
    });
    together(ranks_, [&] {
      check_last_batch(setup_of(plan, validation.get()));
      plan.check_memory();
      if (report_.speaks()) {
        check_files(plan);
      }
    });
    if (options_.dry_run) {
      RankGroup group(ranks_);
      const bool shared = ranks_share_devices(plan, group);
      report_.print_result(config_text(record_.config) + plan_text(plan, {}) +
                           training_time_text(plan, shared, epochs(plan)));
      return 0;
    }
    describe_planned_memory(plan, record_);
    report_.taint(oversubscription(ranks_, placement_, core_use(plan)));
    report_.note(hidden_peers(ranks_, placement_));
    report_.taint(planned_taints(plan));
    together(ranks_, [&] { report_.begin(); });
    report_.attempt([&] { train(plan, setup_of(plan, validation.get())); });
    return report_.finish({.strict = options_.strict});
  }

 private:
  /// Checks all files but the data; initial weights are checked as if they were loaded.
  void check_files(const SessionPlan& plan) const {
    check_apart({{"--output", options_.output},
                 {"--checkpoint", train_.checkpoint},
                 {"--trace", options_.trace}},
                plan.data_files());
    check_writable({{"--checkpoint", train_.checkpoint}, {"--trace", options_.trace}});
    report_.check_output();
    if (!train_.init.empty()) {
      const std::unique_ptr<backend::Backend> host = backend::create_backend("ref", {.threads = 1});
      exec::ModelState state(*host, plan.training_graph(), 1);
      exec::load_checkpoint(state, train_.init);
    }
  }

  void prepare_cache(const SessionPlan& plan) {
    together(ranks_, [&] {
      if (ranks_.places()[static_cast<std::size_t>(ranks_.rank())].local_rank == 0) {
        const data::CacheState state = data::prepare_page_cache(
            options_.cache, plan.dataset(), plan.loader_options(), &RunGuard::check_at_work);
        if (!state.verified) {
          report_.taint(Taint::kCacheStateUnknown, "data set", state.proof);
        }
      }
    });
  }

  /// Returns everything except how the ranks meet.
  [[nodiscard]] TrainingSetup setup_of(SessionPlan& plan, const data::Dataset* validation) const {
    TrainingSetup setup{.workload = plan.workload(),
                        .params = plan.built().params,
                        .precision = plan.compute_dtype(),
                        .backend = plan.backend(),
                        .lowering = plan.lowering(),
                        .replay = plan.options().cuda_graph,
                        .training_data = plan.dataset(),
                        .validation_data = validation,
                        .loader = plan.loader_options(),
                        .own_threads = static_cast<int>(plan.own_threads()),
                        .seed = plan.options().seed,
                        .epochs = epochs(plan),
                        .learning_rate = train_.learning_rate};
    if (!train_.init.empty()) {
      setup.init = train_.init;
    }
    if (!train_.checkpoint.empty()) {
      setup.checkpoint = train_.checkpoint;
    }
    return setup;
  }

  void train(SessionPlan& plan, TrainingSetup setup) {
    watch_.emplace(plan.backend().device(),
                   plan.ranks_on_device(),
                   ProbeChoice(options_.probes),
                   options_.trace,
                   report_.speaks());
    prepare_cache(plan);
    const std::unique_ptr<comm::Communicator> communicator = make_communicator(plan);
    setup.ranks = {.rendezvous = &ranks_,
                   .communicator = communicator.get(),
                   .reduction = plan.reduction(),
                   .broadcast_buffers = plan.options().broadcast_buffers};
    watched([&] { static_cast<void>(harness::train(setup, listener(plan))); });
  }

  /// Runs the training while the probes, and rank 0's timeline, watch it. Keeps what they saw so
  /// far however it ends.
  void watched(const std::function<void()>& training) {
    watch_->begin_trace();
    try {
      naming_device_faults(training, [this] { return watch_->end_with_fault(); });
    } catch (...) {
      watch_->end();
      watch_->collect(record_);
      watch_->rescue_trace();
      throw;
    }
    watch_->end();
    watch_->collect(record_);
    watch_->write_trace();
  }

  /// Ends an epoch for the probes: a device fault during it ends the training. Stores the clocks in
  /// `epoch`. Collective, because each rank checks its own device.
  void look_at_device(reports::EpochRecord& epoch) {
    const probes::DeviceConditions device = watch_->end();
    watch_->collect(record_);
    epoch.disturbance->sm_clock_mhz = device.sm_clock_mhz;
    epoch.disturbance->throttle_reasons = device.throttle_reasons;
    epoch.disturbance->foreign_gpu_share = device.foreign_share;
    if (!device.reported.fault.empty()) {
      throw Error(ErrorCode::kRun, "training: " + device.reported.fault);
    }
    const std::vector<std::string> reasons = ranks_.gather(
        device.throttled ? fmt::format("{}", fmt::join(device.throttle_reasons, ", ")) : "");
    for (std::size_t rank = 0; rank < reasons.size(); ++rank) {
      if (!reasons[rank].empty() && throttled_.insert(rank).second) {
        report_.taint(Taint::kThrottled,
                      ranks_.size() == 1 ? "training" : fmt::format("training, rank {}", rank),
                      "clocks held back by: " + reasons[rank]);
      }
    }
    const std::vector<std::string> neighbours = ranks_.gather(device.neighbours);
    const std::string who = neighbours.size() == 1 ? neighbours.front() : told_by_ranks(neighbours);
    if (!who.empty() && !std::exchange(neighbours_told_, true)) {
      report_.taint(Taint::kDisturbed, "training", fmt::format("epoch {}: {}", epoch.epoch, who));
    }
  }

  void note_skipped(const std::vector<std::string>& samples) {
    constexpr std::size_t kMaxNamed = 20;
    for (const std::string& sample : samples) {
      if (++skipped_ <= kMaxNamed) {
        record_.run.skipped.push_back({"corrupt sample, replaced by another", sample});
      } else if (skipped_ == kMaxNamed + 1) {
        record_.run.skipped.push_back(
            {"corrupt samples beyond these", fmt::format("the first {} are named", kMaxNamed)});
      }
    }
    report_.taint(Taint::kSamplesSkipped,
                  fmt::format("epoch {}", record_.history.size() + 1),
                  reports::count_text(static_cast<std::int64_t>(samples.size()), "corrupt sample") +
                      " replaced for the first time: see run.skipped");
  }

  /// Returns nothing, with a note in the report, if the data set has no such part. A part that is
  /// broken ends the command.
  std::unique_ptr<data::Dataset> open_validation_on_all(const SessionPlan& plan) {
    std::unique_ptr<data::Dataset> validation;
    together(ranks_, [&] { validation = open_validation(plan); });
    check_same_samples(ranks_,
                       validation.get(),
                       "split " + std::string(data::name(plan.workload().spec().validation_split)));
    return validation;
  }

  std::unique_ptr<data::Dataset> open_validation(const SessionPlan& plan) {
    const workloads::WorkloadSpec& spec = plan.workload().spec();
    try {
      return data::open_dataset(
          spec.dataset,
          plan.source().folder,
          spec.validation_split,
          {.image_size = plan.built().params.image_size, .decode = plan.options().decode});
    } catch (const data::MissingSplit& missing) {
      record_.run.skipped.push_back({"validation", missing.what()});
      core::log::warn(fmt::format("no validation: {}", missing.what()));
      return nullptr;
    }
  }

  [[nodiscard]] std::int64_t epochs(const SessionPlan& plan) const {
    return train_.epochs == 0 ? plan.workload().spec().epochs : train_.epochs;
  }

  TrainingListener listener(const SessionPlan& plan) {
    TrainingListener listener;
    listener.on_phase = [this](const std::string& phase) {
      report_.enter(phase);
      watch_->begin();  // the first epoch begins, or the next one
    };
    listener.on_step = [this](const TrainingProgress& progress) {
      guard_.check();
      if (progress.replayed) {
        watch_->note_replay(record_);
      }
      core::log::progress(fmt::format("epoch {} of {}, {}, loss {}",
                                      progress.epoch,
                                      progress.epochs,
                                      batch_text(progress),
                                      reports::loss_text(progress.loss)));
    };
    listener.on_new_step = [this](const exec::Executor& step, std::int64_t samples) {
      record_.workload->plans.push_back(plan_record(step, samples));
      const auto bits = plan_taint(step.lowered());
      if (bits.has_value() && step.graph().mode() == graph::Mode::kTrain) {
        report_.taint(bits->code, fmt::format("step of {} samples", samples), bits->detail);
      }
    };
    listener.on_skipped = [this](const std::vector<std::string>& samples) {
      note_skipped(samples);
    };
    listener.on_left_out = [this](const reports::SkipRecord& what) {
      core::log::info(what.what + " left out: " + what.reason);
      record_.run.skipped.push_back(what);
    };
    listener.on_taint = [this](Taint code, const std::string& why) {
      if (tainted_.insert(code).second) {  // the history has the other epochs
        report_.taint(code, "training", why);
      }
    };
    listener.on_epoch = [this, &plan](const reports::EpochRecord& epoch, bool best) {
      core::log::progress("");
      report_.print_beside_report(epoch_line(epoch, plan.workload().spec(), epochs(plan), best));
      record_.history.push_back(epoch);
      note_undefined_metrics(epoch, record_.run.skipped);
      report_.enter(fmt::format("epoch {}", epoch.epoch));
      look_at_device(record_.history.back());
      report_.enter(fmt::format("epoch {}, report and checkpoint", epoch.epoch));
      report_.write();
    };
    return listener;
  }

  const RunOptions& options_;
  const TrainOptions& train_;
  comm::Rendezvous& ranks_;
  const probes::RankPlacement& placement_;
  RunGuard guard_;
  RunReport report_;
  reports::RunRecord& record_;
  std::optional<TrainingWatch> watch_;  ///< from train() on
  std::size_t skipped_ = 0;             ///< corrupt samples
  std::set<std::size_t> throttled_;     ///< ranks whose device was, once at least
  std::set<Taint> tainted_;             ///< by an epoch; the history has the others
  bool neighbours_told_ = false;        ///< likewise, those on a device
};

class TrainCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "train"; }
  [[nodiscard]] std::string summary() const override {
    return "train a workload over epochs, with validation and the workload's schedule";
  }
  [[nodiscard]] std::string details() const override {
    return "A line per epoch; * marks the lowest validation loss so far, or training loss where\n"
           "there is no validation, whose state --checkpoint keeps. The report holds the history.\n"
           "Training stops early where that has not fallen for the workload's patience: " +
           patience_text() +
           ".\n"
           "Examples:\n"
           "  dlbench train --workload mnist_cnn --epochs 3\n"
           "  dlbench train --workload resunetpp --image-size 96 --epochs 20 --checkpoint best.st\n"
           "  mpirun -np 4 dlbench train --workload mnist_cnn --global-batch-size 256\n"
           "Exit codes: 0 done, 1 files, data or memory, 2 command line or device,\n"
           "  4 tainted (with --strict), 5 failed during the run, 124 time-out, 130 Ctrl-C";
  }
  [[nodiscard]] bool parallel() const override { return true; }
  void add_options(OptionSet& options) override {
    add_workload_options(options, run_);
    options.add_count(
        "epochs", "N", "passes over the data; 0: the workload's", train_.epochs, {0, 1'000'000});
    options.add_number("learning-rate",
                       "X",
                       "of the first epoch; 0: the workload's",
                       train_.learning_rate,
                       0.0,
                       1e30);
    options.add_text("init", "FILE", "safetensors with all weights to start from", train_.init);
    options.add_text("checkpoint", "FILE", "where the best weights go", train_.checkpoint);
    add_parallel_options(options, run_);
    add_loader_options(options, run_, "the first epoch");
    add_output_options(options, run_);
    add_trace_option(options, run_);
    add_probe_option(options, run_);
  }
  void check() const override {
    check_session(run_);
    check_sizes(run_);
    static_cast<void>(ProbeChoice(run_.probes));
    check_distinct({{"--config", run_.config},
                    {"--init", train_.init},
                    {"--output", run_.output},
                    {"--checkpoint", train_.checkpoint},
                    {"--trace", run_.trace}});
    check_not_standard_output({{"--checkpoint", train_.checkpoint}, {"--trace", run_.trace}});
    if (run_.session.strategy != Strategy::kDdp) {
      throw Error(ErrorCode::kUsage,
                  "--strategy " + std::string(core::name_in(kStrategies, run_.session.strategy)) +
                      " is measured by `dlbench run` and `dlbench scale`; train takes ddp");
    }
  }
  void check_ranks(int available) const override { check_share(run_, available); }
  int run(const OptionSet& options, const Invocation& invocation) override {
    StartedRun start = start_run(run_, options, invocation, invocation.ranks.size());
    return TrainingRun(run_, train_, invocation.ranks, start.placement, std::move(start.record))
        .run();
  }

 private:
  RunOptions run_;
  TrainOptions train_;
};

}  // namespace

std::unique_ptr<Command> make_train_command() { return std::make_unique<TrainCommand>(); }

}  // namespace dlbench::harness
