// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The measurements of one trial.
#pragma once

#include "data/loader/prefetch_loader.h"
#include "harness/trials/arm.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/trial_id.h"
#include "reports/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// What the ranks measured in one repetition, by rank.
struct RankRound {
  std::int64_t round = 0;
  std::vector<RankShare> shares;
  std::vector<std::vector<double>> step_wall_s;  ///< seconds by rank, then by step; on rank 0
};

/// Everything measured for one trial.
struct TrialResult {
  TrialId id;
  reports::WarmupRecord warmup;
  std::vector<reports::RepetitionRecord> repetitions;
  PhaseTotals phases;        ///< of the repetitions that count
  data::LoaderStats loader;  ///< summed over them
  bool has_loader = false;
  double timed_s = 0.0;                      ///< wall time of the repetitions that count
  double elapsed_s = 0.0;                    ///< of all, including discarded ones and preparation
  std::vector<reports::TaintRecord> taints;  ///< what went wrong
  std::vector<reports::TaintRecord> own_taints;        ///< implied by the purpose of the trial
  std::optional<reports::TaintRecord> budget_taint;    ///< what --time-budget shortened
  std::optional<reports::TaintRecord> throttle_taint;  ///< throttled clocks of devices, so far
  /// Why the clocks of this rank's device were not higher in repetitions that saw them throttled,
  /// in the order seen.
  std::vector<std::string> clocks_held_back_by;
  std::vector<RankRound> rounds;  ///< of the repetitions that count
  std::optional<bool> replayed;   ///< Arm::replays() at the end of the last repetition

  /// Returns the rates of the repetitions that count, in the order of rounds.
  [[nodiscard]] std::vector<double> rates() const;
  /// Returns the process's CPU seconds per sample, over the repetitions that count.
  [[nodiscard]] std::optional<double> cpu_s_per_sample() const;
  /// Returns `taints`, those of budget and clocks, and that of corrupt samples that any rank
  /// replaced in the repetitions that count.
  [[nodiscard]] std::vector<reports::TaintRecord> all_taints() const;

  /// Adds a taint to the trial, unless it already has one of this kind.
  void note_once(reports::Taint code, const std::string& detail);
  /// Adds the taint of a CPU quota that stopped threads of any rank.
  void note_quota(const RankRound& ranks);
  /// Adds the taint of a repetition that should have read from storage but, on some rank, very
  /// likely did not.
  void note_doubts_of_cold(const RankRound& ranks, const reports::RepetitionRecord& repetition);
};

}  // namespace dlbench::harness
