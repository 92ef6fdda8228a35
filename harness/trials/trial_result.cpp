// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/trial_result.h"

#include "harness/trials/cold_pass.h"
#include "harness/trials/group_disturbance.h"
#include "reports/statistics_records.h"

#include <algorithm>

namespace dlbench::harness {

std::vector<double> TrialResult::rates() const { return reports::counted_rates(repetitions); }

std::optional<double> TrialResult::cpu_s_per_sample() const {
  double cpu_s = 0.0;
  std::int64_t samples = 0;
  for (const auto& repetition : repetitions) {
    if (!repetition.discarded.has_value() && repetition.cpu_s.has_value()) {
      cpu_s += *repetition.cpu_s;
      samples += repetition.samples;
    }
  }
  if (samples == 0) {
    return std::nullopt;
  }
  return cpu_s / static_cast<double>(samples);
}

std::vector<reports::TaintRecord> TrialResult::all_taints() const {
  std::int64_t replaced = 0;
  for (const RankRound& round : rounds) {
    for (const RankShare& share : round.shares) {
      replaced += share.samples_replaced;
    }
  }
  std::vector<reports::TaintRecord> all = taints;
  for (const auto& one : {budget_taint, throttle_taint}) {
    if (one.has_value()) {
      all.push_back(*one);
    }
  }
  if (replaced > 0 || !loader.skipped.empty()) {
    const std::string often =
        replaced == 0   ? " before the repetitions that count"
        : replaced == 1 ? " once, over all ranks and repetitions"
                        : " " + std::to_string(replaced) + " times, over all ranks and repetitions";
    all.push_back({reports::Taint::kSamplesSkipped,
                   "trial " + id.to_string(),
                   "corrupt samples replaced" + often});
  }
  return all;
}

void TrialResult::note_once(reports::Taint code, const std::string& detail) {
  const std::string where = "trial " + id.to_string();
  const bool known = std::any_of(taints.begin(), taints.end(), [&](const auto& taint) {
    return taint.code == code && taint.where == where;
  });
  if (!known) {
    taints.push_back({code, where, detail});
  }
}

// A quota stops all threads in the middle of a step until its next period: step times then reflect
// the quota, and repeating would not help.
void TrialResult::note_quota(const RankRound& ranks) {
  if (const std::string quota = quota_text(ranks.shares); !quota.empty()) {
    note_once(reports::Taint::kThrottled, quota);
  }
}

void TrialResult::note_doubts_of_cold(const RankRound& ranks,
                                      const reports::RepetitionRecord& repetition) {
  for (std::size_t rank = 0; rank < ranks.shares.size(); ++rank) {
    if (const std::string doubt = doubt_of_cold(ranks.shares[rank].read); !doubt.empty()) {
      note_once(reports::Taint::kCacheStateUnknown,
                "repetition " + std::to_string(repetition.index) + ", rank " +
                    std::to_string(rank) + ": " + doubt);
    }
  }
}

}  // namespace dlbench::harness
