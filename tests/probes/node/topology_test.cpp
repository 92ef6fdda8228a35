// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/topology.h"

#include "engine/core/affinity.h"
#include "engine/core/error.h"
#include "probes/node/system_info.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

namespace dlbench::probes {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::SizeIs;

TEST(SyntheticTopology, HasPackagesNumaNodesCoresAndThreads) {
  const Topology topology = synthetic_topology("pack:2 numa:2 core:4 pu:2");
  ASSERT_THAT(topology.cores, SizeIs(16));
  EXPECT_THAT(topology.cores[0].cpus, ElementsAre(0, 1));
  EXPECT_THAT(topology.cores[15].cpus, ElementsAre(30, 31));
  EXPECT_EQ(topology.cores[3].numa_node, 0);
  EXPECT_EQ(topology.cores[4].numa_node, 1);
  EXPECT_EQ(topology.cores[7].package, 0);
  EXPECT_EQ(topology.cores[8].package, 1);
  EXPECT_EQ(topology.cores[12].numa_node, 3);
}

TEST(SyntheticTopology, RefusesWhatHwlocCannotRead) {
  try {
    (void)synthetic_topology("two sockets");
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUsage);
    EXPECT_THAT(error.what(), testing::HasSubstr("'two sockets'"));
  }
}

TEST(RestrictTopology, KeepsCoresThatHaveAnAllowedThread) {
  const Topology all = synthetic_topology("numa:2 core:2 pu:2");
  const Topology some = restrict_topology(all, {1, 4, 5, 99});
  ASSERT_THAT(some.cores, SizeIs(2));
  EXPECT_THAT(some.cores[0].cpus, ElementsAre(1));
  EXPECT_THAT(some.cores[1].cpus, ElementsAre(4, 5));
  EXPECT_EQ(some.cores[1].numa_node, 1);
  EXPECT_THAT(cpus_of(some), ElementsAre(1, 4, 5));
}

TEST(CpusOfSameCores, AreTheSiblingsToo) {
  const Topology all = synthetic_topology("numa:2 core:2 pu:2");
  EXPECT_THAT(cpus_of_same_cores(all, {1, 6, 99}), ElementsAre(0, 1, 6, 7));
  EXPECT_THAT(cpus_of_same_cores(all, {}), ElementsAre());
}

TEST(LastLevelCache, IsThatOfTheCpusInUse) {
  const Topology all =
      synthetic_topology("pack:2 l3:2(size=33554432) l2:2(size=1048576) core:2 pu:2");
  ASSERT_THAT(all.last_level_caches, SizeIs(4));
  EXPECT_THAT(all.last_level_caches[1].cpus, ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_EQ(last_level_cache_bytes(all), 4 * 33554432);
  EXPECT_EQ(last_level_cache_bytes(restrict_topology(all, {0, 1, 30})), 2 * 33554432);
  EXPECT_EQ(last_level_cache_bytes(synthetic_topology("l2:2(size=1048576) core:1 pu:1")),
            2 * 1048576);
  EXPECT_EQ(last_level_cache_bytes(synthetic_topology("core:2 pu:1")), 0);
}

TEST(ReadTopology, FindsGpusBesideTheirNumaNodesButNoOtherGraphics) {
  // hwloc takes this file, which it once wrote of another machine, for this one.
  ::setenv("HWLOC_XMLFILE", DLBENCH_PROBES_TEST_FOLDER "/two_gpus.xml", 1);
  const Topology topology = read_topology();
  ::unsetenv("HWLOC_XMLFILE");
  EXPECT_THAT(topology.cores, SizeIs(4));
  ASSERT_THAT(topology.gpus, SizeIs(2));  // and not the graphics chip of the board
  EXPECT_EQ(topology.gpus[0].pci_address, "0000:18:00.0");
  EXPECT_EQ(topology.gpus[0].numa_node, 0);
  EXPECT_EQ(topology.gpus[1].pci_address, "0000:af:00.0");
  EXPECT_EQ(topology.gpus[1].numa_node, 1);
}

TEST(ReadTopology, HoldsTheCpusThatThisProcessMayUse) {
  EXPECT_THAT(cpus_of(read_topology()), IsSupersetOf(core::affinity_cpus()));
}

}  // namespace
}  // namespace dlbench::probes
