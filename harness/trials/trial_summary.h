// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts the runner's measurements to the report of a trial, and to the input of the verdict.
#pragma once

#include "harness/analysis/attribution.h"
#include "harness/session/run_guard.h"
#include "harness/session/session_plan.h"
#include "harness/trials/rank_peaks.h"
#include "harness/trials/trial_result.h"
#include "reports/trial_record.h"

#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// The context of a trial's statistics, phases and loader stages. `training_flop_per_sample` gives
/// achieved_flop_per_s, over all ranks; the peaks, also of all ranks together, give mfu and
/// mfu_measured.
struct TrialContext {
  std::int64_t ranks = 1;
  bool single_root = false;     ///< --strategy data-parallel
  std::int64_t batch_size = 0;  ///< of this rank
  std::int64_t global_batch_size = 0;
  std::vector<comm::RankPlace> places;    ///< by rank
  std::vector<std::string> devices;       ///< names, by rank, on the reporting rank
  std::vector<std::string> addresses;     ///< PCI, by rank, on the reporting rank; "": no GPU
  double training_flop_per_sample = 0.0;  ///< of a step of all ranks / global_batch_size
  GroupPeaks peaks;                       ///< with a reason where there is none
  std::string decode;
  std::int64_t workers = 0;
  std::int64_t prefetch = 0;
  std::int64_t parts_of_batch = 1;  ///< parts that workers load at the same time
  reports::Measured<double> overhead_s_per_step;
  reports::CacheRecord cache;
  std::int64_t cores = 1;              ///< of all ranks together, see RankGroup::cores()
  std::optional<double> cpu_capacity;  ///< likewise; nothing: as many as cores
  bool shared_processors = false;      ///< loader and step compute on the same processors
  bool device_clock = false;           ///< steps are timed by events of an asynchronous device
};

/// Returns what a plan and its ranks determine for all trials: everything but peaks and cache.
/// Measures the harness's own overhead, see measure_harness_overhead().
[[nodiscard]] TrialContext trial_context(const SessionPlan& plan,
                                         const RankGroup& group,
                                         RunGuard& guard);

[[nodiscard]] reports::TrialRecord summarize_trial(const TrialResult& result,
                                                   const TrialContext& context);

/// Returns the rates of the rounds, by kind and variant, and a late rank, for attribute().
[[nodiscard]] AttributionInput attribution_input(const std::vector<TrialResult>& results,
                                                 const TrialContext& context);

}  // namespace dlbench::harness
