// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/rank_group.h"

#include "engine/core/affinity.h"
#include "engine/core/error.h"
#include "harness/ranks.h"
#include "harness/session/batch_share.h"
#include "probes/node/system_info.h"
#include "tests/engine/comm/thread_rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace dlbench::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::on_ranks;

TEST(RankGroup, RankZeroDecides) {
  on_ranks(3, [](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    EXPECT_EQ(group.broadcast(1.5 + ranks.rank()), 1.5);
    EXPECT_EQ(group.broadcast(std::int64_t{7} + ranks.rank()), 7);
    EXPECT_TRUE(group.broadcast(ranks.rank() == 0));
    EXPECT_FALSE(group.broadcast(ranks.rank() != 0));
  });
}

TEST(RankGroup, AnyAndMaxSeeAllRanks) {
  on_ranks(4, [](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    EXPECT_TRUE(group.any(ranks.rank() == 3));
    EXPECT_FALSE(group.any(false));
    EXPECT_EQ(group.max(-1.0 - ranks.rank()), -1.0);
  });
}

TEST(RankGroup, SharesComeByRank) {
  on_ranks(3, [](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    const auto shares = group.all_gather({.samples = 10 + ranks.rank(), .wall_s = 0.5});
    ASSERT_EQ(shares.size(), 3U);
    EXPECT_EQ(shares[0].samples, 10);
    EXPECT_EQ(shares[2].samples, 12);
    EXPECT_EQ(shares[1].wall_s, 0.5);
  });
}

TEST(RankGroup, ListsAreSummedAndGathered) {
  on_ranks(3, [](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    const double mine = 1.0 + ranks.rank();
    EXPECT_THAT(group.sum({mine, 10.0 * mine}), ElementsAre(6.0, 60.0));
    const auto lists = group.gather({mine});
    if (group.speaks()) {
      EXPECT_THAT(lists, ElementsAre(ElementsAre(1.0), ElementsAre(2.0), ElementsAre(3.0)));
    } else {
      EXPECT_TRUE(lists.empty());
    }
  });
}

// Threads of one process have one affinity mask.
TEST(RankGroup, CpuTimeOfRanksOnTheSameCpusIsOurs) {
  on_ranks(3, [](comm::Rendezvous& ranks) {
    RankGroup group(ranks);
    EXPECT_EQ(group.ranks_on_these_cpus(), 3);
    EXPECT_EQ(group.cores(), probes::usable_cpus());
    EXPECT_TRUE(group.others_run_on(core::affinity_cpus()));
    EXPECT_FALSE(group.others_run_on({1 << 20}));
    const auto shares = group.all_gather({.cpu_s = 1.0 + ranks.rank()});
    EXPECT_DOUBLE_EQ(group.cpu_s_of_sharers(shares), 6.0 - (1.0 + ranks.rank()));
  });
}

// As in containers of one machine, which are nodes of their own to MPI.
TEST(RankGroup, RanksOfOneMachineShareItsCpusOverItsNodes) {
  on_ranks({{.host = "a"}, {.host = "b", .node = 1}, {.host = "c", .node = 2, .machine = 1}},
           [](comm::Rendezvous& ranks) {
             const RankGroup group(ranks);
             EXPECT_EQ(group.ranks_on_these_cpus(), ranks.rank() < 2 ? 2 : 1);
             EXPECT_EQ(group.others_run_on(core::affinity_cpus()), ranks.rank() < 2);
           });
}

TEST(Together, AnErrorOfOneRankEndsAll) {
  std::atomic<int> threw = 0;
  on_ranks(3, [&](comm::Rendezvous& ranks) {
    try {
      together(ranks, [&] {
        if (ranks.rank() == 2) {
          throw core::Error(core::ErrorCode::kFile, "no such file");
        }
      });
    } catch (const core::Error& error) {
      ++threw;
      EXPECT_EQ(error.code(), core::ErrorCode::kFile);
      EXPECT_THAT(error.what(), HasSubstr("[rank 2] no such file"));
    }
    together(ranks, [] {});  // the ranks can go on
  });
  EXPECT_EQ(threw, 3);
}

TEST(Together, AnErrorOfAllIsToldAsOfRankZero) {
  on_ranks(2, [](comm::Rendezvous& ranks) {
    try {
      together(ranks, [] { throw core::Error(core::ErrorCode::kUsage, "bad option"); });
      ADD_FAILURE() << "no error";
    } catch (const core::Error& error) {
      EXPECT_STREQ(error.what(), "bad option");
    }
  });
}

TEST(Rendezvous, TextsAndSubsets) {
  on_ranks(4, [](comm::Rendezvous& ranks) {
    EXPECT_EQ(ranks.broadcast_text("from " + std::to_string(ranks.rank())), "from 0");
    EXPECT_EQ(ranks.broadcast_text(""), "");
    const auto members = ranks.first(2);
    ASSERT_EQ(members != nullptr, ranks.rank() < 2);
    if (members != nullptr) {
      EXPECT_EQ(members->size(), 2);
      EXPECT_THAT(members->all_gather(ranks.rank()), ElementsAre(0.0, 1.0));
    }
    ranks.barrier();
  });
}

TEST(ShareBatch, SharesAreWholeAndCoverTheBatch) {
  for (const int ranks : {1, 2, 3, 7}) {
    for (const std::int64_t global : {7, 8, 64, 101}) {
      std::int64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const BatchShare share = share_batch(0, global, rank, ranks);
        EXPECT_EQ(share.first, next);
        EXPECT_EQ(share.global, global);
        EXPECT_NEAR(static_cast<double>(share.local), static_cast<double>(global) / ranks, 1.0);
        next += share.local;
      }
      EXPECT_EQ(next, global);
    }
  }
  EXPECT_EQ(share_batch(16, std::nullopt, 2, 4).global, 64);
  EXPECT_EQ(share_batch(16, std::nullopt, 2, 4).first, 32);
  EXPECT_THROW((void)share_batch(0, 2, 0, 3), core::Error);
}

}  // namespace
}  // namespace dlbench::harness
