// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/group_disturbance.h"

#include <cstddef>

namespace dlbench::harness {

GroupDisturbance judge_together(RankGroup& ranks,
                                RankShare mine,
                                const probes::ProcSnapshot& begin,
                                const probes::ProcSnapshot& end,
                                probes::OwnLoad own) {
  own.threads *= ranks.ranks_on_these_cpus();
  own.other_ranks_cpu_s = ranks.cpu_s_of_sharers(ranks.exchange(mine));
  GroupDisturbance seen{.own = probes::compare_snapshots(begin, end, own)};
  mine.steal_s = seen.own.steal_s.value_or(0.0);
  mine.foreign_cpu_s = seen.own.other_cpu_s.value_or(0.0);
  mine.throttled_s = seen.own.throttled_s.value_or(0.0);
  mine.involuntary_switches = seen.own.involuntary_context_switches;
  mine.disturbed = seen.own.disturbed;
  seen.shares = ranks.exchange(mine);
  seen.reason = seen.own.reason;
  for (std::size_t rank = 0; rank < seen.shares.size(); ++rank) {
    if (seen.shares[rank].disturbed && seen.reason.empty()) {
      seen.reason = "rank " + std::to_string(rank) + " was disturbed";
    }
  }
  return seen;
}

}  // namespace dlbench::harness
