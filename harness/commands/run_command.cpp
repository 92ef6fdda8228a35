// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
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
#include "harness/faults/fault_watch.h"
#include "harness/rank_placement.h"
#include "harness/ranks.h"
#include "harness/scaling/scale_plan.h"
#include "harness/session/plan_record.h"
#include "harness/session/session.h"
#include "harness/trials/arm.h"
#include "harness/trials/cache_policy.h"
#include "harness/trials/capture.h"
#include "harness/trials/device_fault.h"
#include "harness/trials/operator_profile.h"
#include "harness/trials/probe_set.h"
#include "harness/trials/profiling.h"
#include "harness/trials/profiling_time.h"
#include "harness/trials/rank_peaks.h"
#include "harness/trials/runner_hooks.h"
#include "harness/trials/trial_runner.h"
#include "harness/trials/trial_summary.h"
#include "harness/trials/untimed_runner.h"
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

/// Share of --time-budget for comparing kernels, from the command's start.
constexpr double kTuningShare = 0.25;

using core::Error;
using core::ErrorCode;
using reports::Taint;

constexpr double kProfiledSeconds = 0.5;  // per trial and probe, and of the timeline
constexpr double kMaxProfiledSeconds = 3.0;

// A run command in progress: a session, its record, and keeping the report on disk valid.
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
        cache_(options.cache, ranks, group_),
        report_(std::move(record), options.output, ranks),
        record_(report_.record()) {
    describe_launch(ranks_, record_.system);
  }

  int run() {
    SessionOptions session = session_options(options_, placement_, ranks_.size());
    if (options_.time_budget.has_value()) {
      session.tune_until_s =
          core::steady_seconds() - guard_.elapsed_s() + kTuningShare * *options_.time_budget;
    }
    SessionPlan plan(std::move(session), ranks_);
    const std::vector<TrialId> trials = possible_trials(plan);
    describe_plan(plan, record_);
    report_.keep_device_choice(plan.why_no_better_device());
    warn_idle_options(plan, options_, record_.config.source);
    if (!options_.capture_steps.empty()) {
      check_capture(plan.backend());
    }
    together(ranks_, [&] {
      plan.check_memory();
      if (report_.speaks()) {
        cache_.check(plan, trials);
        check_files(plan);
      }
    });
    if (options_.dry_run) {
      const bool shared = ranks_share_devices(plan, group_);
      report_.print_result(config_text(record_.config) + plan_text(plan, trials) +
                           run_time_text(plan, shared, trials, options_));
      return 0;
    }
    const PlannedParts parts{.loader = std::ranges::any_of(trials, &TrialId::loads),
                             .step = std::ranges::any_of(trials, &TrialId::trains)};
    report_.taint(oversubscription(ranks_, placement_, core_use(plan, parts)));
    report_.note(hidden_peers(ranks_, placement_));
    report_.taint(planned_taints(plan, parts));
    together(ranks_, [&] {
      describe_planned_memory(plan, record_);
      report_.begin();
    });
    report_.attempt([&] { measure(plan, trials); }, [this] { tell_missing_parts(); });
    return finish();
  }

 private:
  /// Returns the trials of --trials that are possible with that many ranks; report and a warning
  /// say why others are not. Throws core::Error(kUsage) if none is left.
  [[nodiscard]] std::vector<TrialId> possible_trials(const SessionPlan& plan) {
    const SyntheticTrials synthetic =
        plan.backend().reads_host_memory() ? SyntheticTrials::kOne : SyntheticTrials::kByMemory;
    const std::vector<TrialId> wanted =
        with_nocomm_for_verdict(parse_trials(options_.trials, synthetic), ranks_.size());
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

  /// For a failed run, whose report else has nothing to say of operators, and whose files, if there
  /// are any, are those of an earlier run.
  void tell_missing_parts() {
    if (record_.workload.has_value() && record_.operators.empty() && runs_steps(options_)) {
      record_.run.skipped.push_back({"operators", "the run ended before they were profiled"});
    }
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
    report_.note(lacking_memory_peak(record_.system.peaks));
    group_.barrier();
    Session session(plan);
    describe_session(session, record_);
    report_.taint(plan_taint(session.step().lowered()));
    context_ = trial_context(plan, group_, guard_);
    context_.peaks = peaks_of_all_ranks(plan, group_, record_.system.peaks);
    std::vector<std::unique_ptr<Arm>> arms;
    arms.reserve(trials.size());
    for (const TrialId& trial : trials) {
      arms.push_back(make_arm(trial, session));
    }
    RunnerOptions runner_options = harness::runner_options(options_);
    profiled_repetitions_ =
        group_.broadcast(profiled_repetitions(probes, arms, !options_.trace.empty()));
    if (options_.time_budget.has_value()) {
      runner_options.time_budget_s =
          *options_.time_budget -
          group_.broadcast(profiling_share_s(*options_.time_budget, profiled_repetitions_));
    }
    runner_options.own_threads = plan.own_threads();
    runner_options.cold_pass_steps = cache_.pass_steps(session, arms);
    const RunnerHooks hooks = hooks_of(session, probes);
    TrialRunner runner(std::move(runner_options), group_, guard_, hooks);
    cache_.prepare(plan);
    note_cache();
    run_arms(runner, arms);
    conclude(session, runner.results());
    report_.write();  // a profiler may take the process with it
    naming_device_faults(
        [&] {
          profile(session, probes, runner.results(), arms, hooks.failure);
          if (!options_.capture_steps.empty()) {
            report_.write();  // a profiler may end the process with its capture
            capture(session, hooks.failure);
          }
        },
        hooks.failure.device_fault);
    if (const std::string fault = probes.take_fault().fault; !fault.empty()) {
      throw Error(ErrorCode::kRun, "profiling: " + fault);
    }
  }

  RunnerHooks hooks_of(Session& session, ProbeSet& probes) {
    return {.failure = {.device_fault = [&] { return probes.take_fault().possible_cause; },
                        .on_failure =
                            [this](const Error& failure) { declare_failure(ranks_, failure); }},
            .before_repetition =
                [this, &session](const TrialId& id) {
                  cache_.before_repetition(id, session);
                  note_cache();
                },
            .begin_window = [&](const TrialId& id) { probes.begin(id); },
            .end_window = [&] { return probes.end(); },
            .after_repetition =
                [this, &probes](const std::vector<TrialResult>& results) {
                  record_trials(results);
                  probes.collect(record_);
                  report_.write();
                }};
  }

  // A replayed step is one launch: a profiler sees no phases and ops in it.
  void capture(Session& session, const FailureHooks& failure) {
    const bool node_by_node = options_.session.cuda_graph != exec::GraphReplay::kOn;
    if (node_by_node && session.step().replays()) {
      core::log::info(
          "--capture-steps: the captured steps run node by node, for their phases and ops to be "
          "seen; the measured ones were replayed (--cuda-graph on: the captured ones too)");
    }
    const StepRange range = parse_step_range(options_.capture_steps);
    const std::unique_ptr<Arm> arm = make_arm(captured_trial(options_.capture_trial), session);
    core::log::progress(fmt::format("{}: steps to capture", arm->id().to_string()));
    failure.tell_failure([&] {
      capture_steps(*arm, range, session.plan().backend(), guard_, [&](bool capturing) {
        session.step().set_replay(!(capturing && node_by_node));
      });
    });
    core::log::progress("");
    core::log::info(fmt::format("--capture-steps: steps {} to {} of {} were marked for a profiler",
                                range.first,
                                range.last,
                                arm->id().to_string()));
  }

  // Last of all: a profiler's effects on the process must not affect what was measured.
  void profile(Session& session,
               ProbeSet& probes,
               const std::vector<TrialResult>& results,
               const std::vector<std::unique_ptr<Arm>>& arms,
               const FailureHooks& failure) {
    report_.enter("profiling");
    profiled_ = true;
    const double max_s = options_.max_time.value_or(StoppingLimits{}.max_time_s);
    ProfilingRequest request{.seconds = std::min(kProfiledSeconds, max_s),
                             .max_seconds = std::min(kMaxProfiledSeconds, max_s),
                             .trace_file = options_.trace,
                             .ops = op_labels(session.step().lowered()),
                             .after_probe = [this] { report_.write(); }};
    if (options_.time_budget.has_value()) {
      fit_profiling(group_.broadcast(*options_.time_budget - guard_.elapsed_s()),
                    profiled_repetitions_,
                    request);
    }
    if (!options_.capture_steps.empty()) {
      request.profiler_taken =
          "--capture-steps leaves the profiler of this process to the tool that captures";
    }
    UntimedRunner runner(group_, guard_, failure);
    const auto shares = profile_arms(group_, probes, runner, arms, request, record_);
    if (shares.has_value()) {
      AttributionInput input = attribution_input(results, context_);
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

  void note_cache() {
    context_.cache = cache_.record();
    if (const std::string doubt = cache_.take_doubt(); !doubt.empty()) {
      report_.taint(Taint::kCacheStateUnknown, "data set", doubt);
    }
  }

  // Trials keep what probes have seen of them so far: a window ended by an error belongs to no
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
      note_replay(session);
      profile_step(session);
    } else {
      record_.run.skipped.push_back({"operators", "no trial of --trials runs the network's step"});
    }
  }

  /// Notes a device that can replay steps, and should have.
  void note_replay(Session& session) {
    if (const std::string why = session.step().why_no_replay();
        !why.empty() && !session.plan().backend().reads_host_memory()) {
      record_.run.skipped.push_back({"replay of the step (CUDA graph)", why});
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
        {.cpus = probes::watched_cpus(), .threads = session.plan().step_threads()},
        record_.system.peaks);
    core::log::progress("");
    record_.operators = std::move(profile.operators);
    if (!profile.disturbance.empty()) {
      report_.taint(Taint::kDisturbed, "operators", profile.disturbance);
    }
  }

  int finish() {
    if (group_.speaks()) {
      warn_missed_budget(options_, guard_.elapsed_s());
    }
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
  CachePolicy cache_;
  RunReport report_;
  reports::RunRecord& record_;
  TrialContext context_;
  std::int64_t profiled_repetitions_ = 0;
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
    std::vector<NamedFile> files{{"--config", run_.config},
                                 {"--output", run_.output},
                                 {"--benchy", run_.benchy},
                                 {"--trace", run_.trace}};
    for (const std::string& file : recorded_files(run_.record_probes)) {
      files.push_back({"--record-probes", file});
    }
    check_distinct(files);
    check_not_standard_output({{"--benchy", run_.benchy}, {"--trace", run_.trace}});
    static_cast<void>(parse_trials(run_.trials, SyntheticTrials::kByMemory));
    static_cast<void>(ProbeChoice(run_.probes));
    static_cast<void>(captured_trial(run_.capture_trial));
    if (!run_.capture_steps.empty()) {
      static_cast<void>(parse_step_range(run_.capture_steps));
      if (const std::string& device = run_.session.device; device == "cpu" || device == "ref") {
        check_capture(*backend::create_backend(device, {}));
      }
    }
  }
  void check_ranks(int available) const override {
    check_share(run_, available);
    static_cast<void>(
        impossible_trials(parse_trials(run_.trials, SyntheticTrials::kByMemory), {available}));
  }
  int run(const OptionSet& options, const Invocation& invocation) override {
    // A config file that repeats the defaults requests nothing.
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
