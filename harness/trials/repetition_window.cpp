// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/repetition_window.h"

#include "harness/trials/group_disturbance.h"
#include "harness/trials/late_ranks.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace dlbench::harness {

RepetitionDisturbance combine_ranks(RankGroup& group,
                                    const RepetitionWindow& window,
                                    const PhaseTotals& phases,
                                    reports::RepetitionRecord& repetition,
                                    RankRound& ranks) {
  const probes::Disturbance raw = probes::compare_snapshots(window.begin, window.end, window.own);
  const RankShare mine{
      .samples = repetition.samples,
      .steps = repetition.steps,
      .wall_s = repetition.wall_s,
      .cpu_s = raw.user_cpu_s + raw.system_cpu_s - window.untimed_cpu_s,
      .device_throttled = window.device.throttled,
      .data_wait_s = phases.data_wait,
      .all_reduce_wait_s = phases.engine[static_cast<std::size_t>(graph::Phase::kAllReduce)],
      .communication = window.communication.totals,
      .read = window.read,
      .samples_replaced = window.samples_replaced};
  GroupDisturbance seen =
      judge_together(group, mine, window.begin, window.end, window.own, window.device);
  std::vector<RankShare>& shares = seen.shares;
  repetition.disturbance = disturbance_record(seen.own);
  const auto samples = static_cast<double>(repetition.samples);
  repetition.samples = 0;
  repetition.cpu_s = 0.0;
  for (const RankShare& share : shares) {
    repetition.samples += share.samples;
    repetition.wall_s = std::max(repetition.wall_s, share.wall_s);
    repetition.cpu_s = *repetition.cpu_s + share.cpu_s;
  }
  repetition.samples_per_second = static_cast<double>(repetition.samples) / repetition.wall_s;
  if (!repetition.step_loss.empty() && group.size() > 1) {
    const double share = samples / static_cast<double>(repetition.samples);
    for (double& loss : repetition.step_loss) {
      loss *= share;
    }
    repetition.step_loss = group.sum(repetition.step_loss);
  }
  ranks.step_wall_s = group.gather(repetition.step_wall_s);
  count_late_arrivals(group.gather(window.communication.ahead_s), shares);
  ranks.shares = std::move(shares);
  return {std::move(seen.reason), seen.severity};
}

}  // namespace dlbench::harness
