// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/analysis/projection.h"
#include "harness/commands/command.h"
#include "harness/commands/idle_options.h"
#include "harness/commands/output_files.h"
#include "harness/commands/plan_taints.h"
#include "harness/commands/plan_text.h"
#include "harness/commands/run_options.h"
#include "harness/commands/run_record.h"
#include "harness/commands/run_report.h"
#include "harness/commands/run_start.h"
#include "harness/commands/scale_options.h"
#include "harness/commands/scale_taints.h"
#include "harness/commands/system_record.h"
#include "harness/commands/time_text.h"
#include "harness/ranks.h"
#include "harness/scaling/bucket_caps.h"
#include "harness/scaling/project_series.h"
#include "harness/scaling/scale_run.h"
#include "harness/session/locate_data.h"
#include "harness/session/open_device.h"
#include "harness/session/session_plan.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/rank_peaks.h"
#include "reports/naming.h"
#include "workloads/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using reports::Taint;

constexpr double kTimeBudgetS = 200.0;
constexpr double kShareOfSizes = 0.7;  // of the time budget, where bucket caps are swept too

/// Options of scale only.
struct ScaleOptions {
  std::string mode = "weak,strong";
  std::string ranks;
  std::string sweep;
  std::string project = "16,64,288";
  std::string sweep_buckets;
  bool leave_largest_out = false;
};

/// A scale command in progress.
class Scaling {
 public:
  Scaling(const RunOptions& options,
          const ScaleOptions& scale,
          comm::Rendezvous& launch,
          const probes::RankPlacement& placement,
          reports::RunRecord record,
          const std::string& why_no_better_device)
      : options_(options),
        scale_(scale),
        launch_(launch),
        placement_(placement),
        caps_mib_(parse_bucket_caps(scale.sweep_buckets)),
        guard_(options.timeout),
        report_(std::move(record), options.output, launch),
        record_(report_.record()) {
    describe_launch(launch_, record_.system);
    report_.keep_device_choice(why_no_better_device);
  }

  int run() {
    together(launch_, [&] {
      check_apart({{"--output", options_.output}},
                  present_data_files(options_.session.workload, options_.session.data));
    });
    if (options_.dry_run) {
      together(launch_, [&] { report_.check_output(); });
      show_plan();
      return 0;
    }
    together(launch_, [&] {
      const ScaleRunOptions options = scale_options();
      static_cast<void>(
          plan_sizes(options.series, options.ranks));  // what cannot be run replaces no report
      report_.begin();
    });
    report_.attempt([&] { measure(); });
    if (report_.speaks()) {
      warn_missed_budget(options_, guard_.elapsed_s());
    }
    return report_.finish({.strict = options_.strict});
  }

 private:
  void measure() {
    const ScaleRunOptions options = scale_options();
    // The step runs in any case, for the facts that projections need.
    const PlannedParts parts{.loader = std::ranges::any_of(options.trials, &TrialId::loads)};
    ScaleRun scale(options, launch_, guard_, [this, &scale] {
      record_series(scale);
      report_.write();
    });
    describe(scale);
    report_.leave_out(scale.left_out());
    report_.taint(
        oversubscription(launch_,
                         placement_,
                         {.computes = !is_gpu(options_.session.device),
                          .workers = parts.loader ? options_.session.workers.value_or(1) : 0}));
    report_.note(hidden_peers(launch_, placement_));
    report_.taint(planned_taints(scale, parts));
    record_.system.peaks = scale.take_peaks();
    report_.note(lacking_memory_peak(record_.system.peaks));
    report_.enter("measuring");
    try {
      scale.measure();
    } catch (...) {
      record_series(scale);
      throw;
    }
    report_.enter("measuring all-reduces");
    scale.measure_facts();
    record_series(scale);
    project(scale);
    if (const std::string& missed = scale.missed_noise(); !missed.empty()) {
      report_.taint(Taint::kNoiseTargetMissed, "scale", missed);
    }
    scale.release();
    sweep_buckets();
  }

  // At the largest size, with the time budget left by the measurement of sizes.
  void sweep_buckets() {
    if (caps_mib_.empty()) {
      return;
    }
    report_.enter("sweeping bucket caps");
    ScaleRunOptions options = scale_options();
    options.time_budget_s = options_.time_budget.value();
    const std::vector<reports::TaintRecord> before = record_.run.taints;
    measure_bucket_caps(options, caps_mib_, launch_, guard_, [&](const BucketCapResults& measured) {
      record_.run.taints = before;
      report_.taint(measured.taints);
      keep_sweeps(measured.sweeps, record_.scaling);
      report_.write();
    });
  }

  // Shows what would be measured, from the plans of all sizes alone.
  void show_plan() {
    const ScaleRunOptions options = scale_options();
    std::vector<ScaleSize> sizes;
    together(launch_, [&] { sizes = plan_sizes(options.series, options.ranks); });
    std::vector<ScaleSize> kept;
    std::vector<reports::SkipRecord> left_out;
    std::vector<PlannedSize> planned;
    std::vector<TrialId> trials;
    std::string plan;
    reports::ConfigRecord config = record_.config;
    for (const ScaleSize& size : sizes) {
      const ScaleSeries& series = options.series[size.series];
      const std::vector<TrialId> own = trials_at(options.trials, size.ranks);
      const std::unique_ptr<comm::Rendezvous> members = launch_.first(size.ranks);
      const std::string reason = open_or_leave_out(series, size.ranks, launch_, [&] {
        if (members == nullptr) {
          return;
        }
        SessionPlan session(size.session, *members);
        if (size.series == 0) {  // of the largest, as describe() has it
          config = record_.config;
          complete_options(session, config.effective);
        }
        check_samples(options.series, sizes, session.dataset().size(), session.split_name());
        session.check_memory();
        if (report_.speaks() && size.series == 0 && size.ranks == options.ranks.back()) {
          warn_idle_options(session, options_, record_.config.source);
        }
        RankGroup group(*members);
        trials.insert(trials.end(), own.begin(), own.end());
        planned.push_back({.series = series_name(series),
                           .ranks = size.ranks,
                           .batch = session.batch(),
                           .memory_bytes = session.memory_need().total()});
        plan = plan_text(session, own) + sizes_text(planned) +
               scale_time_text(session, ranks_share_devices(session, group), trials, options_);
      });
      if (reason.empty()) {
        kept.push_back(size);
      } else {
        left_out.push_back({size_name(series, size.ranks), reason});
      }
    }
    check_left_out(options.series, kept, left_out);
    std::ranges::copy(trials_left_out(options.trials, sizes, kept), std::back_inserter(left_out));
    report_.leave_out(left_out);
    config.effective["ranks"] = fmt::format("{}", fmt::join(options.ranks, ","));
    report_.print_result(config_text(config) + plan);
  }

  void project(const ScaleRun& scale) {
    if (report_.speaks()) {
      project_series(scale,
                     {.ranks = projected_ranks(scale_.project),
                      .bucket_caps_mib = caps_mib_,
                      .bucket_ranks = scale_options().ranks.back(),
                      .leave_largest_out = scale_.leave_largest_out},
                     record_);
    }
  }

  [[nodiscard]] ScaleRunOptions scale_options() const {
    ScaleRunOptions options;
    if (!scale_.sweep.empty()) {
      options.series =
          sweep_series(workloads::find_sweep(scale_.sweep), parse_modes(scale_.mode), options_);
    } else {
      for (const std::string& mode : parse_modes(scale_.mode)) {
        options.series.push_back({.mode = mode, .session = session_options(options_)});
      }
    }
    options.ranks = scaled_ranks(scale_.ranks, launch_.size());
    options.trials = parse_trials(options_.trials, SyntheticTrials::kOne);
    options.runner = runner_options(options_);
    options.runner.max_discards = 1;  // per trial and size: there are many of both
    options.time_budget_s =
        options_.time_budget.value() * (caps_mib_.empty() ? 1.0 : kShareOfSizes);
    options.cache = options_.cache;
    return options;
  }

  // Describes what all sizes share by the largest one of the first series.
  void describe(const ScaleRun& scale) {
    ScaleMember* largest = nullptr;
    for (std::size_t index = 0; index < scale.sizes().size(); ++index) {
      if (scale.sizes()[index].series == 0 && scale.members()[index] != nullptr) {
        largest = scale.members()[index].get();
      }
    }
    if (report_.speaks() && largest != nullptr) {
      describe_plan(largest->plan(), record_);
      describe_planned_memory(largest->plan(), record_);
      warn_idle_options(largest->plan(), options_, record_.config.source);
      record_.config.effective["ranks"] =
          fmt::format("{}", fmt::join(scaled_ranks(scale_.ranks, launch_.size()), ","));
    }
  }

  void record_series(const ScaleRun& scale) {
    if (!report_.speaks()) {
      return;
    }
    record_.scaling.clear();
    record_.trials.clear();
    for (std::size_t series = 0; series < scale.series().size(); ++series) {
      record_.scaling.push_back(summarize_scaling(scale.input(series)));
    }
    report_.taint_trials(measured_taints(scale));
    for (std::size_t index = 0; index < scale.members().size(); ++index) {
      const auto& member = scale.members()[index];
      for (const TrialResult& result : member->runner().results()) {
        if (!result.repetitions.empty()) {
          reports::TrialRecord& trial =
              record_.trials.emplace_back(summarize_trial(result, member->context()));
          trial.series = series_name(scale.series()[scale.sizes()[index].series]);
          name_devices(record_.system, trial);
        }
      }
    }
  }

  const RunOptions& options_;
  const ScaleOptions& scale_;
  comm::Rendezvous& launch_;
  const probes::RankPlacement& placement_;
  std::vector<double> caps_mib_;
  RunGuard guard_;
  RunReport report_;
  reports::RunRecord& record_;
};

class ScaleCommand final : public Command {
 public:
  ScaleCommand() {
    run_.session.workload = "mnist_cnn";
    run_.trials = "io,synthetic,synthetic/nocomm,full";
    run_.time_budget = kTimeBudgetS;
  }
  [[nodiscard]] std::string name() const override { return "scale"; }
  [[nodiscard]] std::string summary() const override {
    return "measure from 1 to N ranks: weak and strong scaling, what communication costs";
  }
  [[nodiscard]] std::string details() const override {
    return "Start it with as many ranks as the largest size; smaller ones run on the first ranks\n"
           "while the others sleep. Compute threads per rank are the same at every size.\n"
           "Examples:\n"
           "  mpirun -np 8 dlbench scale\n"
           "  mpirun -np 4 dlbench scale --workload resunetpp --mode weak --ranks 1,2,4\n"
           "Exit codes: 0 done, 1 files, data or memory, 2 command line, device or launch,\n"
           "  4 tainted (with --strict), 5 a rank failed, 124 time-out, 130 Ctrl-C";
  }
  [[nodiscard]] bool parallel() const override { return true; }
  void add_options(OptionSet& options) override {
    add_workload_options(options, run_);
    options.add_text(
        "mode", "LIST", "weak (batch per rank fixed), strong (global batch fixed)", scale_.mode);
    options.add_text("ranks",
                     "LIST",
                     "numbers of ranks, e.g. 1,2,4; default: powers of two, and all",
                     scale_.ranks);
    options.add_text(
        "sweep", "NAME", "variants side by side: see `dlbench list sweeps`", scale_.sweep);
    options.add_text("project",
                     "LIST",
                     "numbers of ranks up to 1024 to predict from what was measured",
                     scale_.project);
    options.add_text("sweep-buckets",
                     "LIST",
                     "bucket caps in MiB to measure at the largest size, e.g. 1,5,25,100",
                     scale_.sweep_buckets);
    options.add_flag("leave-largest-out",
                     "also predict the largest measured size from the smaller ones, with the error",
                     scale_.leave_largest_out);
    add_measuring_options(
        options, run_, "io, synthetic[/device|/nocomm], full, interference (at 1 rank)");
    add_parallel_options(options, run_);
    add_loader_options(options, run_, "the measuring; cold is of `dlbench run`");
    add_output_options(options, run_);
  }
  void check() const override {
    check_session(run_);
    check_distinct({{"--config", run_.config}, {"--output", run_.output}});
    if (run_.cache == data::CacheMode::kCold) {
      throw Error(ErrorCode::kUsage,
                  "--cache cold drops the pages before every repetition, which `dlbench run` does; "
                  "scale takes as-is or warm");
    }
    static_cast<void>(parse_modes(scale_.mode));
    static_cast<void>(parse_trials(run_.trials, SyntheticTrials::kOne));
    if (run_.trials.find("synthetic/host") != std::string::npos) {
      throw Error(
          ErrorCode::kUsage,
          "--trials synthetic/host: scale has one synthetic trial, whose batch stays on the "
          "device; `dlbench run --trials synthetic/device,synthetic/host` has the copy");
    }
    static_cast<void>(projected_ranks(scale_.project));
    if (!scale_.ranks.empty()) {
      static_cast<void>(scaled_ranks(scale_.ranks, std::numeric_limits<int>::max()));
    }
    if (scale_.sweep.empty()) {
      check_sizes(run_);
    } else {
      static_cast<void>(workloads::find_sweep(scale_.sweep));
    }
    if (scale_.sweep.empty()) {
      check_global_batch();
    }
    check_bucket_sweep();
  }
  void check_ranks(int available) const override {
    const std::vector<int> ranks = scaled_ranks(scale_.ranks, available);
    check_share(run_, ranks.back());
    static_cast<void>(impossible_trials(parse_trials(run_.trials, SyntheticTrials::kOne), ranks));
    if (!scale_.sweep_buckets.empty() && ranks.back() == 1) {
      throw Error(ErrorCode::kUsage,
                  "--sweep-buckets: one rank has no all-reduce; start it with more (mpirun -np 2)");
    }
    if (scale_.leave_largest_out && ranks.size() < kMinSizes) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("--leave-largest-out predicts the largest of at least {} numbers of "
                              "ranks, here are {}; add some to --ranks or start it with more ranks",
                              kMinSizes,
                              ranks.size()));
    }
  }
  int run(const OptionSet& options, const Invocation& invocation) override {
    apply_verbosity(run_);
    if (!scale_.sweep.empty()) {
      take_defaults(workloads::find_sweep(scale_.sweep), options, invocation.ranks.size());
      check_global_batch();
      check_ranks(invocation.ranks.size());
    }
    core::log::info("scaling of " + run_.session.workload + " on " +
                    reports::count_text(invocation.ranks.size(), "rank") + " (" +
                    invocation.ranks.library() + ")");
    const std::vector<int> ranks = scaled_ranks(scale_.ranks, invocation.ranks.size());
    const std::vector<reports::SkipRecord> skipped =
        impossible_trials(parse_trials(run_.trials, SyntheticTrials::kOne), ranks);
    for (const reports::SkipRecord& skip : skipped) {
      if (!options.is_default("trials")) {
        core::log::warn(skip.what + " skipped: " + skip.reason);
      }
    }
    StartedRun start = start_run(run_, options, invocation, ranks.back());
    start.record.run.skipped = skipped;
    RunOptions placed = run_;
    placed.session.threads = run_.session.threads.value_or(start.placement.threads);
    placed.session.own_cpus = start.placement.workers;
    placed.session.gpu_address = placed_gpu_address(start.placement, invocation.ranks.size());
    std::string why_no_better_device;
    if (run_.session.device == "auto") {  // chosen and said once, by all ranks
      OpenedDevice opened = open_device_on_all(invocation.ranks,
                                               run_.session.device,
                                               placed.session.threads,
                                               placed.session.gpu_address);
      placed.session.device = std::move(opened.device);
      why_no_better_device = std::move(opened.why_no_better);
    }
    return Scaling(placed,
                   scale_,
                   invocation.ranks,
                   start.placement,
                   std::move(start.record),
                   why_no_better_device)
        .run();
  }

 private:
  void check_global_batch() const {
    const std::vector<std::string> modes = parse_modes(scale_.mode);
    if (run_.session.global_batch_size.has_value() &&
        std::find(modes.begin(), modes.end(), "strong") == modes.end()) {
      throw Error(ErrorCode::kUsage,
                  scale_.sweep.empty()
                      ? "--global-batch-size is of strong scaling; with --mode weak give "
                        "--batch-size"
                      : "--global-batch-size is of strong scaling, and --sweep " + scale_.sweep +
                            " is weak; give --batch-size, or --mode strong");
    }
  }
  void check_bucket_sweep() const {
    if (parse_bucket_caps(scale_.sweep_buckets).empty()) {
      return;
    }
    if (!scale_.sweep.empty()) {
      throw Error(ErrorCode::kUsage,
                  "--sweep-buckets and --sweep exclude each other: one question at a time");
    }
    if (run_.session.strategy == Strategy::kDataParallel) {
      throw Error(ErrorCode::kUsage,
                  "--sweep-buckets is of --strategy ddp: a single root has no all-reduces");
    }
  }

  // Options that the user did not choose come from the sweep.
  void take_defaults(const workloads::SweepSpec& spec, const OptionSet& options, int available) {
    const auto join = [](const auto& parts, const auto& to_text) {
      std::string text;
      for (const auto& part : parts) {
        text += (text.empty() ? "" : ",") + to_text(part);
      }
      return text;
    };
    if (options.is_default("workload")) {
      run_.session.workload = spec.workload;
    }
    if (options.is_default("trials")) {
      run_.trials = join(spec.trials, [](const std::string& trial) { return trial; });
    }
    check_variants(spec, options, run_.trials);
    if (options.is_default("mode")) {
      scale_.mode = join(
          spec.rules, [](workloads::BatchRule rule) { return std::string(workloads::name(rule)); });
    }
    if (options.is_default("ranks")) {
      scale_.ranks = join(workloads::rank_counts(spec, available),
                          [](std::int64_t ranks) { return std::to_string(ranks); });
    }
  }

  RunOptions run_;
  ScaleOptions scale_;
};

}  // namespace

std::unique_ptr<Command> make_scale_command() { return std::make_unique<ScaleCommand>(); }

}  // namespace dlbench::harness
