// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/rank_placement.h"

#include "engine/core/affinity.h"
#include "probes/node/cpu_list.h"
#include "probes/node/system_info.h"
#include "tests/harness/chorus.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using testing::ElementsAre;

/// As Rendezvous::all_gather() sends it.
std::string number(int value) {
  std::string text(sizeof value, '\0');
  std::memcpy(text.data(), &value, sizeof value);
  return text;
}

/// The processors that a rank says it knows: those of this machine.
std::string known() {
  return " " + probes::cpu_list_text(probes::cpus_of(probes::read_topology()));
}

TEST(PlaceThisRank, TheLoneRankHasWhatTheProcessMayUse) {
  comm::LoneRank alone;
  const RankRow row = place_this_rank(alone, std::nullopt);
  EXPECT_EQ(row.rank, 0);
  EXPECT_EQ(row.host, alone.places()[0].host);
  EXPECT_EQ(row.placement.cpus, core::affinity_cpus());
  EXPECT_EQ(place_this_rank(alone, 7).placement.threads, 7);
}

TEST(PlaceThisRank, OnlyTheRanksOfTheSameNodeShareIt) {
  const std::vector<int> cpus = core::affinity_cpus();
  const std::string mask = probes::cpu_list_text(cpus);
  // Rank 0 of two nodes, with a mask on the other node that exists on no machine.
  Chorus ranks({{.host = "a", .node = 0, .local_rank = 0, .local_size = 1},
                {.host = "b", .node = 1, .local_rank = 0, .local_size = 1, .machine = 1}},
               {mask + known() + " 0 -", "99999 99999 0 -"});
  EXPECT_EQ(place_this_rank(ranks, std::nullopt).placement.cpus, cpus);
}

TEST(PlaceThisRank, TakesAGpuThatItSees) {
  const std::string mask = probes::cpu_list_text(core::affinity_cpus());
  comm::LoneRank alone;
  const RankRow one = place_this_rank(alone, std::nullopt, {"0000:18:00.0", "0000:af:00.0"});
  EXPECT_EQ(one.placement.gpu_address, "0000:18:00.0");
  EXPECT_TRUE(one.placement.gpu_visible);
  EXPECT_FALSE(place_this_rank(alone, std::nullopt).placement.gpu_visible);
  // The other rank of the node sees the first only; that of the next node takes part in nothing.
  Chorus ranks({{.host = "a", .node = 0, .local_rank = 0, .local_size = 2},
                {.host = "a", .node = 0, .local_rank = 1, .local_size = 2},
                {.host = "b", .node = 1, .local_rank = 0, .local_size = 1, .machine = 1}},
               {mask + known() + " 0 0000:18:00.0,0000:af:00.0",
                mask + known() + " 0 0000:18:00.0",
                mask + known() + " 0 0000:18:00.0"});
  const RankRow row = place_this_rank(ranks, std::nullopt, {"0000:18:00.0", "0000:af:00.0"});
  EXPECT_EQ(row.placement.gpu_address, "0000:af:00.0");
}

/// Rank 0's placement beside a rank with the means `other` in another container: each is a node of
/// its own to MPI, for they share no memory.
probes::RankPlacement beside_container(const std::string& other,
                                       int machine,
                                       std::optional<int> threads = std::nullopt) {
  const std::string mask = probes::cpu_list_text(core::affinity_cpus());
  Chorus ranks({{.host = "a", .node = 0}, {.host = "b", .node = 1, .machine = machine}},
               {mask + known() + " 0 0000:18:00.0,0000:af:00.0", other});
  return place_this_rank(ranks, threads, {"0000:18:00.0", "0000:af:00.0"}).placement;
}

TEST(PlaceThisRank, ContainersOfOneMachineShareItsGpus) {
  const std::string mask = probes::cpu_list_text(core::affinity_cpus());
  EXPECT_EQ(beside_container(mask + known() + " 0 0000:18:00.0", 0).gpu_address, "0000:af:00.0")
      << "the other sees the first alone";
  EXPECT_EQ(beside_container(mask + known() + " 0 0000:18:00.0", 1).gpu_address, "0000:18:00.0");
  const probes::RankPlacement apart = beside_container("99999 99999 0 0000:18:00.0", 0);
  EXPECT_EQ(apart.gpu_address, "0000:18:00.0") << "rank 0 chooses first";
  EXPECT_TRUE(apart.gpu_visible);
  EXPECT_FALSE(apart.peers_hidden);
}

TEST(PlaceThisRank, ContainersOfOneMachineThatHaveTheSameProcessorsDealThem) {
  const std::vector<int> cpus = core::affinity_cpus();
  const std::string mask = probes::cpu_list_text(cpus);
  EXPECT_EQ(beside_container(mask + known() + " 0 -", 1).cpus, cpus) << "of another machine";
  EXPECT_EQ(beside_container("99999 99999 0 -", 0).cpus, cpus);
  const probes::RankPlacement shared = beside_container(mask + known() + " 0 -", 0);
  comm::LoneRank alone;
  const probes::RankPlacement whole = place_this_rank(alone, std::nullopt).placement;
  EXPECT_EQ(shared.local_rank, 0);
  if (whole.cores > 1) {
    EXPECT_LT(shared.cpus.size(), cpus.size());
    EXPECT_EQ(shared.threads, std::max(1, std::min(whole.threads, shared.cores)));
    EXPECT_FALSE(shared.oversubscribed);
  } else {
    EXPECT_TRUE(shared.oversubscribed || shared.cpus.size() < cpus.size());
  }
  const probes::RankPlacement crowded = beside_container(mask + known() + " 0 -", 0, 4096);
  EXPECT_EQ(crowded.threads, 4096);
  EXPECT_TRUE(crowded.oversubscribed);
}

TEST(Oversubscription, OfAnyRankTaintsTheLaunch) {
  comm::LoneRank alone;
  EXPECT_FALSE(oversubscription(alone, {.oversubscribed = false}, {}).has_value());
  EXPECT_TRUE(oversubscription(alone, {.oversubscribed = true}, {}).has_value());
  // Rank 0 has cores of its own, rank 1 of 3 shares one.
  Chorus ranks({{.host = "a"}, {.host = "a"}, {.host = "b", .node = 1}},
               {number(0), number(1), number(0)});
  const auto taint = oversubscription(ranks, {.oversubscribed = false}, {});
  ASSERT_TRUE(taint.has_value());
  EXPECT_EQ(taint->code, reports::Taint::kOversubscribed);
  EXPECT_EQ(taint->detail, "the compute threads of 1 of 3 rank(s) share cores");
}

TEST(Oversubscription, CountsLoaderWorkersForThemselves) {
  comm::LoneRank alone;
  EXPECT_FALSE(oversubscription(alone, {.cores = 2, .workers = 2}, {.workers = 2}).has_value())
      << "workers beside as many compute threads are how it is meant";
  const auto taint = oversubscription(alone, {.cores = 2, .workers = 2}, {.workers = 300});
  ASSERT_TRUE(taint.has_value());
  EXPECT_EQ(taint->detail,
            "the loader workers of 1 of 1 rank(s), 300 each, outnumber their processors");
}

TEST(Oversubscription, OfComputeThreadsIsNoneWhereAGpuComputes) {
  comm::LoneRank alone;
  const probes::RankPlacement crowded{.oversubscribed = true};
  EXPECT_FALSE(oversubscription(alone, crowded, {.computes = false}).has_value());
  EXPECT_TRUE(oversubscription(alone, crowded, {.computes = true}).has_value());
}

TEST(Oversubscription, JudgesTheLoaderWorkersOfAllRanksThatShareCores) {
  comm::LoneRank alone;
  probes::RankPlacement shared{.cpus = {0, 1}, .cores = 2, .workers = 2, .ranks_on_cpus = 2};
  EXPECT_FALSE(oversubscription(alone, shared, {.workers = 1}).has_value());
  const auto taint = oversubscription(alone, shared, {.computes = false, .workers = 2});
  ASSERT_TRUE(taint.has_value());
  EXPECT_EQ(taint->detail,
            "the loader workers of 1 of 1 rank(s), 2 each, outnumber their processors");
  shared.ranks_on_cpus = 1;
  EXPECT_FALSE(oversubscription(alone, shared, {.workers = 2}).has_value());
}

TEST(HiddenPeers, OfAnyRankAreTold) {
  comm::LoneRank alone;
  EXPECT_FALSE(hidden_peers(alone, {}).has_value());
  Chorus ranks({{.host = "a"}, {.host = "a"}, {.host = "b", .node = 1}},
               {number(1), number(1), number(0)});
  const auto told = hidden_peers(ranks, {.peers_hidden = true});
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->what, "peer access between GPUs of a node");
  EXPECT_EQ(told->reason,
            "2 of 3 ranks see no GPU but their own, so NCCL may not reach the others of the node "
            "over NVLink or PCIe; srun --gpus-per-node=N --gpu-bind=none lets ranks see each "
            "other's GPUs");
}

TEST(GpuSharing, TaintsTheRanksThatDoIt) {
  EXPECT_FALSE(gpu_sharing("").has_value());
  const auto taint = gpu_sharing("ranks 0 and 1 use one GPU (a 0000:17:00.0)");
  ASSERT_TRUE(taint.has_value());
  EXPECT_EQ(taint->code, reports::Taint::kOversubscribed);
  EXPECT_EQ(taint->detail,
            "ranks 0 and 1 use one GPU (a 0000:17:00.0): gradients are reduced in host memory");
}

TEST(GatherRows, BringsEveryRowToRankZero) {
  RankRow mine{.rank = 0,
               .host = "a",
               .placement = {.local_rank = 1,
                             .cpus = {4, 5, 6, 12},
                             .cores = 3,
                             .threads = 2,
                             .numa_node = 1,
                             .gpu = 3,
                             .gpu_address = "0000:18:00.0",
                             .gpu_visible = true,
                             .oversubscribed = true,
                             .bound_by_launcher = true}};
  Chorus ranks({{.host = "a"}, {.host = "b", .node = 1}});
  const std::vector<RankRow> rows = gather_rows(ranks, mine);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].rank, 1);
  EXPECT_EQ(rows[1].host, "b");
  EXPECT_THAT(rows[1].placement.cpus, ElementsAre(4, 5, 6, 12));
  EXPECT_EQ(rows[1].placement.cores, 3);
  EXPECT_EQ(rows[1].placement.threads, 2);
  EXPECT_EQ(rows[1].placement.numa_node, 1);
  EXPECT_EQ(rows[1].placement.gpu, 3);
  EXPECT_TRUE(rows[1].placement.oversubscribed);
  EXPECT_TRUE(rows[1].placement.bound_by_launcher);
  EXPECT_EQ(rows[1].placement.gpu_address, "0000:18:00.0");
  EXPECT_TRUE(rows[1].placement.gpu_visible);
  mine.placement.gpu.reset();
  mine.placement.gpu_address.clear();
  EXPECT_EQ(gather_rows(ranks, mine)[0].placement.gpu, std::nullopt);
  EXPECT_EQ(gather_rows(ranks, mine)[0].placement.gpu_address, "");
}

TEST(RankTable, ShowsRankHostCoresNumaNodeAndGpu) {
  const std::vector<RankRow> rows = {{.rank = 0,
                                      .host = "n1",
                                      .placement = {.cpus = {0, 1, 2, 3},
                                                    .cores = 4,
                                                    .threads = 4,
                                                    .numa_node = 0,
                                                    .gpu = 1,
                                                    .gpu_address = "0000:af:00.0",
                                                    .gpu_visible = true}},
                                     {.rank = 1,
                                      .host = "n2",
                                      .placement = {.cpus = {4, 8},
                                                    .cores = 2,
                                                    .threads = 9,
                                                    .numa_node = 1,
                                                    .oversubscribed = true,
                                                    .bound_by_launcher = true}},
                                     {.rank = 2,
                                      .host = "n2",
                                      .placement = {.cpus = {5},
                                                    .cores = 1,
                                                    .threads = 1,
                                                    .numa_node = 1,
                                                    .gpu = 0,
                                                    .gpu_address = "0000:18:00.0"}}};
  EXPECT_EQ(rank_table(rows),
            "rank  host  cpus  cores  threads  NUMA node  GPU               remarks\n"
            "0     n1    0-3       4        4          0  1 (0000:af:00.0)  -\n"
            "1     n2    4,8       2        9          1  -                 "
            "oversubscribed, bound by the launcher\n"
            "2     n2    5         1        1          1  0 (0000:18:00.0)  "
            "dlbench cannot use its GPU\n");
}

TEST(RankTable, SaysWhichRanksShareAGpu) {
  std::vector<RankRow> rows(3);
  for (int rank = 0; rank < 3; ++rank) {
    RankRow& row = rows[static_cast<std::size_t>(rank)];
    row.rank = rank;
    row.host = "n1";
    row.placement.gpu = rank / 2;
    row.placement.gpu_address = rank / 2 == 0 ? "0000:18:00.0" : "0000:af:00.0";
    row.placement.gpu_visible = true;
  }
  const std::string table = rank_table(rows);
  EXPECT_NE(table.find("its GPU is that of rank 1, too\n1 "), std::string::npos) << table;
  EXPECT_NE(table.find("its GPU is that of rank 0, too\n2 "), std::string::npos) << table;
  EXPECT_TRUE(table.ends_with(" -\n")) << table;
  rows[1].machine = 1;
  EXPECT_EQ(rank_table(rows).find("too"), std::string::npos);
}

}  // namespace
}  // namespace dlbench::harness
