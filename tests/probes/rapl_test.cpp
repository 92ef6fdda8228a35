// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/rapl.h"

#include "tests/probes/temporary_tree.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::Optional;

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
  EXPECT_THAT(energy_difference_joules(1'000'000, 3'500'000, 10'000'000), Optional(DoubleEq(2.5)));
  EXPECT_THAT(energy_difference_joules(9'000'000, 500'000, 10'000'000), Optional(DoubleEq(1.5)));
  EXPECT_EQ(energy_difference_joules(9'000'000, 500'000, 0), std::nullopt) << "range not told";
}

// Energy files that tests write to while a meter reads them.
class MeteredTree {
 public:
  MeteredTree() {
    tree_.write("intel-rapl:0/name", "package-0\n");
    tree_.write("intel-rapl:0/max_energy_range_uj", "10000000\n");
    set(9'000'000);
  }
  /// At once: a meter never sees a file half written.
  void set(std::uint64_t microjoules) {
    tree_.write("next", std::to_string(microjoules) + "\n");
    std::filesystem::rename(tree_.root() / "next", tree_.root() / "intel-rapl:0/energy_uj");
  }
  [[nodiscard]] std::vector<RaplZone> zones() const { return find_rapl_zones(tree_.root()).zones; }
  void remove_counter() { std::filesystem::remove(tree_.root() / "intel-rapl:0/energy_uj"); }

 private:
  TemporaryTree tree_;
};

TEST(RaplMeter, CountsEveryWrapOfALongWindow) {
  MeteredTree tree;
  RaplMeter meter(tree.zones(), std::chrono::milliseconds(1));
  meter.begin_window();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int lap = 0; lap < 3; ++lap) {  // up to the end, round, and to where it was
    for (const std::uint64_t at : {9'900'000, 4'000'000, 9'000'000}) {
      tree.set(at);
      // The next sample may have read before that, the one after it has not.
      const std::int64_t seen = meter.samples() + 2;
      while (meter.samples() < seen && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }
  EXPECT_THAT(meter.end_window(), Optional(DoubleNear(30.0, 1e-6)));
}

TEST(RaplMeter, WindowsStandAlone) {
  MeteredTree tree;
  RaplMeter meter(tree.zones());
  meter.begin_window();
  tree.set(9'500'000);
  EXPECT_THAT(meter.end_window(), Optional(DoubleNear(0.5, 1e-6)));
  tree.set(1'000'000);
  meter.begin_window();
  tree.set(1'250'000);
  EXPECT_THAT(meter.end_window(), Optional(DoubleNear(0.25, 1e-6)));
  meter.begin_window();
  tree.remove_counter();
  EXPECT_EQ(meter.end_window(), std::nullopt);
}

}  // namespace
}  // namespace dlbench::probes
