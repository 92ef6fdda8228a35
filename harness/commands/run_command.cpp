// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/commands/command.h"
#include "harness/commands/output_files.h"
#include "harness/commands/plan_text.h"
#include "harness/commands/run_options.h"
#include "harness/commands/run_record.h"
#include "harness/commands/run_report.h"
#include "harness/commands/run_start.h"
#include "harness/commands/system_record.h"
#include "harness/commands/time_text.h"
#include "harness/faults/fault_watch.h"
#include "harness/rank_placement.h"
#include "harness/ranks.h"
#include "harness/scaling/scale_plan.h"
#include "harness/session/plan_record.h"
#include "harness/session/session.h"
#include "harness/trials/arm.h"
#include "harness/trials/capture.h"
#include "harness/trials/cold_pass.h"
#include "harness/trials/device_fault.h"
#include "harness/trials/operator_profile.h"
#include "harness/trials/probe_set.h"
#include "harness/trials/profiling.h"
#include "harness/trials/rank_peaks.h"
#include "harness/trials/trial_runner.h"
#include "harness/trials/trial_summary.h"
#include "probes/node/disturbance.h"
#include "reports/text/benchy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
using reports::Taint;

constexpr double kProfiledSeconds = 0.5;  // per trial and probe, and of the timeline
constexpr double kMostProfiledSeconds = 3.0;

// The run command while it runs: a session, its record, and what keeps the report on the disk
// valid.
class Measurement {
 public:
  Measurement(const RunOptions& options,
              comm::Rendezvous& ranks,
              const probes::RankPlacement& placement,
              reports::RunRecord record)
      : options_(options),
        ranks_(ranks),
        placement_(placement),
        group_(ranks),
        guard_(options.timeout),
        report_(std::move(record), options.output, ranks),
        record_(report_.record()) {
    describe_launch(ranks_, record_.system);
  }

  int run() {
    SessionPlan plan(session_options(options_, placement_, ranks_.size()), ranks_);
    const std::vector<TrialId> trials = possible_trials(plan);
    describe_plan(plan, record_);
    if (std::ranges::any_of(trials, &TrialId::loads)) {
      warn_idle_workers(plan);
    }
    if (!options_.capture_steps.empty()) {
      check_capture(plan.backend());
    }
    together(ranks_, [&] {
      plan.check_memory();
      if (report_.speaks()) {
        check_cold_pass(plan, trials);
        check_files(plan);
      }
    });
    if (options_.dry_run) {
      const bool shared = ranks_share_devices(plan, group_);
      report_.say(config_text(record_.config) + plan_text(plan, trials) +
                  run_time_text(plan, shared, trials, options_));
      return 0;
    }
    report_.taint(oversubscription(ranks_, placement_, core_use(plan)));
    report_.note(hidden_peers(ranks_, placement_));
    report_.taint(planned_taints(plan));
    together(ranks_, [&] {
      describe_planned_memory(plan, record_);
      report_.begin();
    });
    try {
      report_.attempt([&] { measure(plan, trials); }, [this] { tell_missing_files(); });
    } catch (...) {
      if (profiled_) {  // all is measured: a trace that cannot be written takes no number away
        report_.summarize();
      }
      throw;
    }
    return finish();
  }

 private:
  /// Those of --trials that so many ranks can do; of the others the report and a warning say why
  /// not. Throws core::Error(kUsage) if none is left.
  [[nodiscard]] std::vector<TrialId> possible_trials(const SessionPlan& plan) {
    const std::vector<TrialId> wanted = parse_trials(
        options_.trials,
        plan.backend().reads_host_memory() ? SyntheticTrials::kOne : SyntheticTrials::kByMemory);
    for (const reports::SkipRecord& skipped : impossible_trials(wanted, {ranks_.size()})) {
      core::log::warn(skipped.what + " skipped: " + skipped.reason);
      record_.run.skipped.push_back(skipped);
    }
    return trials_at(wanted, ranks_.size());
  }

  void check_files(const SessionPlan& plan) const {
    check_apart(
        {{"--output", options_.output}, {"--benchy", options_.benchy}, {"--trace", options_.trace}},
        plan.data_files());
    check_writable({{"--benchy", options_.benchy}, {"--trace", options_.trace}});
    if (const std::filesystem::path folder = options_.record_probes; !folder.empty()) {
      check_writable({{"--record-probes", (folder / "probes.json").string()}});
    }
    report_.check_output();
  }

  /// Of a run that failed: what lies at such a place is of an earlier one.
  void tell_missing_files() {
    if (!options_.trace.empty() && !profiled_) {
      record_.run.skipped.push_back(
          {"trace", "the run ended before the repetition that --trace records, the last one"});
    }
    if (!options_.benchy.empty()) {
      record_.run.skipped.push_back(
          {"benchy", "the run ended before its end, at which --benchy is written"});
    }
  }

  void measure(SessionPlan& plan, const std::vector<TrialId>& trials) {
    ProbeSet probes(plan.backend().device(),
                    {.choice = ProbeChoice(options_.probes),
                     .record_folder = report_.speaks() ? options_.record_probes : "",
                     .shares_device = !plan.shared_device().empty(),
                     .processes = plan.ranks_on_device(),
                     .traces = !options_.trace.empty()});
    probes.collect(record_);
    record_.system.peaks = peaks_of_this_rank(plan.backend(), group_);
    group_.barrier();
    Session session(plan);
    describe_session(session, record_);
    report_.taint(plan_taint(session.step().lowered()));
    context_ = trial_context(plan, group_, guard_);
    context_.cache.mode = core::name_in(data::kCacheModes, options_.cache);
    context_.peaks = peaks_of_all_ranks(plan, group_, record_.system.peaks);
    std::vector<std::unique_ptr<Arm>> arms;
    arms.reserve(trials.size());
    for (const TrialId& trial : trials) {
      arms.push_back(make_arm(trial, session));
    }
    RunnerOptions runner_options = harness::runner_options(options_);
    runner_options.time_budget_s = options_.time_budget;
    runner_options.own_threads = plan.own_threads();
    runner_options.cold_pass_steps = cold_pass(session, arms);
    TrialRunner runner(
        std::move(runner_options), group_, guard_, [&](const std::vector<TrialResult>& results) {
          record_trials(results);
          probes.collect(record_);
          report_.write();
        });
    prepare_cache(runner, session);
    runner.begin_window = [&](const TrialId& id) { probes.begin(id); };
    runner.end_window = [&] { return probes.end(); };
    runner.device_fault = [&] { return probes.take_fault(); };
    runner.on_failure = [this](const Error& failure) { declare_failure(ranks_, failure); };
    run_arms(runner, arms);
    conclude(session, runner.results());
    report_.write();  // a profiler may take the process with it
    naming_device_faults(
        [&] {
          profile(session, probes, runner, arms);
          if (!options_.capture_steps.empty()) {
            report_.write();  // a profiler may end the process with its capture
            capture(session, runner);
          }
        },
        runner.device_fault);
    if (const std::string fault = probes.take_fault(); !fault.empty()) {
      throw Error(ErrorCode::kRun, "profiling: " + fault);
    }
  }

  // A replayed step is one launch: it passes by no phase and no op that a profiler could show.
  void capture(Session& session, const TrialRunner& runner) {
    const bool node_by_node = options_.cuda_graph != exec::GraphReplay::kOn;
    if (node_by_node && session.step().replays()) {
      core::log::info(
          "--capture-steps: the captured steps run node by node, for their phases and ops to be "
          "seen; the measured ones were replayed (--cuda-graph on: the captured ones too)");
    }
    const StepRange range = parse_step_range(options_.capture_steps);
    const std::unique_ptr<Arm> arm = make_arm(captured_trial(options_.capture_trial), session);
    core::log::progress(fmt::format("{}: steps to capture", arm->id().to_string()));
    runner.tell_failure(
        [&] {
          capture_steps(*arm, range, session.plan().backend(), guard_, [&](bool capturing) {
            session.step().set_replay(!(capturing && node_by_node));
          });
        },
        runner.device_fault);
    core::log::progress("");
    core::log::info(fmt::format("--capture-steps: steps {} to {} of {} were marked for a profiler",
                                range.first,
                                range.last,
                                arm->id().to_string()));
  }

  // After everything else: what a profiler does to the process must not reach what was measured.
  void profile(Session& session,
               ProbeSet& probes,
               TrialRunner& runner,
               const std::vector<std::unique_ptr<Arm>>& arms) {
    report_.enter("profiling");
    profiled_ = true;
    const double most_s = options_.max_time.value_or(StoppingLimits{}.max_time_s);
    ProfilingRequest request{.seconds = std::min(kProfiledSeconds, most_s),
                             .most_seconds = std::min(kMostProfiledSeconds, most_s),
                             .trace_file = options_.trace,
                             .ops = op_labels(session.plan().training_graph()),
                             .after_probe = [this] { report_.write(); }};
    if (!options_.capture_steps.empty()) {
      request.profiler_taken =
          "--capture-steps leaves the profiler of this process to the tool that captures";
    }
    const auto shares = profile_arms(group_, probes, runner, arms, request, record_);
    if (shares.has_value()) {
      AttributionInput input = attribution_input(runner.results(), context_);
      input.gpu = shares;
      record_.attribution = attribute(input);
    }
  }

  void run_arms(TrialRunner& runner, const std::vector<std::unique_ptr<Arm>>& arms) {
    try {
      runner.run(arms);
    } catch (...) {
      record_trials(runner.results());
      report_.write();
      throw;
    }
  }

  // Before kernels are chosen: a data set may be too small for --cache cold.
  void check_cold_pass(const SessionPlan& plan, const std::vector<TrialId>& trials) const {
    if (options_.cache == data::CacheMode::kCold && std::ranges::any_of(trials, &TrialId::loads) &&
        !plan.dataset().spec().held_in_memory) {
      const data::LoaderOptions loader = plan.loader_options();
      static_cast<void>(cold_pass_steps(
          data::Sampler(data::sampler_options(plan.dataset(), loader)), loader.prefetch));
    }
  }

  // With --cache cold, what one pass over the data leaves for the clock; data held in memory are
  // not read again.
  std::optional<std::int64_t> cold_pass(Session& session,
                                        const std::vector<std::unique_ptr<Arm>>& arms) {
    const bool loads = std::any_of(arms.begin(), arms.end(), [](const std::unique_ptr<Arm>& arm) {
      return arm->loader_stats().has_value();
    });
    if (options_.cache != data::CacheMode::kCold ||
        session.plan().dataset().spec().held_in_memory) {
      return std::nullopt;
    }
    std::int64_t steps = 0;
    together(ranks_, [&] {
      if (loads) {
        const data::PrefetchLoader& loader = session.loader();
        steps = cold_pass_steps(loader.sampler(), loader.options().prefetch);
      }
    });
    steps = group_.broadcast(steps);  // rank 0 is one that loads, if any does
    return steps > 0 ? std::optional(steps) : std::nullopt;
  }

  // The page cache: as-is is looked at once, warm made once, cold before every repetition, which
  // begins with an epoch and when all ranks have dropped the pages.
  void prepare_cache(TrialRunner& runner, Session& session) {
    const data::CacheMode mode = options_.cache;
    set_cache(mode, session.plan());
    if (mode == data::CacheMode::kCold) {
      runner.before_repetition = [this, mode, &session](const TrialId& id) {
        if (id.loads()) {
          session.loader().skip_to_epoch();
          set_cache(mode, session.plan());
          group_.barrier();
        }
      };
    }
  }

  void set_cache(data::CacheMode mode, const SessionPlan& plan) {
    const data::CacheState state =
        data::prepare_page_cache(mode, plan.dataset(), options_.skip_corrupt);
    if (context_.cache.proof.empty()) {
      context_.cache.proof = state.proof;
    }
    if (state.resident_after.has_value()) {
      context_.cache.resident_before =
          std::max(*state.resident_after, context_.cache.resident_before.value_or(0.0));
    }
    if (!state.verified && !cache_tainted_) {
      cache_tainted_ = true;
      report_.taint(Taint::kCacheStateUnknown, "data set", state.proof);
    }
  }

  // Trials keep what probes saw of them until now: a window that an error ended is of no
  // repetition.
  void record_trials(const std::vector<TrialResult>& results) {
    std::vector<reports::TrialRecord> before = std::exchange(record_.trials, {});
    auto known = before.begin();  // in the same order; a trial may come to them, and none goes
    std::vector<reports::TaintRecord> taints;
    for (const TrialResult& result : results) {
      if (result.repetitions.empty()) {
        continue;
      }
      reports::TrialRecord& trial = record_.trials.emplace_back(summarize_trial(result, context_));
      name_devices(record_.system, trial);
      if (known != before.end() && known->kind == trial.kind && known->variant == trial.variant) {
        trial.probes = std::move(known++->probes);
      }
      const std::vector<reports::TaintRecord> found = result.all_taints();
      taints.insert(taints.end(), found.begin(), found.end());
    }
    report_.taint_trials(taints);
  }

  void conclude(Session& session, const std::vector<TrialResult>& results) {
    report_.enter("analysis");
    record_trials(results);
    record_.attribution = attribute(attribution_input(results, context_));
    if (runs_steps(options_)) {
      profile_step(session);
    } else {
      record_.run.skipped.push_back({"operators", "no trial of --trials runs the network's step"});
    }
  }

  void profile_step(Session& session) {
    if (const std::optional<double> error = session.measure_compression_error()) {
      record_.workload->parameters["compression_relative_error"] = *error;
    }
    core::log::progress("profiling operators");
    OperatorProfile profile = profile_operators(
        session,
        group_,
        {.cpus = probes::watched_cpus(), .threads = session.plan().backend().device().threads},
        record_.system.peaks);
    core::log::progress("");
    record_.operators = std::move(profile.operators);
    if (!profile.disturbance.empty()) {
      report_.taint(Taint::kDisturbed, "operators", profile.disturbance);
    }
  }

  int finish() {
    RunEnding ending{.strict = options_.strict};
    if (!options_.benchy.empty()) {
      ending.write_others = [&] {
        if (group_.speaks()) {
          reports::write_benchy(record_, options_.benchy);
        }
      };
      ending.lines_below = [&] { return reports::benchy_lines(record_); };
    }
    return report_.finish(ending);
  }

  const RunOptions& options_;
  comm::Rendezvous& ranks_;
  probes::RankPlacement placement_;
  RankGroup group_;
  RunGuard guard_;
  RunReport report_;
  reports::RunRecord& record_;
  TrialContext context_;
  bool cache_tainted_ = false;
  bool profiled_ = false;
};

class RunCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "run"; }
  [[nodiscard]] std::string summary() const override {
    return "measure where training time goes: loader alone, step alone, both";
  }
  [[nodiscard]] std::string details() const override {
    return "Examples:\n"
           "  dlbench run --workload resunetpp --trials io,synthetic,full\n"
           "  dlbench run --workload mnist_cnn --batch-size 128 --output mnist.json\n"
           "Exit codes: 0 done, 1 files, data or memory, 2 command line or device,\n"
           "  4 tainted (with --strict), 5 failed during the run, 124 time-out, 130 Ctrl-C";
  }
  [[nodiscard]] bool parallel() const override { return true; }
  void add_options(OptionSet& options) override {
    add_workload_options(options, run_);
    add_measuring_options(options, run_);
    add_parallel_options(options, run_);
    add_loader_options(options, run_);
    add_output_options(options, run_);
    add_trace_option(options, run_);
    add_probe_option(options, run_);
    options.add_text("benchy", "FILE", "report with benchy's keys", run_.benchy);
    options.add_text("record-probes",
                     "DIR",
                     "existing folder for the raw records of GPU probes",
                     run_.record_probes);
    options.add_text(
        "capture-steps",
        "FIRST-LAST",
        "steps, both included, that `nsys profile -c cudaProfilerApi --kill none` records, node "
        "by node unless --cuda-graph on",
        run_.capture_steps);
    options.add_text("capture-trial", "NAME", "the trial of --capture-steps", run_.capture_trial);
  }
  void check() const override {
    check_session(run_);
    check_sizes(run_);
    check_distinct({{"--config", run_.config},
                    {"--output", run_.output},
                    {"--benchy", run_.benchy},
                    {"--trace", run_.trace}});
    check_not_standard_output({{"--benchy", run_.benchy}, {"--trace", run_.trace}});
    static_cast<void>(parse_trials(run_.trials, SyntheticTrials::kByMemory));
    static_cast<void>(ProbeChoice(run_.probes));
    static_cast<void>(captured_trial(run_.capture_trial));
    if (!run_.capture_steps.empty()) {
      static_cast<void>(parse_step_range(run_.capture_steps));
    }
  }
  void check_ranks(int available) const override {
    check_share(run_, available);
    static_cast<void>(
        impossible_trials(parse_trials(run_.trials, SyntheticTrials::kByMemory), {available}));
  }
  int run(const OptionSet& options, const Invocation& invocation) override {
    // What a config file repeats of the defaults asks for nothing.
    const bool chosen =
        options.sources().at("capture-trial") == harness::name(OptionSource::kCommandLine) ||
        run_.capture_trial != RunOptions().capture_trial;
    if (chosen && run_.capture_steps.empty()) {
      throw Error(ErrorCode::kUsage,
                  "--capture-trial " + run_.capture_trial +
                      " says whose steps are captured; say which with --capture-steps 20-49");
    }
    StartedRun start = start_run(run_, options, invocation, invocation.ranks.size());
    return Measurement(run_, invocation.ranks, start.placement, std::move(start.record)).run();
  }

 private:
  RunOptions run_;
};

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace dlbench::harness
