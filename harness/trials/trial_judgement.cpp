// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Judges a repetition for the trial runner: whether it counts, and which taints it leaves.
#include "engine/core/error.h"
#include "harness/trials/group_disturbance.h"
#include "harness/trials/trial_runner.h"
#include "reports/doubts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace dlbench::harness {

void TrialRunner::note_budget(bool shortened) {
  const bool fewer = options_.stopping.min_repetitions < asked_repetitions_;
  if (!shortened && !fewer) {
    return;
  }
  std::string how = shortened ? "repetitions shortened" : "repetitions as long as ever";
  if (fewer) {
    how += fmt::format(
        ", {} of them instead of {}", options_.stopping.min_repetitions, asked_repetitions_);
  }
  for (TrialResult& result : results_) {
    result.budget_taint = {
        reports::Taint::kShortRun, "trial " + result.id.to_string(), how + " to fit --time-budget"};
  }
}

void TrialRunner::note_missed_noise(const StopDecision& decision) {
  for (std::size_t index = 0; index < results_.size(); ++index) {
    if (decision.noise[index].target_met) {
      continue;
    }
    results_[index].taints.push_back(
        {reports::Taint::kNoiseTargetMissed,
         "trial " + results_[index].id.to_string(),
         fmt::format("half-width {:.2f} % of the mean, wanted {:.2f} %",
                     100.0 * decision.noise[index].half_width.value_or(NAN),
                     100.0 * options_.stopping.max_noise)});
  }
}

// A throttled device stays slow for minutes, and all ranks with it: repeating would not help, so
// the trial is tainted, once for all such devices.
void TrialRunner::note_device(const probes::DeviceConditions& device,
                              const RankRound& ranks,
                              reports::RepetitionRecord& repetition,
                              TrialResult& result) {
  repetition.disturbance.sm_clock_mhz = device.sm_clock_mhz;
  repetition.disturbance.throttle_reasons = device.throttle_reasons;
  repetition.disturbance.foreign_gpu_share = device.foreign_share;
  const std::string trial = "trial " + result.id.to_string();
  if (!device.reported.fault.empty()) {
    throw core::Error(core::ErrorCode::kRun, trial + ": " + device.reported.fault);
  }
  if (std::ranges::none_of(ranks.shares, &RankShare::device_throttled)) {
    return;
  }
  std::vector<std::string>& own = result.clocks_held_back_by;
  for (const std::string& reason : device.throttle_reasons) {
    if (device.throttled && std::ranges::find(own, reason) == own.end()) {
      own.push_back(reason);
    }
  }
  const std::vector<std::string> known =
      ranks_.gather_texts(fmt::format("{}", fmt::join(own, ", ")));
  const std::string whose =
      ranks_.size() == 1 ? "by: " + known.front() : "on " + told_by_ranks(known);
  result.throttle_taint = {
      reports::Taint::kThrottled, trial, ranks_.broadcast_text("clocks held back " + whose)};
}

double TrialRunner::owed_s() const {
  double owed_s = 0.0;
  for (std::size_t index = 0; index < results_.size(); ++index) {
    const TrialResult& result = results_[index];
    const TrialEstimate& estimate = estimates_.at(index);
    const auto measured = static_cast<double>(result.repetitions.size());
    const double repetition_s =
        measured > 0.0 ? result.elapsed_s / measured
                       : estimate.setup_s + static_cast<double>(steps_.at(index)) * estimate.step_s;
    const auto counting = static_cast<std::int64_t>(result.rates().size());
    owed_s += repetition_s * static_cast<double>(std::max<std::int64_t>(
                                 0, options_.stopping.min_repetitions - counting));
  }
  return owed_s;
}

bool TrialRunner::time_to_repeat(const TrialResult& result, double elapsed_s) {
  const auto discarded =
      std::count_if(result.repetitions.begin(), result.repetitions.end(), [](const auto& earlier) {
        return earlier.discarded.has_value();
      });
  if (discarded >= options_.max_discards ||
      result.elapsed_s + elapsed_s >= options_.stopping.max_time_s) {
    return false;
  }
  return !options_.time_budget_s.has_value() ||
         ranks_.broadcast(guard_.elapsed_s()) + owed_s() <= *options_.time_budget_s;
}

std::string TrialRunner::too_short_text(const reports::RepetitionRecord& repetition) const {
  return fmt::format("{} step(s) in {:.3g} s, --min-time is {:.3g} s",
                     repetition.steps,
                     repetition.wall_s,
                     min_s_);
}

std::optional<std::string> TrialRunner::why_discarded(const reports::RepetitionRecord& repetition,
                                                      double elapsed_s,
                                                      const TrialResult& result,
                                                      const std::string& reason,
                                                      bool longer) {
  if ((reason.empty() && !longer) || !time_to_repeat(result, elapsed_s)) {
    return std::nullopt;
  }
  if (!reason.empty()) {
    return reason;
  }
  // A single step says nothing of its spread.
  return repetition.steps == 1 ? std::optional(too_short_text(repetition)) : std::nullopt;
}

void TrialRunner::taint_repetition(const reports::RepetitionRecord& repetition,
                                   const std::string& reason,
                                   TrialResult& result) const {
  const std::string where =
      "trial " + result.id.to_string() + ", repetition " + std::to_string(repetition.index);
  if (!reason.empty()) {
    result.taints.push_back({reports::Taint::kDisturbed, where, reason});
  }
  if (reports::is_short(repetition.wall_s, min_s_)) {
    result.note_once(
        reports::Taint::kShortRun,
        "repetition " + std::to_string(repetition.index) + ": " + too_short_text(repetition));
  }
  if (repetition.queue_fill.has_value() &&
      !reports::queue_balanced(
          repetition.queue_fill->start, repetition.queue_fill->end, repetition.steps)) {
    result.taints.push_back({reports::Taint::kShortRun,
                             where,
                             "the prefetch queue went from " +
                                 std::to_string(repetition.queue_fill->start) + " to " +
                                 std::to_string(repetition.queue_fill->end) + " batches in " +
                                 std::to_string(repetition.steps) + " steps"});
  }
}

}  // namespace dlbench::harness
