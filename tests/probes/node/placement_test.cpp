// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/placement.h"

#include "engine/core/affinity.h"
#include "engine/core/error.h"
#include "probes/node/cpu_list.h"
#include "probes/node/system_info.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Optional;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

std::vector<std::string> cpu_texts(const std::vector<RankPlacement>& placements) {
  std::vector<std::string> texts;
  for (const RankPlacement& placement : placements) {
    texts.push_back(cpu_list_text(placement.cpus));
  }
  return texts;
}

template <typename Member>
auto values(const std::vector<RankPlacement>& placements, Member member) {
  std::vector<std::decay_t<decltype(placements.front().*member)>> result;
  for (const RankPlacement& placement : placements) {
    result.push_back(placement.*member);
  }
  return result;
}

TEST(PlaceRanks, OneRankGetsEverything) {
  const auto placements = place_ranks(synthetic_topology("pack:2 numa:1 core:8 pu:2"), 1);
  ASSERT_THAT(placements, SizeIs(1));
  EXPECT_EQ(cpu_list_text(placements[0].cpus), "0-31");
  EXPECT_EQ(placements[0].cores, 16);
  EXPECT_EQ(placements[0].threads, 16);  // one for each core, not for each hardware thread
  EXPECT_EQ(placements[0].workers, 32);
  EXPECT_FALSE(placements[0].oversubscribed);
  EXPECT_EQ(placements[0].gpu, std::nullopt);
}

TEST(PlaceRanks, RanksOfANumaNodeStayInIt) {
  const auto placements = place_ranks(synthetic_topology("pack:2 numa:2 core:8 pu:2"), 4);
  EXPECT_THAT(cpu_texts(placements), ElementsAre("0-15", "16-31", "32-47", "48-63"));
  EXPECT_THAT(values(placements, &RankPlacement::numa_node), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values(placements, &RankPlacement::threads), Each(8));
  EXPECT_THAT(values(placements, &RankPlacement::local_rank), ElementsAre(0, 1, 2, 3));
}

TEST(PlaceRanks, OddCountsDoNotStraddleNumaNodesWhereTheyNeedNot) {
  // 16 cores: six ranks of at least 2 fit 3 + 3, and 8 cores are 2, 3 and 3.
  const auto placements = place_ranks(synthetic_topology("numa:2 core:8 pu:1"), 6);
  EXPECT_THAT(cpu_texts(placements), ElementsAre("0-1", "2-4", "5-7", "8-9", "10-12", "13-15"));
  EXPECT_THAT(values(placements, &RankPlacement::threads), Each(2));
}

TEST(PlaceRanks, OddCountsStraddleRatherThanStarve) {
  // Three ranks in whole NUMA nodes would be 8, 4 and 4 cores; dealt out evenly they get 5, 5, 6.
  const auto placements = place_ranks(synthetic_topology("numa:2 core:8 pu:1"), 3);
  EXPECT_THAT(cpu_texts(placements), ElementsAre("0-4", "5-9", "10-15"));
  EXPECT_THAT(values(placements, &RankPlacement::threads), Each(5));
  EXPECT_THAT(values(placements, &RankPlacement::numa_node), ElementsAre(0, 0, 1));
}

using Shape = std::tuple<const char*, int>;
class AnyShape : public testing::TestWithParam<Shape> {};

// Whatever the node and the number of ranks: disjoint while there are cores, nothing unused, even.
TEST_P(AnyShape, SharesAreDisjointAndCoverTheNode) {
  const auto& [description, ranks] = GetParam();
  const Topology topology = synthetic_topology(description);
  const auto placements = place_ranks(topology, ranks);
  ASSERT_THAT(placements, SizeIs(ranks));
  std::multiset<int> used;
  for (const RankPlacement& placement : placements) {
    used.insert(placement.cpus.begin(), placement.cpus.end());
    EXPECT_FALSE(placement.cpus.empty());
    EXPECT_TRUE(std::is_sorted(placement.cpus.begin(), placement.cpus.end()));
    EXPECT_EQ(placement.threads, placements[0].threads);
    EXPECT_LE(placement.threads, placement.cores);
  }
  const bool enough = static_cast<std::size_t>(ranks) <= topology.cores.size();
  const auto shares_a_core = values(placements, &RankPlacement::oversubscribed);
  EXPECT_EQ(std::count(shares_a_core.begin(), shares_a_core.end(), true) > 0, !enough);
  if (enough) {
    EXPECT_EQ(std::vector<int>(used.begin(), used.end()), cpus_of(topology));
    const int least = static_cast<int>(topology.cores.size()) / ranks;
    EXPECT_THAT(values(placements, &RankPlacement::cores), Each(testing::Ge(least)));
    EXPECT_EQ(placements[0].threads, least);
  }
}

INSTANTIATE_TEST_SUITE_P(Placement,
                         AnyShape,
                         testing::Combine(testing::Values("core:2 pu:1",
                                                          "pack:2 numa:2 core:4 pu:2",
                                                          "numa:2 core:7 pu:4",
                                                          "core:1 pu:1"),
                                          testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16, 64)),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param);
                           std::replace_if(
                               name.begin(),
                               name.end(),
                               [](char c) { return c == ' ' || c == ':'; },
                               '_');
                           return name + "_for_" + std::to_string(std::get<1>(test.param));
                         });

TEST(PlaceRanks, MoreRanksThanCoresTakeHardwareThreadsThenShare) {
  const Topology topology = synthetic_topology("core:2 pu:2");
  const auto threads = place_ranks(topology, 4);
  EXPECT_THAT(cpu_texts(threads), ElementsAre("0", "2", "1", "3"));
  EXPECT_THAT(values(threads, &RankPlacement::oversubscribed), Each(true));
  const auto shared = place_ranks(topology, 8);
  EXPECT_THAT(cpu_texts(shared), ElementsAre("0", "2", "1", "3", "0", "2", "1", "3"));
  EXPECT_THAT(values(shared, &RankPlacement::threads), Each(1));
}

TEST(PlaceRanks, ARestrictedCpusetIsAllThereIs) {
  const Topology topology = synthetic_topology("pack:2 numa:1 core:8 pu:2");
  const std::vector<int> cpuset = {2, 3, 4, 5, 20, 21};  // two cores of node 0, one of node 1
  const auto placements = place_ranks(topology, std::vector{cpuset, cpuset, cpuset});
  EXPECT_THAT(cpu_texts(placements), ElementsAre("2-3", "4-5", "20-21"));
  EXPECT_THAT(values(placements, &RankPlacement::numa_node), ElementsAre(0, 0, 1));
  EXPECT_THAT(values(placements, &RankPlacement::bound_by_launcher), Each(false));
}

TEST(PlaceRanks, MasksThatDifferAreTheLaunchersAndStay) {
  const Topology topology = synthetic_topology("numa:2 core:4 pu:1");
  // srun --cpu-bind with the ranks in another order than ours.
  const auto placements = place_ranks(topology, std::vector<std::vector<int>>{{4, 5, 6}, {0, 1}});
  EXPECT_THAT(cpu_texts(placements), ElementsAre("4-6", "0-1"));
  EXPECT_THAT(values(placements, &RankPlacement::numa_node), ElementsAre(1, 0));
  EXPECT_THAT(values(placements, &RankPlacement::threads), Each(2));  // the narrower one decides
  EXPECT_THAT(values(placements, &RankPlacement::bound_by_launcher), Each(true));
  EXPECT_THAT(values(placements, &RankPlacement::oversubscribed), Each(false));
}

using Masks = std::vector<std::vector<int>>;

/// Each of those masks for that many ranks.
Masks repeat(const std::vector<std::pair<const char*, int>>& counts) {
  Masks masks;
  for (const auto& [cpus, ranks] : counts) {
    masks.insert(masks.end(), static_cast<std::size_t>(ranks), parse_cpu_list(cpus));
  }
  return masks;
}

TEST(PlaceRanks, RanksOfASocketDealItsCoresOut) {
  // mpirun -np 8 of Open MPI binds to sockets.
  const Topology topology = synthetic_topology("pack:2 core:8 pu:1");
  const auto placements = place_ranks(topology, repeat({{"0-7", 4}, {"8-15", 4}}));
  EXPECT_THAT(cpu_texts(placements),
              ElementsAre("0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12-13", "14-15"));
  EXPECT_THAT(values(placements, &RankPlacement::threads), Each(2));
  EXPECT_THAT(values(placements, &RankPlacement::workers), Each(2));
  EXPECT_THAT(values(placements, &RankPlacement::oversubscribed), Each(false));
  EXPECT_THAT(values(placements, &RankPlacement::bound_by_launcher), Each(false));
  EXPECT_THAT(values(placements, &RankPlacement::local_rank), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  // --map-by socket counts round.
  Masks in_turn;
  for (int rank = 0; rank < 8; ++rank) {
    in_turn.push_back(parse_cpu_list(rank % 2 == 0 ? "0-7" : "8-15"));
  }
  EXPECT_THAT(cpu_texts(place_ranks(topology, in_turn)),
              ElementsAre("0-1", "8-9", "2-3", "10-11", "4-5", "12-13", "6-7", "14-15"));
}

TEST(PlaceRanks, AMaskOfItsOwnStaysBesideOnesThatAreDealtOut) {
  const auto placements =
      place_ranks(synthetic_topology("core:8 pu:1"), repeat({{"0-3", 2}, {"5-7", 1}}));
  EXPECT_THAT(cpu_texts(placements), ElementsAre("0-1", "2-3", "5-7"));
  EXPECT_THAT(values(placements, &RankPlacement::bound_by_launcher),
              ElementsAre(false, false, true));
}

TEST(PlaceRanks, CoresInSeveralMasksGoToOneRank) {
  const Topology four = synthetic_topology("core:4 pu:1");
  const auto placements = place_ranks(four, Masks{{0, 1}, {1, 2}, {3}});
  EXPECT_THAT(cpu_texts(placements), ElementsAre("0-1", "2", "3"));
  EXPECT_THAT(values(placements, &RankPlacement::threads), Each(1));
  EXPECT_THAT(values(placements, &RankPlacement::oversubscribed), Each(false));
  EXPECT_THAT(values(placements, &RankPlacement::bound_by_launcher),
              ElementsAre(true, false, true));
  const auto forced = place_ranks(four, Masks{{0, 1}, {1, 2}, {3}}, {.threads = 2});
  EXPECT_THAT(values(forced, &RankPlacement::oversubscribed), ElementsAre(false, true, true));
  // One inside of the other: the narrow one has nowhere else to go.
  const auto nested =
      place_ranks(synthetic_topology("core:8 pu:1"), repeat({{"0-7", 1}, {"0-3", 1}}));
  EXPECT_THAT(cpu_texts(nested), ElementsAre("4-7", "0-3"));
  EXPECT_THAT(values(nested, &RankPlacement::bound_by_launcher), ElementsAre(false, true));
  // Three ranks on all and one on two: one core each is what all can have.
  const auto uneven = place_ranks(four, repeat({{"0-3", 3}, {"0", 1}}));
  EXPECT_THAT(cpu_texts(uneven), ElementsAre("1", "2", "3", "0"));
}

TEST(PlaceRanks, WhereMasksLeaveARankNothingItSharesWithOthers) {
  const auto placements =
      place_ranks(synthetic_topology("core:4 pu:1"), Masks{{0, 1}, {0}, {1}, {2, 3}});
  EXPECT_THAT(cpu_texts(placements), ElementsAre("0-1", "0", "1", "2-3"));
  EXPECT_THAT(values(placements, &RankPlacement::oversubscribed),
              ElementsAre(true, true, true, false));
  EXPECT_THAT(values(placements, &RankPlacement::ranks_on_cpus), ElementsAre(2, 2, 2, 1));
}

TEST(PlaceRanks, HardwareThreadsOfOneCoreMayBelongToTwoRanks) {
  // The masks do not overlap, so they stay; the compute threads share a core all the same.
  const auto placements = place_ranks(synthetic_topology("core:1 pu:2"), Masks{{0}, {1}});
  EXPECT_THAT(cpu_texts(placements), ElementsAre("0", "1"));
  EXPECT_THAT(values(placements, &RankPlacement::bound_by_launcher), Each(true));
  EXPECT_THAT(values(placements, &RankPlacement::oversubscribed), Each(true));
  EXPECT_THAT(values(placements, &RankPlacement::ranks_on_cpus), Each(1));
}

TEST(PlaceRanks, CountsTheRanksOfAHardwareThread) {
  const Topology topology = synthetic_topology("core:2 pu:1");
  EXPECT_THAT(values(place_ranks(topology, 2), &RankPlacement::ranks_on_cpus), Each(1));
  EXPECT_THAT(values(place_ranks(topology, 5), &RankPlacement::ranks_on_cpus),
              ElementsAre(3, 2, 3, 2, 3));
}

TEST(PlaceRanks, RefusesAMaskOutsideOfTheCpuset) {
  try {
    (void)place_ranks(synthetic_topology("core:2 pu:1"), std::vector<std::vector<int>>{{0}, {7}});
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUnavailable);
    EXPECT_THAT(error.what(), HasSubstr("local rank 1 may only run on CPUs 7"));
  }
}

TEST(PlaceRanks, GivenThreadsReplaceTheCores) {
  const Topology topology = synthetic_topology("core:8 pu:2");
  const auto fewer = place_ranks(topology, 2, {.threads = 3});
  EXPECT_THAT(values(fewer, &RankPlacement::threads), Each(3));
  EXPECT_THAT(values(fewer, &RankPlacement::oversubscribed), Each(false));
  EXPECT_THAT(values(place_ranks(topology, 2, {.threads = 5}), &RankPlacement::oversubscribed),
              Each(true));
}

TEST(PlaceRanks, ACpuQuotaLimitsTheThreadsOfAllRanksTogether) {
  const Topology topology = synthetic_topology("core:16 pu:1");
  const auto placements = place_ranks(topology, 2, {.cpu_quota = 6.0});
  EXPECT_THAT(values(placements, &RankPlacement::threads), Each(3));
  EXPECT_THAT(values(placements, &RankPlacement::cores), Each(8));
  EXPECT_THAT(values(placements, &RankPlacement::oversubscribed), Each(false));
  EXPECT_THAT(values(place_ranks(topology, 4, {.cpu_quota = 1.5}), &RankPlacement::oversubscribed),
              Each(true));
}

Topology with_gpus(const char* description, const std::vector<std::optional<int>>& numa_nodes) {
  Topology topology = synthetic_topology(description);
  for (const auto& node : numa_nodes) {
    topology.gpus.push_back(
        {.pci_address = fmt::format("0000:{:02x}:00.0", topology.gpus.size()), .numa_node = node});
  }
  return topology;
}

TEST(PlaceRanks, EachRankGetsTheGpuBesideItsCores) {
  // As on Perlmutter: the GPUs count against the NUMA nodes.
  const auto placements = place_ranks(with_gpus("numa:4 core:16 pu:2", {3, 2, 1, 0}), 4);
  EXPECT_THAT(values(placements, &RankPlacement::gpu),
              ElementsAre(Optional(3), Optional(2), Optional(1), Optional(0)));
  EXPECT_EQ(placements[0].gpu_address, "0000:03:00.0");
  EXPECT_FALSE(placements[0].gpu_visible) << "nobody asked what a rank sees";
}

TEST(PlaceRanks, NobodyTakesAGpuFromAfarThatIsNextToAnother) {
  // Both GPUs hang on node 1, where only the second rank is.
  const auto placements = place_ranks(with_gpus("numa:2 core:4 pu:1", {1, 1}), 2);
  EXPECT_THAT(values(placements, &RankPlacement::gpu), ElementsAre(Optional(1), Optional(0)));
}

TEST(PlaceRanks, GpusThatNobodyLocatedAreGivenInOrder) {
  const auto placements = place_ranks(with_gpus("core:4 pu:1", {std::nullopt, std::nullopt}), 2);
  EXPECT_THAT(values(placements, &RankPlacement::gpu), ElementsAre(Optional(0), Optional(1)));
}

using Addresses = std::vector<std::vector<std::string>>;

TEST(PlaceRanks, OfHalfANodeEachRankGetsTheVisibleGpuBesideItsCores) {
  // Eight GPUs against two NUMA nodes, of which a job has four: two on each.
  const Topology topology = with_gpus("numa:2 core:8 pu:1", {1, 1, 1, 1, 0, 0, 0, 0});
  const std::vector<std::string> visible = {
      "0000:00:00.0", "0000:03:00.0", "0000:04:00.0", "0000:07:00.0"};
  const auto placements = place_ranks(topology, 4, {.visible_gpus = Addresses(4, visible)});
  EXPECT_THAT(values(placements, &RankPlacement::numa_node), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(values(placements, &RankPlacement::gpu_address),
              ElementsAre("0000:04:00.0", "0000:07:00.0", "0000:00:00.0", "0000:03:00.0"));
  EXPECT_THAT(values(placements, &RankPlacement::gpu),
              ElementsAre(Optional(2), Optional(3), Optional(0), Optional(1)));
  EXPECT_THAT(values(placements, &RankPlacement::gpu_visible), Each(true));
  EXPECT_THAT(values(placements, &RankPlacement::peers_hidden), Each(false));
}

TEST(PlaceRanks, AVisibleGpuThatTheTopologyLacksIsNearNobody) {
  const auto placements = place_ranks(with_gpus("numa:2 core:4 pu:1", {1}),
                                      2,
                                      {.visible_gpus = Addresses(2, {"1:0", "0000:00:00.0"})});
  EXPECT_THAT(values(placements, &RankPlacement::gpu_address), ElementsAre("1:0", "0000:00:00.0"));
}

TEST(PlaceRanks, RanksTakeOnlyGpusThatTheySee) {
  const Topology topology = with_gpus("core:4 pu:1", {std::nullopt, std::nullopt, std::nullopt});
  const std::string first = "0000:00:00.0";
  const std::string second = "0000:01:00.0";
  // srun --gpus-per-task=1.
  const auto single = place_ranks(topology, 2, {.visible_gpus = {{second}, {first}}});
  EXPECT_THAT(values(single, &RankPlacement::gpu_address), ElementsAre(second, first));
  EXPECT_THAT(values(single, &RankPlacement::gpu), Each(Optional(0)));
  EXPECT_THAT(values(single, &RankPlacement::peers_hidden), Each(true));
  // Who has a choice leaves the other its only one.
  const auto uneven = place_ranks(topology, 2, {.visible_gpus = {{first, second}, {first}}});
  EXPECT_THAT(values(uneven, &RankPlacement::gpu_address), ElementsAre(second, first));
  EXPECT_THAT(values(uneven, &RankPlacement::peers_hidden), ElementsAre(false, true));
  // Who has taken one goes to another where that gives each its own.
  const std::string third = "0000:02:00.0";
  const auto chained = place_ranks(
      topology, 3, {.visible_gpus = {{first, second}, {second, third}, {first, second}}});
  std::set<std::string> taken;
  for (const RankPlacement& placement : chained) {
    taken.insert(placement.gpu_address);
  }
  EXPECT_THAT(taken, SizeIs(3));
  // All see one: they share it, and nothing is hidden from them.
  const auto shared = place_ranks(topology, 3, {.visible_gpus = Addresses(3, {first})});
  EXPECT_THAT(values(shared, &RankPlacement::gpu_address), Each(first));
  EXPECT_THAT(values(shared, &RankPlacement::peers_hidden), Each(false));
  const auto crowded = place_ranks(topology, 3, {.visible_gpus = {{first}, {first}, {second}}});
  EXPECT_THAT(values(crowded, &RankPlacement::gpu_address), ElementsAre(first, first, second));
  const auto blind = place_ranks(topology, 2, {.visible_gpus = {{}, {first}}});
  EXPECT_THAT(values(blind, &RankPlacement::gpu), ElementsAre(std::nullopt, Optional(0)));
}

// srun --gpus-per-task=1, or a script that sets CUDA_VISIBLE_DEVICES for each rank.
TEST(PlaceRanks, RanksOfOneMaskGoToTheGpusThatTheySee) {
  const Topology topology = with_gpus("numa:2 core:8 pu:1", {1, 0, 1, 0});
  const Addresses own = {{"0000:00:00.0"}, {"0000:01:00.0"}, {"0000:02:00.0"}, {"0000:03:00.0"}};
  const auto moved = place_ranks(topology, 4, {.visible_gpus = own});
  EXPECT_THAT(values(moved, &RankPlacement::numa_node), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(values(moved, &RankPlacement::local_rank), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values(moved, &RankPlacement::gpu_address),
              ElementsAre(own[0][0], own[1][0], own[2][0], own[3][0]));
  std::vector<int> cpus;
  for (const RankPlacement& placement : moved) {
    EXPECT_THAT(placement.cpus, SizeIs(4));
    cpus.insert(cpus.end(), placement.cpus.begin(), placement.cpus.end());
  }
  EXPECT_THAT(cpus, UnorderedElementsAreArray(cpus_of(topology)));
  // Masks of the launcher stay.
  std::vector<std::vector<int>> masks(4);
  for (int cpu = 0; cpu < 16; ++cpu) {
    masks[static_cast<std::size_t>(cpu / 4)].push_back(cpu);
  }
  const auto bound = place_ranks(topology, masks, {.visible_gpus = own});
  EXPECT_THAT(values(bound, &RankPlacement::numa_node), ElementsAre(0, 0, 1, 1));
}

// Rank 1 would take the one next to it, which is all that rank 0 sees.
TEST(PlaceRanks, AGpuFromAfarIsBetterThanASharedOne) {
  const auto placements =
      place_ranks(with_gpus("numa:2 core:4 pu:1", {0, 1}),
                  2,
                  {.visible_gpus = {{"0000:01:00.0"}, {"0000:00:00.0", "0000:01:00.0"}}});
  EXPECT_THAT(values(placements, &RankPlacement::gpu_address),
              ElementsAre("0000:01:00.0", "0000:00:00.0"));
  EXPECT_THAT(values(placements, &RankPlacement::numa_node), ElementsAre(1, 0)) << "of one mask";
}

TEST(PlaceRanks, MoreRanksThanGpusShareThemEvenly) {
  const auto placements = place_ranks(with_gpus("numa:2 core:8 pu:1", {0, 1}), 5);
  std::vector<int> counts(2, 0);
  for (const RankPlacement& placement : placements) {
    ++counts.at(static_cast<std::size_t>(placement.gpu.value()));
  }
  std::sort(counts.begin(), counts.end());
  EXPECT_THAT(counts, ElementsAre(2, 3));
}

TEST(BindProcess, RestrictsThisThreadRunningOnesAndThoseToCome) {
  const std::vector<int> all = core::affinity_cpus();
  if (all.size() < 2) {
    GTEST_SKIP() << "this process may use one CPU only";
  }
  std::vector<int> running;
  std::vector<int> later;
  {
    std::atomic<bool> bound = false;
    std::thread thread([&] {
      while (!bound) {
        std::this_thread::yield();
      }
      running = core::affinity_cpus();
    });
    bind_process({all.back()});
    bound = true;
    thread.join();
    std::thread([&later] { later = core::affinity_cpus(); }).join();
  }
  EXPECT_THAT(core::affinity_cpus(), ElementsAre(all.back()));
  EXPECT_THAT(running, ElementsAre(all.back()));
  EXPECT_THAT(later, ElementsAre(all.back()));
  bind_process(all);
  EXPECT_EQ(core::affinity_cpus(), all);
}

TEST(BindProcess, SaysWhichCpusTheKernelRefused) {
  try {
    bind_process({100'000});
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("CPUs 100000"));
  }
}

TEST(PlaceRanks, AQuotaIsSharedOutToThreadsAndWorkers) {
  const Topology topology = synthetic_topology("pack:2 numa:1 core:8 pu:2");
  for (const auto& [quota, ranks, share] : std::vector<std::tuple<double, int, int>>{
           {0.5, 1, 1}, {1.5, 1, 2}, {6.0, 2, 3}, {1.0, 4, 1}}) {
    for (const RankPlacement& placement : place_ranks(topology, ranks, {.cpu_quota = quota})) {
      EXPECT_EQ(placement.threads, share) << quota;
      EXPECT_EQ(placement.workers, share) << quota;
    }
  }
  // The kernel takes quotas that no int holds.
  const auto free = place_ranks(topology, 2, {});
  const auto barely = place_ranks(topology, 2, {.cpu_quota = 1.7e10});
  EXPECT_EQ(values(barely, &RankPlacement::threads), values(free, &RankPlacement::threads));
  EXPECT_EQ(values(barely, &RankPlacement::workers), values(free, &RankPlacement::workers));
}

TEST(UsableCores, AreAtMostTheCpusOfThisProcess) {
  EXPECT_GE(usable_physical_cores(), 1);
  EXPECT_LE(usable_physical_cores(), usable_cpus());
}

}  // namespace
}  // namespace dlbench::probes
