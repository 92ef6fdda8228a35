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
#include "harness/trials/rank_group.h"
#include "harness/trials/repetition_window.h"
#include "harness/trials/runner_hooks.h"
#include "harness/trials/step_loop.h"
#include "harness/trials/stopping_rule.h"
#include "harness/trials/time_plan.h"
#include "harness/trials/trial_result.h"
#include "probes/node/disturbance.h"
#include "probes/probe.h"
#include "reports/record.h"

#include <cstddef>
#include <cstdint>
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

/// Runs arms until the stopping rule is satisfied.
class TrialRunner {
 public:
  /// Group and guard outlive the runner.
  TrialRunner(RunnerOptions options, RankGroup& ranks, RunGuard& guard, RunnerHooks hooks = {});

  /// For what is known only when the runner is there; before it runs.
  [[nodiscard]] RunnerHooks& hooks() { return hooks_; }

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

 private:
  [[nodiscard]] TrialEstimate warm_up_arm(Arm& arm, TrialResult& result, double max_seconds);
  /// What a repetition has whatever --steps says. Collective.
  [[nodiscard]] std::int64_t min_steps(const Arm& arm, std::size_t index);
  /// Says where --steps is too few. Collective.
  void tell_min_steps(const std::vector<std::unique_ptr<Arm>>& arms);
  /// Returns the CPU time that it took. Collective.
  [[nodiscard]] double use_up_surplus(Arm& arm, const RepetitionLength& planned);
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
  /// What this rank times in a repetition, from the barrier before its clock to its last step.
  [[nodiscard]] reports::RepetitionRecord time_window(Arm& arm,
                                                      std::size_t index,
                                                      RepetitionWindow& window);
  /// Adds what counts to the results of the trial.
  void keep(const reports::RepetitionRecord& repetition,
            const PhaseTotals& phases,
            const std::optional<data::LoaderStats>& loader,
            RankRound ranks,
            TrialResult& result) const;
  /// This rank's clocks, and the taint of any rank's that its device held back. Collective. Throws
  /// core::Error(kRun) for a fault of this rank's device.
  void note_device(const probes::DeviceConditions& device,
                   const RankRound& ranks,
                   reports::RepetitionRecord& repetition,
                   TrialResult& result);
  /// That a time budget shortened the repetitions, or left fewer than were asked for: in place of
  /// what an earlier plan said.
  void note_budget(bool shortened);
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

  RunnerOptions options_;
  RankGroup& ranks_;
  RunGuard& guard_;
  RunnerHooks hooks_;
  std::int64_t asked_repetitions_;  ///< before a time budget took some away
  StoppingRule stopping_;
  std::vector<TrialResult> results_;
  std::vector<std::int64_t> steps_;       ///< per repetition, by arm
  double min_s_ = 0.0;                    ///< per repetition; 0 where only steps_ count
  std::vector<TrialEstimate> estimates_;  ///< by arm
};

}  // namespace dlbench::harness
