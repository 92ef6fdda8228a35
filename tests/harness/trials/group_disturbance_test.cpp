// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/group_disturbance.h"

#include "harness/ranks.h"
#include "tests/engine/comm/thread_rendezvous.h"

#include <gtest/gtest.h>

#include <string>

namespace dlbench::harness {
namespace {

using testing::on_ranks;

constexpr probes::OwnLoad kAlone{.cpus = 16, .threads = 1};
const std::string kStopped = "the process was stopped 1 time(s), by SIGSTOP or alike";

TEST(GroupDisturbance, TellsWhatEachRankSaw) {
  on_ranks(3, [](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    probes::ProcSnapshot end{.steady_s = 1.0};
    end.continued = ranks.rank() == 1 ? 1 : 0;
    end.involuntary_switches = ranks.rank() == 2 ? 20000 : 0;
    const GroupDisturbance seen = judge_together(group, {}, end, kAlone);
    EXPECT_EQ(seen.reason,
              "rank 1: " + kStopped +
                  "; rank 2: 20000 involuntary context switches in 1.00 s, limit 1600")
        << "of rank " << ranks.rank();
    EXPECT_EQ(seen.own.disturbed, ranks.rank() != 0);
  });
}

TEST(GroupDisturbance, CountsTheRanksBeyondTheFirstFew) {
  on_ranks(6, [](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    const GroupDisturbance seen =
        judge_together(group, {}, {.steady_s = 1.0, .continued = 1}, kAlone);
    EXPECT_TRUE(seen.reason.starts_with("rank 0: " + kStopped + "; rank 1: ")) << seen.reason;
    EXPECT_TRUE(seen.reason.ends_with("; rank 3: " + kStopped + "; and 2 more ranks"))
        << seen.reason;
  });
}

TEST(GroupDisturbance, OneRankNeedsNoNumber) {
  on_ranks(1, [](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    EXPECT_EQ(judge_together(group, {}, {.steady_s = 1.0, .continued = 1}, kAlone).reason,
              kStopped);
    EXPECT_EQ(judge_together(group, {}, {.steady_s = 1.0}, kAlone).reason, "");
  });
}

}  // namespace
}  // namespace dlbench::harness
