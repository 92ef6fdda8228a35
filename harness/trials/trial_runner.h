// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Handles warm-up, timing and stopping; knows no model. Trials are interleaved in rounds, so that
// slow drifts of the machine affect all of them alike and repetitions of one round are paired. With
// several ranks all run the same steps: a repetition begins on all at once, and decisions follow
// from what all have measured.
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

/// Shortest repetition in seconds, whatever the budget (or --min-time, if less): in less time the
/// free batches of a full prefetch queue and the uneven start of ranks after a barrier would
/// matter.
inline constexpr double kShortestRepetitionS = 0.1;

struct RunnerOptions {
  std::string name;  ///< of the runner, if there are several: "weak, 2 ranks"
  StoppingLimits stopping;
  double min_time_s = 1.0;            ///< per repetition, at least
  std::optional<std::int64_t> steps;  ///< per repetition, exactly
  /// With a cold page cache: the most steps per repetition of an arm with a loader,
  /// cold_pass_steps(). Also enables the check that repetitions read from storage. The same on all
  /// ranks.
  std::optional<std::int64_t> cold_pass_steps;
  std::int64_t warmup_steps = 0;  ///< at least
  std::optional<double> time_budget_s;
  int cpus = 1;                   ///< probes::watched_cpus(), for the judgement of disturbance
  std::int64_t own_threads = 1;   ///< SessionPlan::own_threads(); arms may have more
  std::int64_t max_discards = 3;  ///< repeats of disturbed repetitions per trial, if there is time
};

/// Runs arms until the stopping rule is satisfied.
class TrialRunner {
 public:
  /// Group and guard must outlive the runner.
  TrialRunner(RunnerOptions options, RankGroup& ranks, RunGuard& guard, RunnerHooks hooks = {});

  /// For hooks that are known only after construction; set them before it runs.
  [[nodiscard]] RunnerHooks& hooks() { return hooks_; }

  /// Warms up all arms, then runs rounds until the stopping rule is satisfied. Results of finished
  /// repetitions stay in results() even if it throws. Throws core::Error of the arms and of the
  /// guard.
  void run(const std::vector<std::unique_ptr<Arm>>& arms);

  // The parts of run(), for callers that interleave the rounds of several runners.
  /// Warms up all arms, each for at most `limit_s` seconds. Returns what a step of each costs.
  [[nodiscard]] std::vector<TrialEstimate> warm_up(const std::vector<std::unique_ptr<Arm>>& arms,
                                                   double limit_s);
  /// Sets the steps of each arm's repetitions, from a plan for all arms of all runners.
  /// `shortened`: a time budget made repetitions shorter than --min-time, which taints the trials.
  void set_steps(std::vector<std::int64_t> steps, bool shortened);
  /// Shortens later repetitions by this factor, at most 1, to fit the time budget, down to the
  /// trials' own minima and in their multiples. If that shortens any, min_time_s no longer applies
  /// and the trials are tainted.
  void shorten(double factor);
  void run_round(const std::vector<std::unique_ptr<Arm>>& arms, std::int64_t round);
  /// Returns what the stopping rule examines.
  [[nodiscard]] std::vector<TrialProgress> progress() const;

  [[nodiscard]] const std::vector<TrialResult>& results() const { return results_; }

  /// Returns the part of the load on this rank's CPUs that is due to the rank while it runs `arm`.
  [[nodiscard]] probes::OwnLoad own_load(const Arm& arm) const;

 private:
  [[nodiscard]] TrialEstimate warm_up_arm(Arm& arm, TrialResult& result, double max_seconds);
  /// Returns the steps that a repetition has at least, whatever --steps says. Collective.
  [[nodiscard]] std::int64_t min_steps(const Arm& arm, std::size_t index);
  /// Reports if --steps is below that. Collective.
  void tell_min_steps(const std::vector<std::unique_ptr<Arm>>& arms);
  /// Consumes the surplus. Returns the CPU time used. Collective.
  [[nodiscard]] double use_up_surplus(Arm& arm, const RepetitionLength& planned);
  /// Plans steps and limits for the missing repetitions of every trial. Collective.
  void plan(std::int64_t rounds_done);
  /// Calls plan() with the times of the last repetitions if they exceed what was planned with so
  /// much that --time-budget would be missed. Collective.
  void plan_again(std::int64_t rounds_done);
  void note_missed_noise(const StopDecision& decision);
  /// Returns the length of the next repetition. Collective.
  [[nodiscard]] RepetitionLength length(const Arm& arm, std::size_t index);
  /// Repeats the arm until a repetition counts. Collective.
  void measure(Arm& arm, std::size_t index, std::int64_t round);
  /// A repetition, with what is added to the trial's results if it counts.
  struct Attempt {
    std::size_t index = 0;  ///< in TrialResult::repetitions
    PhaseTotals phases;
    std::optional<data::LoaderStats> loader;
    RankRound ranks;
    RepetitionDisturbance disturbance;
  };
  /// Runs one more repetition of a round. If it was disturbed and may be repeated, it is discarded,
  /// and kept in `best` if that is not less disturbed. If it was disturbed and may not be,
  /// the less disturbed one of it and `best` counts. Returns whether one counts. Collective.
  [[nodiscard]] bool repeat(Arm& arm,
                            std::size_t index,
                            std::int64_t round,
                            std::optional<Attempt>& best);
  /// Times this rank's repetition, from the barrier before the clock to the last step.
  [[nodiscard]] reports::RepetitionRecord time_window(Arm& arm,
                                                      std::size_t index,
                                                      RepetitionWindow& window);
  /// Adds a repetition that counts to the results of the trial, with its taints.
  void keep(Attempt attempt, TrialResult& result) const;
  /// Records this rank's clocks, and the taint of any rank with a throttled device. Throws
  /// core::Error(kRun) for a fault of this rank's device. Collective.
  void note_device(const probes::DeviceConditions& device,
                   const RankRound& ranks,
                   reports::RepetitionRecord& repetition,
                   TrialResult& result);
  /// Records that a time budget shortened the repetitions or reduced their number; replaces what an
  /// earlier plan recorded.
  void note_budget(bool shortened);
  /// With several ranks, after a repetition shorter than --min-time: makes the later ones longer
  /// and returns true. Collective.
  [[nodiscard]] bool lengthen(const Arm& arm,
                              std::size_t index,
                              const reports::RepetitionRecord& repetition);
  /// Returns the seconds of the repetitions still missing to the minimum of each trial.
  [[nodiscard]] double owed_s() const;
  /// Whether the trial's latest repetition, of `elapsed_s` in total, may be discarded and repeated:
  /// within max_discards, the trial's time limit and the time budget. Collective.
  [[nodiscard]] bool time_to_repeat(const TrialResult& result, double elapsed_s);
  /// Returns why a repetition, of `elapsed_s` in total, is discarded and made again; nothing if it
  /// counts. `reason`: what disturbed it; `longer`: the result of lengthen(). Collective.
  [[nodiscard]] std::optional<std::string> why_discarded(
      const reports::RepetitionRecord& repetition,
      double elapsed_s,
      const TrialResult& result,
      const std::string& reason,
      bool longer);
  /// Adds the taints of a repetition that counts. `reason`: what disturbed it, or empty.
  void taint_repetition(const reports::RepetitionRecord& repetition,
                        const std::string& reason,
                        TrialResult& result) const;
  [[nodiscard]] std::string too_short_text(const reports::RepetitionRecord& repetition) const;
  [[nodiscard]] StopDecision decide() const;
  void enter_phase(const std::string& phase) const;

  RunnerOptions options_;
  RankGroup& ranks_;
  RunGuard& guard_;
  RunnerHooks hooks_;
  std::int64_t asked_repetitions_;  ///< before a time budget reduced them
  StoppingRule stopping_;
  std::vector<TrialResult> results_;
  std::vector<std::int64_t> steps_;       ///< per repetition, by arm
  double min_s_ = 0.0;                    ///< per repetition; 0 if only steps_ count
  std::vector<TrialEstimate> estimates_;  ///< by arm
  bool budget_warned_ = false;            ///< one line on a budget that is too short is enough
};

}  // namespace dlbench::harness
