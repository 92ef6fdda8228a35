// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/cgroup.h"

#include "tests/probes/temporary_tree.h"

#include <gtest/gtest.h>

namespace dlbench::probes {
namespace {

TEST(ParseCgroupPaths, UnifiedHierarchy) {
  const CgroupPaths paths = parse_cgroup_paths("0::/system.slice/job.scope\n");
  EXPECT_EQ(paths.unified, "/system.slice/job.scope");
  EXPECT_EQ(paths.memory_v1, "");
}

TEST(ParseCgroupPaths, OldHierarchiesWithJoinedControllers) {
  const CgroupPaths paths =
      parse_cgroup_paths("9:memory:/slurm/job_1\n4:cpu,cpuacct:/slurm/job_2\n1:cpuset:/x\n");
  EXPECT_EQ(paths.memory_v1, "/slurm/job_1");
  EXPECT_EQ(paths.cpu_v1, "/slurm/job_2");
}

TEST(ReadCgroupLimits, TheTightestGroupOnTheWayUpCounts) {
  const TemporaryTree tree;
  tree.write("a/memory.max", "1000000\n");
  tree.write("a/memory.current", "400000\n");
  tree.write("a/memory.stat", "anon 300000\ninactive_file 100000\n");
  tree.write("a/b/memory.max", "max\n");
  tree.write("a/b/cpu.max", "max 100000\n");
  tree.write("a/cpu.max", "150000 100000\n");
  const CgroupLimits limits = read_cgroup_limits(tree.root(), CgroupPaths{"/a/b", "", ""});
  EXPECT_EQ(limits.memory_limit_bytes, 1'000'000);
  EXPECT_EQ(limits.memory_left_bytes, 700'000);  // 1000000 - (400000 - 100000)
  ASSERT_TRUE(limits.cpu_quota.has_value());
  EXPECT_DOUBLE_EQ(*limits.cpu_quota, 1.5);
}

TEST(ReadCgroupLimits, InAContainerThePathIsMissingAndTheRootCounts) {
  const TemporaryTree tree;
  tree.write("memory.max", "5000\n");
  tree.write("memory.current", "1000\n");
  const CgroupLimits limits =
      read_cgroup_limits(tree.root(), CgroupPaths{"/docker/0123abcd", "", ""});
  EXPECT_EQ(limits.memory_limit_bytes, 5000);
  EXPECT_EQ(limits.memory_left_bytes, 4000);
}

TEST(ReadCgroupLimits, VersionOneWithItsUnlimitedNumber) {
  const TemporaryTree tree;
  tree.write("memory/job/memory.limit_in_bytes", "8000\n");
  tree.write("memory/job/memory.usage_in_bytes", "3000\n");
  tree.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  tree.write("cpu/job/cpu.cfs_quota_us", "-1\n");
  tree.write("cpu/job/cpu.cfs_period_us", "100000\n");
  const CgroupLimits limits = read_cgroup_limits(tree.root(), CgroupPaths{"", "/job", "/job"});
  EXPECT_EQ(limits.memory_limit_bytes, 8000);
  EXPECT_EQ(limits.memory_left_bytes, 5000);
  EXPECT_FALSE(limits.cpu_quota.has_value());
}

TEST(ReadCgroupLimits, NoFilesMeanNoLimits) {
  const TemporaryTree tree;
  const CgroupLimits limits = read_cgroup_limits(tree.root(), CgroupPaths{"/a", "/b", "/c"});
  EXPECT_FALSE(limits.memory_limit_bytes.has_value());
  EXPECT_FALSE(limits.memory_left_bytes.has_value());
  EXPECT_FALSE(limits.cpu_quota.has_value());
}

TEST(QuotaStatFiles, AreThoseOfGroupsWithAQuota) {
  const TemporaryTree tree;
  tree.write("a/cpu.max", "50000 100000\n");
  tree.write("a/b/cpu.max", "max 100000\n");
  tree.write("cpu/job/cpu.cfs_quota_us", "150000\n");
  tree.write("cpu/job/cpu.cfs_period_us", "100000\n");
  tree.write("cpu/cpu.cfs_quota_us", "-1\n");
  tree.write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota_stat_files(tree.root(), CgroupPaths{"/a/b", "", "/job"}),
            (std::vector<std::filesystem::path>{tree.root() / "a/cpu.stat",
                                                tree.root() / "cpu/job/cpu.stat"}));
  EXPECT_TRUE(quota_stat_files(tree.root(), CgroupPaths{"/c", "", ""}).empty());
}

TEST(ParseThrottled, BothVersions) {
  EXPECT_DOUBLE_EQ(
      *parse_throttled_s("usage_usec 7\nnr_periods 10\nnr_throttled 4\nthrottled_usec 2500000\n"),
      2.5);
  EXPECT_DOUBLE_EQ(*parse_throttled_s("nr_periods 10\nnr_throttled 4\nthrottled_time 1500000000\n"),
                   1.5);
  EXPECT_EQ(parse_throttled_s("usage_usec 7\n"), std::nullopt);
  EXPECT_EQ(parse_throttled_s(""), std::nullopt);
}

TEST(ReadOomKills, OfTheOwnGroup) {
  const TemporaryTree tree;
  tree.write("a/memory.events", "low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\n");
  tree.write("a/b/memory.events", "oom 1\noom_kill 1\n");
  tree.write("memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  EXPECT_EQ(read_oom_kills(tree.root(), CgroupPaths{"/a/b", "", ""}), 1);
  EXPECT_EQ(read_oom_kills(tree.root(), CgroupPaths{"/a", "/job", ""}), 5);
  EXPECT_EQ(read_oom_kills(tree.root(), CgroupPaths{"/", "", ""}), std::nullopt);
}

}  // namespace
}  // namespace dlbench::probes
