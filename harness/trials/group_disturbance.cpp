// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/group_disturbance.h"

#include "engine/core/disturbance_thresholds.h"
#include "reports/doubts.h"
#include "reports/naming.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

/// Returns what each disturbed rank saw, on all ranks. Collective.
std::string reason_of_all(RankGroup& ranks, const std::string& mine) {
  return ranks.broadcast_text(told_by_ranks(ranks.gather_texts(mine)));
}

}  // namespace

std::string told_by_ranks(const std::vector<std::string>& by_rank) {
  constexpr std::int64_t kMaxListedRanks = 4;  // of a large job where all have something to tell
  std::vector<std::string> told;
  std::int64_t telling = 0;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    if (!by_rank[rank].empty() && ++telling <= kMaxListedRanks) {
      told.push_back(fmt::format("rank {}: {}", rank, by_rank[rank]));
    }
  }
  if (telling > kMaxListedRanks) {
    told.push_back("and " + reports::count_text(telling - kMaxListedRanks, "more rank"));
  }
  return fmt::format("{}", fmt::join(told, "; "));
}

GroupDisturbance judge_together(RankGroup& ranks,
                                RankShare mine,
                                const probes::ProcSnapshot& begin,
                                const probes::ProcSnapshot& end,
                                probes::OwnLoad own,
                                const probes::DeviceConditions& device) {
  own.threads *= ranks.ranks_on_these_cpus();
  own.other_ranks_cpu_s = ranks.cpu_s_of_sharers(ranks.all_gather(mine));
  GroupDisturbance seen{.own = probes::compare_snapshots(begin, end, own)};
  if (!device.neighbours.empty()) {
    seen.own.reason += (seen.own.reason.empty() ? "" : "; ") + device.neighbours;
    seen.own.disturbed = true;
    const double limit = core::DisturbanceThresholds{}.other_gpu_share;
    seen.own.severity =
        std::max({seen.own.severity, device.foreign_share.value_or(0.0) / limit, 1.0});
  }
  mine.steal_s = seen.own.steal_s.value_or(0.0);
  mine.foreign_cpu_s = seen.own.other_cpu_s.value_or(0.0);
  mine.throttled_s = seen.own.throttled_s.value_or(0.0);
  mine.involuntary_switches = seen.own.involuntary_context_switches;
  mine.disturbance = seen.own.severity;
  seen.shares = ranks.all_gather(mine);
  seen.severity = std::ranges::max(seen.shares, {}, &RankShare::disturbance).disturbance;
  if (seen.severity > 0.0) {
    seen.reason = ranks.size() == 1 ? seen.own.reason : reason_of_all(ranks, seen.own.reason);
  }
  return seen;
}

GroupDisturbance judge_together(RankGroup& ranks,
                                const probes::ProcSnapshot& begin,
                                const probes::ProcSnapshot& end,
                                const probes::OwnLoad& own,
                                const probes::DeviceConditions& device) {
  const double cpu_s = end.user_cpu_s - begin.user_cpu_s + end.system_cpu_s - begin.system_cpu_s;
  return judge_together(
      ranks, {.wall_s = end.steady_s - begin.steady_s, .cpu_s = cpu_s}, begin, end, own, device);
}

reports::DisturbanceRecord disturbance_record(const probes::Disturbance& seen) {
  return {.involuntary_context_switches = seen.involuntary_context_switches,
          .steal_s = seen.steal_s,
          .foreign_cpu_s = seen.other_cpu_s,
          .throttled_s = seen.throttled_s};
}

std::string quota_text(const std::vector<RankShare>& shares) {
  const auto most = std::ranges::max_element(shares, {}, &RankShare::throttled_s);
  if (most == shares.end() || most->throttled_s <= reports::kThrottledShare * most->wall_s) {
    return "";
  }
  return fmt::format(
      "a CPU quota (cgroup) kept threads from running for {:.2f} s, over all CPUs, of {:.2f} s",
      most->throttled_s,
      most->wall_s);
}

}  // namespace dlbench::harness
