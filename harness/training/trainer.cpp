// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/training/trainer.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/trace.h"
#include "engine/exec/checkpoint.h"
#include "harness/faults/fault_watch.h"
#include "harness/faults/injected_fault.h"
#include "harness/faults/non_finite_loss.h"
#include "harness/session/plan_record.h"
#include "harness/training/training_passes.h"
#include "harness/trials/group_disturbance.h"
#include "harness/trials/rank_group.h"
#include "harness/utc_time.h"
#include "probes/node/disturbance.h"
#include "workloads/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace dlbench::harness {
namespace {

namespace trace = core::trace;
using workloads::WorkloadSpec;

constexpr std::string_view kOfTraining = "train_";  // before the name of a metric

/// Sums over the batches of one pass.
class PassSums {
 public:
  void add(const StepOutcome& outcome) {
    loss_ += outcome.loss * static_cast<double>(outcome.samples);
    samples_ += outcome.samples;
    counts_.resize(outcome.counts.size(), 0.0);
    for (std::size_t index = 0; index < counts_.size(); ++index) {
      counts_[index] += outcome.counts[index];
    }
  }
  /// Adds the sums of the other ranks.
  void combine(RankGroup& group) {
    counts_.resize(static_cast<std::size_t>(group.max(static_cast<double>(counts_.size()))), 0.0);
    std::vector<double> sums = counts_;
    sums.insert(sums.end(), {loss_, static_cast<double>(samples_)});
    sums = group.sum(sums);
    samples_ = static_cast<std::int64_t>(sums.back());
    loss_ = sums[counts_.size()];
    counts_.assign(sums.begin(), sums.end() - 2);
  }
  [[nodiscard]] std::int64_t samples() const { return samples_; }
  [[nodiscard]] double loss() const { return loss_ / static_cast<double>(samples_); }
  [[nodiscard]] const std::vector<double>& counts() const { return counts_; }

 private:
  double loss_ = 0.0;
  std::int64_t samples_ = 0;
  std::vector<double> counts_;
};

class Training {
 public:
  Training(const TrainingSetup& setup, const TrainingListener& listener)
      : setup_(setup),
        listener_(listener),
        spec_(setup.workload.spec()),
        params_(workloads::choose_params(spec_, setup.params)),
        epochs_(setup.epochs == 0 ? spec_.epochs : setup.epochs),
        loader_(setup.training_data, training_loader(setup, epochs_)),
        steps_({.workload = setup.workload,
                .params = params_,
                .precision = setup.precision,
                .backend = setup.backend,
                .lowering = setup.lowering,
                .seed = setup.seed,
                .ranks = setup.ranks,
                .replay = setup.replay}),
        group_(rendezvous()),
        schedule_(
            spec_.schedule,
            setup.learning_rate == 0.0 ? spec_.optimizer.learning_rate : setup.learning_rate) {
    loader_.stop();  // until the clock of an epoch runs
    steps_.on_new_step = listener.on_new_step;
    if (setup.init.has_value() && group_.speaks()) {
      exec::load_checkpoint(steps_.state(), *setup.init);
    }
    prepare_steps();
    steps_.state().broadcast_all();
  }

  TrainingResult run() {
    tell_tail();
    for (std::int64_t epoch = 1; epoch <= epochs_; ++epoch) {
      reports::EpochRecord record = train_epoch(epoch);
      enter(fmt::format("epoch {}, report and checkpoint", epoch));
      const bool best = judge(record);
      result_.history.push_back(record);
      if (listener_.on_epoch) {
        listener_.on_epoch(record, best);
      }
      if (best) {  // what was measured is told by now, whatever the disk has room for
        save_checkpoint(record);
      }
      const bool hopeless =
          spec_.early_stop_patience > 0 && epoch - result_.best_epoch >= spec_.early_stop_patience;
      if (hopeless && epoch < epochs_) {
        tell_early_stop(epoch);
        break;
      }
    }
    if (setup_.checkpoint.has_value() && result_.best_epoch == 0) {
      tell_left_out({"checkpoint", "no epoch had a validation loss that is finite"});
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] comm::Rendezvous& rendezvous() {
    return setup_.ranks.rendezvous == nullptr ? alone_ : *setup_.ranks.rendezvous;
  }

  void enter(const std::string& phase) const {
    if (listener_.on_phase) {
      listener_.on_phase(phase);
    }
  }

  void tell_left_out(const reports::SkipRecord& what) const {
    if (listener_.on_left_out) {
      listener_.on_left_out(what);
    }
  }

  void tell_early_stop(std::int64_t last_epoch) const {
    const std::string gain =
        result_.best_epoch == 0
            ? "no finite validation loss"
            : fmt::format("no lower {} loss than in epoch {}",
                          setup_.validation_data != nullptr ? "validation" : "training",
                          result_.best_epoch);
    tell_left_out({fmt::format("epochs {} to {}", last_epoch + 1, epochs_),
                   fmt::format("stopped early: {} for {} epochs, the patience of the workload",
                               gain,
                               spec_.early_stop_patience)});
  }

  // The order changes in each epoch, so other samples are left out each time.
  void tell_tail() const {
    const std::int64_t batch = loader_.sampler().plan(0).global_samples;
    const std::int64_t tail = setup_.training_data.size() % batch;
    if (!spec_.keep_last_batch && tail > 0) {
      tell_left_out(
          {fmt::format(
               "{} of {} training samples in each epoch", tail, setup_.training_data.size()),
           fmt::format(
               "they fill no batch of {}, and {} trains on whole ones", batch, spec_.name)});
    }
  }

  // Makes steps for all batch sizes, including the last batch of a pass, in the same order on all
  // ranks: kernels are chosen before the clock of the first epoch starts.
  void prepare_steps() {
    check_last_batch(setup_);
    for (const PassSteps& pass : passes_of_epoch(setup_)) {
      steps_.prepare(pass.mode, pass.samples, pass.last);
    }
  }

  reports::EpochRecord train_epoch(std::int64_t epoch) {
    reports::EpochRecord record;
    std::optional<double> validation_loss;
    record.epoch = epoch;
    record.learning_rate = schedule_.rate();
    steps_.state().set_scalar("learning_rate", schedule_.rate());
    enter(fmt::format("epoch {}", epoch));
    const auto scaling_before = loss_scaling_record(steps_.state());
    // Timed: loading, steps, reading the loss. Not timed: validation, checkpoint.
    record.started_at = utc_now();
    const probes::ProcSnapshot begin = probes::take_snapshot();
    const auto start = std::chrono::steady_clock::now();
    loader_.start_epoch();
    const PassSums trained = pass(graph::Mode::kTrain, loader_, epoch);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const probes::ProcSnapshot end = probes::take_snapshot();
    enter(fmt::format("epoch {}, after its steps", epoch));
    record.disturbance = look_around(epoch, begin, end);
    check_parameters(epoch);
    record.seconds = group_.max(elapsed.count());
    record.samples = trained.samples();
    record.samples_per_second = static_cast<double>(trained.samples()) / record.seconds;
    record.train_loss = trained.loss();
    add_metrics(record, trained, std::string(kOfTraining));
    if (scaling_before.has_value()) {
      record.loss_scaling = loss_scaling_record(steps_.state(), scaling_before->skipped_steps);
    }
    if (setup_.validation_data != nullptr) {
      steps_.state().broadcast_buffers();
      data::PrefetchLoader loader(*setup_.validation_data, validation_loader(setup_));
      const PassSums validated = pass(graph::Mode::kEvaluate, loader, epoch);
      validation_loss = validated.loss();
      if (std::isfinite(*validation_loss)) {
        record.valid_loss = validation_loss;
        add_metrics(record, validated, "");
      } else {
        tell_no_validation_loss(epoch);
      }
    }
    tell_skipped();
    schedule_.end_epoch(validation_loss);
    return record;
  }

  /// The state is finite, as check_parameters() found, and so is the training loss: at a large
  /// learning rate, running statistics may be far behind those of the batches. That corrects
  /// itself, or training fails.
  void tell_no_validation_loss(std::int64_t epoch) {
    if (!std::exchange(validation_failed_, true)) {
      tell_left_out({"validation loss",
                     fmt::format("not finite in epoch {}, and perhaps later ones: it counts as no "
                                 "gain, and there are no metrics of it; {}",
                                 epoch,
                                 remedy())});
    }
  }

  /// Records what else ran during an epoch's steps.
  [[nodiscard]] reports::DisturbanceRecord look_around(std::int64_t epoch,
                                                       const probes::ProcSnapshot& begin,
                                                       const probes::ProcSnapshot& end) {
    const GroupDisturbance seen = judge_together(
        group_, begin, end, {.cpus = probes::watched_cpus(), .threads = setup_.own_threads});
    for (const auto& [code, why] :
         {std::pair(reports::Taint::kDisturbed, seen.reason),
          std::pair(reports::Taint::kThrottled, quota_text(seen.shares))}) {
      if (!why.empty() && listener_.on_taint) {
        listener_.on_taint(code, fmt::format("epoch {}: {}", epoch, why));
      }
    }
    return disturbance_record(seen.own);
  }

  /// Makes one pass over an epoch's data: this rank's batches, the sums of all ranks.
  PassSums pass(graph::Mode mode, data::PrefetchLoader& loader, std::int64_t epoch) {
    PassSums sums;
    TrainingProgress started{.epoch = epoch,
                             .epochs = epochs_,
                             .steps = loader.sampler().batches_per_epoch(),
                             .validating = mode == graph::Mode::kEvaluate};
    TrainingProgress told = started;
    const auto tell = [&](const std::vector<StepOutcome>& outcomes) {
      for (const StepOutcome& outcome : outcomes) {
        ++told.step;
        told.loss = outcome.loss;
        told.replayed = steps_.replays();
        take(outcome, told, sums);
        comm::losses_seen(told.step, std::min(started.step, started.steps));
      }
    };
    const char* const name = started.validating ? "validation step" : "step";
    std::optional<comm::FirstStep> first(std::in_place);
    std::optional<comm::Stepping> stepping;
    for (started.step = 1; started.step <= started.steps; ++started.step) {
      enter(phase_of(started));
      comm::losses_seen(told.step, started.step);
      const trace::Region region(trace::Category::kStep, name, started.step);
      const auto start = std::chrono::steady_clock::now();
      data::BatchLease lease = [&loader] {
        const trace::Region waiting(trace::Category::kPhase, "data_wait");
        return loader.next();
      }();
      const data::Batch& batch = *lease;
      if (batch.samples == 0) {
        tell(steps_.drain());
        steps_.run_without_samples();
        comm::losses_seen(++told.step, started.step);
        continue;  // of the last batch of a validation there was none for this rank
      }
      if (inject_fault(group_.rank())) {
        tell(steps_.drain());
        poison_parameters(steps_.state());
      }
      tell(steps_.run(mode, batch, std::move(lease)));
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
      comm::step_done(wall.count());
      if (!stepping.has_value() && told.step > 0) {
        first.reset();
        stepping.emplace();  // how long a step takes is known from the first that is done
      }
    }
    tell(steps_.drain());
    for (const data::SkippedSample& sample : loader.stats().skipped) {
      if (skipped_.insert(sample.message).second) {
        not_yet_told_ += core::log::one_line(sample.message) + '\n';
      }
    }
    sums.combine(group_);
    return sums;
  }

  /// Reports the corrupt samples found since the last call on any rank that no rank had found
  /// before.
  void tell_skipped() {
    if (!setup_.loader.skip_corrupt) {
      return;
    }
    std::vector<std::string> fresh;
    for (const std::string& of_rank :
         rendezvous().all_gather_text(std::exchange(not_yet_told_, ""))) {
      std::istringstream lines(of_rank);
      for (std::string line; std::getline(lines, line);) {
        if (told_.insert(line).second) {
          fresh.push_back(line);
        }
      }
    }
    if (!fresh.empty() && listener_.on_skipped) {
      listener_.on_skipped(fresh);
    }
  }

  [[nodiscard]] static std::string phase_of(const TrainingProgress& progress) {
    return fmt::format("epoch {}, {}", progress.epoch, batch_text(progress));
  }

  /// Takes the outcome of a finished step, which need not be the last one started.
  void take(const StepOutcome& outcome, const TrainingProgress& progress, PassSums& sums) {
    if (!std::isfinite(outcome.loss) && !progress.validating) {
      enter(phase_of(progress));
      fail(progress);
    }
    sums.add(outcome);
    if (listener_.on_step) {
      listener_.on_step(progress);
    }
  }

  void check_parameters(std::int64_t epoch) {
    if (const std::string name = steps_.state().find_not_finite(); !name.empty()) {
      throw core::Error(
          core::ErrorCode::kRun,
          fmt::format("'{}' is not finite after epoch {}; {}", name, epoch, remedy()));
    }
  }

  [[nodiscard]] std::string remedy() const {
    return fmt::format("a smaller learning rate than {:g} may help{}",
                       schedule_.rate(),
                       setup_.precision == core::DType::kF32 ? "" : ", or --precision fp32");
  }

  [[noreturn]] void fail(const TrainingProgress& progress) {
    const NonFiniteLoss failure(
        fmt::format("the loss is {} in {}, epoch {}; {}",
                    std::abs(progress.loss),  // NaN has a sign, which says nothing
                    batch_text(progress),
                    progress.epoch,
                    remedy()));
    declare_failure(rendezvous(), failure);
    throw NonFiniteLoss(failure);
  }

  void add_metrics(reports::EpochRecord& record,
                   const PassSums& sums,
                   const std::string& prefix) const {
    for (const auto& [name, value] : workloads::metrics_of_counts(spec_.metrics, sums.counts())) {
      record.metrics[prefix + name] = value;
    }
  }

  /// Returns whether this epoch is the best so far, and then keeps its state.
  bool judge(const reports::EpochRecord& record) {
    const std::optional<double> loss =
        setup_.validation_data != nullptr ? record.valid_loss : record.train_loss;
    if (!loss.has_value() || *loss >= best_loss_) {
      return false;
    }
    best_loss_ = *loss;
    result_.best_epoch = record.epoch;
    return true;
  }

  void save_checkpoint(const reports::EpochRecord& record) {
    if (setup_.checkpoint.has_value() && group_.speaks()) {
      exec::save_checkpoint(steps_.state(),
                            *setup_.checkpoint,
                            {{"tool", "dlbench train"},
                             {"workload", spec_.name},
                             {"epoch", std::to_string(record.epoch)},
                             {"loss", fmt::format("{:.6f}", best_loss_)}});
    }
  }

  const TrainingSetup& setup_;
  const TrainingListener& listener_;
  const WorkloadSpec& spec_;
  workloads::WorkloadParams params_;
  std::int64_t epochs_;
  data::PrefetchLoader loader_;
  StepPool steps_;
  comm::LoneRank alone_;
  RankGroup group_;
  workloads::LearningRateSchedule schedule_;
  TrainingResult result_;
  double best_loss_ = std::numeric_limits<double>::infinity();
  bool validation_failed_ = false;  ///< some epoch had no finite validation loss
  std::set<std::string> skipped_;   ///< corrupt samples that this rank found
  std::string not_yet_told_;        ///< those not yet reported, a line each
  std::set<std::string> told_;      ///< of all ranks
};

}  // namespace

std::string batch_text(const TrainingProgress& progress) {
  return fmt::format("{} {} of {}",
                     progress.validating ? "validation batch" : "step",
                     progress.step,
                     progress.steps);
}

void note_undefined_metrics(const reports::EpochRecord& epoch,
                            std::vector<reports::SkipRecord>& skipped) {
  for (const auto& [name, value] : epoch.metrics) {
    const auto said = [&name = name](const reports::SkipRecord& skip) { return skip.what == name; };
    if (std::isfinite(value) || std::any_of(skipped.begin(), skipped.end(), said)) {
      continue;
    }
    const std::string_view metric =
        name.starts_with(kOfTraining) ? std::string_view(name).substr(kOfTraining.size()) : name;
    skipped.push_back({name,
                       fmt::format("no value in epoch {}, and perhaps later ones: {}",
                                   epoch.epoch,
                                   workloads::undefined_metric_reason(metric))});
  }
}

TrainingResult train(const TrainingSetup& setup, const TrainingListener& listener) {
  return Training(setup, listener).run();
}

}  // namespace dlbench::harness
