// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/rapl.h"

#include "tests/probes/temporary_tree.h"

#include <gmock/gmock.h>

namespace dlbench::probes {
namespace {

TEST(FindRaplZones, TakesPackagesAndNotTheirParts) {
  const TemporaryTree tree;
  tree.write("intel-rapl:0/name", "package-0\n");
  tree.write("intel-rapl:0/energy_uj", "1000\n");
  tree.write("intel-rapl:0/max_energy_range_uj", "262143328850\n");
  tree.write("intel-rapl:0:0/name", "core\n");
  tree.write("intel-rapl:0:0/energy_uj", "500\n");
  tree.write("intel-rapl-mmio:0/name", "package-0\n");
  tree.write("intel-rapl-mmio:0/energy_uj", "1000\n");
  tree.write("intel-rapl:1/name", "package-1\n");
  tree.write("intel-rapl:1/energy_uj", "2000\n");
  tree.write("intel-rapl:2/name", "psys\n");
  tree.write("intel-rapl:2/energy_uj", "3000\n");
  const RaplZones found = find_rapl_zones(tree.root());
  EXPECT_EQ(found.reason, "");
  ASSERT_EQ(found.zones.size(), 2U);
  EXPECT_EQ(read_energy_uj(found.zones[0]), 1000U);
  EXPECT_EQ(found.zones[0].range_uj, 262143328850U);
  EXPECT_EQ(read_energy_uj(found.zones[1]), 2000U);
}

TEST(FindRaplZones, SaysWhyThereAreNone) {
  const TemporaryTree tree;
  EXPECT_THAT(find_rapl_zones(tree.root()).reason, testing::HasSubstr("no package zone"));
  EXPECT_THAT(find_rapl_zones(tree.root() / "missing").reason,
              testing::HasSubstr("no package zone"));
  tree.write("intel-rapl:0/name", "package-0\n");
  EXPECT_THAT(find_rapl_zones(tree.root()).reason, testing::HasSubstr("not readable"));
}

TEST(EnergyDifference, AllowsForOneWrap) {
  EXPECT_DOUBLE_EQ(energy_difference_joules(1'000'000, 3'500'000, 10'000'000), 2.5);
  EXPECT_DOUBLE_EQ(energy_difference_joules(9'000'000, 500'000, 10'000'000), 1.5);
}

}  // namespace
}  // namespace dlbench::probes
