// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Owns warm-up, timing and stopping; knows no model. Trials are interleaved in rounds, so that slow
// drifts of the machine meet all of them alike, and repetitions of one round are paired. On several
// ranks all of them run the same steps: a repetition begins on all at once, and what follows from
// it is decided from what all have measured.
#pragma once

#include "harness/session/run_guard.h"
#include "harness/trials/arm.h"
#include "harness/trials/cold_pass.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/steady_state.h"
#include "harness/trials/stopping_rule.h"
#include "harness/trials/time_plan.h"
#include "probes/node/disturbance.h"
#include "probes/probe.h"
#include "reports/record.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Seconds of a repetition, whatever the budget (or --min-time, if that is less): below it, what a
/// full prefetch queue gives for nothing and how late ranks leave a barrier are a good part of the
/// time.
inline constexpr double kShortestRepetitionS = 0.1;

struct RunnerOptions {
  std::string name;  ///< of the runner, where there are several: "weak, 2 ranks"
  StoppingLimits stopping;
  double min_time_s = 1.0;            ///< per repetition, at least
  std::optional<std::int64_t> steps;  ///< per repetition, exactly
  /// With a cold page cache: steps per repetition at most of an arm with a loader,
  /// cold_pass_steps(). Whether its repetitions read from storage is checked then. The same on all
  /// ranks.
  std::optional<std::int64_t> cold_pass_steps;
  std::int64_t warmup_steps = 0;  ///< at least
  std::optional<double> time_budget_s;
  int cpus = 1;                   ///< probes::watched_cpus(), for the judgement of disturbance
  std::int64_t own_threads = 1;   ///< compute threads and loader workers; arms may have more
  std::int64_t max_discards = 3;  ///< disturbed repetitions repeated per trial, where there is time
};

/// How many steps a repetition has.
struct RepetitionLength {
  std::int64_t steps = 1;  ///< at least
  std::int64_t at_most = std::numeric_limits<std::int64_t>::max();
  double least_s = 0.0;  ///< and seconds at least, as far as at_most allows

  [[nodiscard]] static RepetitionLength exactly(std::int64_t steps) {
    return {.steps = steps, .at_most = steps};
  }
};

/// How long a repetition of TrialRunner::run_untimed() is.
struct UntimedLength {
  double least_s = 0.5;
  std::int64_t steps = 1;  ///< and steps at least, as far as most_s allows
  double most_s = 0.0;
  std::int64_t fewest_steps = 1;  ///< whatever most_s says
  /// Steps before those, of at most least_s seconds (the first is made whatever it lasts): whatever
  /// begins with recording, and the start of the pipeline, is over then.
  std::int64_t settling_steps = 0;
  bool waits_for_settling = false;  ///< the steps that count begin when none of those is on its way
};

/// What the ranks measured in one repetition, by rank.
struct RankRound {
  std::int64_t round = 0;
  std::vector<RankShare> shares;
  std::vector<std::vector<double>> step_wall_s;  ///< seconds by rank, then by step; rank 0 has them
};

/// All that was measured for one trial.
struct TrialResult {
  TrialId id;
  reports::WarmupRecord warmup;
  std::vector<reports::RepetitionRecord> repetitions;
  PhaseTotals phases;        ///< of the repetitions that count
  data::LoaderStats loader;  ///< summed over them
  bool has_loader = false;
  double timed_s = 0.0;                      ///< wall time of the repetitions that count
  double elapsed_s = 0.0;                    ///< of all, discarded ones and preparation included
  std::vector<reports::TaintRecord> taints;  ///< what went wrong
  std::vector<reports::TaintRecord> own_taints;  ///< what its purpose brings: of the trial alone
  std::optional<reports::TaintRecord> budget_taint;    ///< what --time-budget shortened
  std::optional<reports::TaintRecord> throttle_taint;  ///< clocks of devices, as known so far
  /// By rank, on rank 0: what held the clocks of its device back when first it was throttled;
  /// empty: it never was.
  std::vector<std::string> clocks_held_back;
  std::vector<RankRound> rounds;  ///< of the repetitions that count

  /// Rates of the repetitions that count, in order of rounds.
  [[nodiscard]] std::vector<double> rates() const;
  /// CPU seconds of the process per sample, over the repetitions that count.
  [[nodiscard]] std::optional<double> cpu_s_per_sample() const;
  /// `taints`, those of the budget and of clocks, and of corrupt samples that any rank replaced in
  /// the repetitions that count.
  [[nodiscard]] std::vector<reports::TaintRecord> all_taints() const;
};

/// Runs arms until the stopping rule is satisfied.
class TrialRunner {
 public:
  /// Called after every repetition, outside all clocks: writes the partial report.
  using Listener = std::function<void(const std::vector<TrialResult>&)>;

  /// Who wants to know of an arm in run_untimed(): before its settling steps, before the first of
  /// those that count (settling ones may be on their way, see UntimedLength), when all of them are
  /// done. An arm that nobody `wants` makes no step; without it all are wanted.
  struct Around {
    std::function<bool(const TrialId&)> wants;
    std::function<void(const TrialId&)> begin;
    std::function<void(const TrialId&)> begin_steps;
    std::function<void(const TrialId&)> end;
  };

  TrialRunner(RunnerOptions options, RankGroup& ranks, RunGuard& guard, Listener listener);

  /// Called before each repetition of an arm with a loader: sets the page cache's state.
  std::function<void(const TrialId&)> before_repetition;
  /// Called when a window of a trial is timed: probes begin and end with it. The second one says
  /// how the device fared; a fault ends the run with core::Error(kRun).
  std::function<void(const TrialId&)> begin_window;
  std::function<probes::DeviceConditions()> end_window;
  /// Called when a step fails outside of such a window: what the driver told of the device since
  /// the last one ended; empty: nothing.
  std::function<std::string()> device_fault;
  /// Called with what a step failed with, of a warm-up or timed, before anything is unwound: that
  /// may take as long as the device works, and the failure is to be known by then.
  std::function<void(const core::Error&)> on_failure;
  /// Calls `steps`; what they fail with is thrown with the device's `fault`, after on_failure().
  void tell_failure(const std::function<void()>& steps,
                    const std::function<std::string()>& fault) const;

  /// Warm-up of all arms, then rounds until the stopping rule is satisfied. Results of finished
  /// repetitions stay in results() whatever is thrown. Throws core::Error of the arms and of the
  /// guard.
  void run(const std::vector<std::unique_ptr<Arm>>& arms);

  // The parts of run(), for who interleaves the rounds of several runners.
  /// Warm-up of all arms, each at most `limit_s` seconds: what a step of each costs.
  [[nodiscard]] std::vector<TrialEstimate> warm_up(const std::vector<std::unique_ptr<Arm>>& arms,
                                                   double limit_s);
  /// Steps of each arm's repetitions, from a plan that has all arms of all runners; `shortened`:
  /// there a time budget made repetitions shorter than --min-time, which taints the trials.
  void set_steps(std::vector<std::int64_t> steps, bool shortened);
  /// Makes later repetitions shorter by this factor, at most 1, to fit the time budget, down to the
  /// trials' own minima and in their multiples. Where that shortens any, they last what they last
  /// from then on, and the trials are tainted.
  void shorten(double factor);
  void run_round(const std::vector<std::unique_ptr<Arm>>& arms, std::int64_t round);
  /// What the stopping rule looks at.
  [[nodiscard]] std::vector<TrialProgress> progress() const;

  [[nodiscard]] const std::vector<TrialResult>& results() const { return results_; }

  /// What of the load on this rank's CPUs is the rank itself while it runs `arm`.
  [[nodiscard]] probes::OwnLoad own_load(const Arm& arm) const;

  /// One repetition of every arm, kept out of results(): for tracing and profiling, whose cost must
  /// not reach a number of the report. Returns what it came to without the settling steps, by arm
  /// (of one that is not wanted: nothing). Those are in no region of a step.
  std::vector<reports::RepetitionRecord> run_untimed(const std::vector<std::unique_ptr<Arm>>& arms,
                                                     const UntimedLength& length,
                                                     const Around& around = {});

  /// The timed loop of every trial: steps until `length.steps` are done and `length.least_s` have
  /// passed, and up to half as many more until the prefetch queue holds as much as at the start;
  /// whole bursts of the loader if `length.steps` are. `guard` may be null.
  [[nodiscard]] static reports::RepetitionRecord time_steps(Arm& arm,
                                                            const RepetitionLength& length,
                                                            RunGuard* guard);

 private:
  /// State of the process around a timed window.
  struct Window {
    probes::ProcSnapshot begin;
    probes::ProcSnapshot end;
    double untimed_cpu_s = 0.0;  ///< in it, but before the clock
    Communication communication;
    probes::OwnLoad own;  ///< this rank alone
    ReadBytes read;       ///< preparation included
    std::int64_t samples_replaced = 0;
    probes::DeviceConditions device;
  };

  [[nodiscard]] TrialEstimate warm_up_arm(Arm& arm, TrialResult& result, double max_seconds);
  /// What a repetition has whatever --steps says. Collective.
  [[nodiscard]] std::int64_t least_steps(const Arm& arm, std::size_t index);
  /// Says where --steps is too few. Collective.
  void tell_least_steps(const std::vector<std::unique_ptr<Arm>>& arms);
  /// Returns the CPU time that it took. Collective.
  [[nodiscard]] double use_up_surplus(Arm& arm, const RepetitionLength& planned);
  /// Returns how many of the settling steps are on their way. Collective.
  [[nodiscard]] std::int64_t settle(Arm& arm, const UntimedLength& length);
  /// Steps and limits for at least so many repetitions more of every trial. Collective.
  void plan(std::int64_t rounds_done);
  /// plan() with what the first repetitions took, where that is well above the estimates of the
  /// warm-up: a --time-budget would not be kept. Collective.
  void plan_again();
  void note_missed_noise(const StopDecision& decision);
  /// Of the next repetition. Collective.
  [[nodiscard]] RepetitionLength length(const Arm& arm, std::size_t index);
  /// Repeats the arm until a repetition counts. Collective.
  void measure(Arm& arm, std::size_t index, std::int64_t round);
  /// One repetition more. Returns whether it counts: false if it was discarded. Collective.
  [[nodiscard]] bool repeat(Arm& arm, std::size_t index, std::int64_t round);
  [[nodiscard]] std::string combine(const Window& window,
                                    const PhaseTotals& phases,
                                    reports::RepetitionRecord& repetition,
                                    RankRound& ranks);
  /// The taint of a CPU quota that stopped threads of any rank.
  static void note_quota(const RankRound& ranks, TrialResult& result);
  /// This rank's clocks, and the taint of any rank's that its device held back. Collective. Throws
  /// core::Error(kRun) for a fault of this rank's device.
  void note_device(const probes::DeviceConditions& device,
                   const RankRound& ranks,
                   reports::RepetitionRecord& repetition,
                   TrialResult& result);
  /// That a time budget shortened the repetitions, or left fewer than were asked for: in place of
  /// what an earlier plan said.
  void note_budget(bool shortened);
  /// A taint of the trial, unless it has one of this kind already.
  static void note_once(TrialResult& result, reports::Taint code, const std::string& detail);
  static void note_doubts_of_cold(const RankRound& ranks,
                                  const reports::RepetitionRecord& repetition,
                                  TrialResult& result);
  /// On several ranks, after a repetition shorter than --min-time: makes the later ones longer.
  /// True if they are. Collective.
  [[nodiscard]] bool lengthen(const Arm& arm,
                              std::size_t index,
                              const reports::RepetitionRecord& repetition);
  /// Seconds of the repetitions that are missing to the least number of each trial.
  [[nodiscard]] double owed_s() const;
  /// May the trial's latest repetition, of `elapsed_s` in all, be thrown away and made again? Not
  /// beyond max_discards, nor where the time limit of the trial has passed or the time budget
  /// would. Collective.
  [[nodiscard]] bool time_to_repeat(const TrialResult& result, double elapsed_s);
  /// `longer`: what lengthen() returned.
  void judge(reports::RepetitionRecord& repetition,
             double elapsed_s,
             TrialResult& result,
             const std::string& reason,
             bool longer);
  [[nodiscard]] StopDecision decide() const;
  void enter_phase(const std::string& phase) const;
  void show_progress(const std::string& what) const;

  RunnerOptions options_;
  RankGroup& ranks_;
  RunGuard& guard_;
  Listener listener_;
  std::int64_t asked_repetitions_;  ///< before a time budget took some away
  StoppingRule stopping_;
  std::vector<TrialResult> results_;
  std::vector<std::int64_t> steps_;       ///< per repetition, by arm
  double least_s_ = 0.0;                  ///< per repetition; 0 where only steps_ count
  std::vector<TrialEstimate> estimates_;  ///< by arm
};

}  // namespace dlbench::harness
