// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits of memory and CPU time that Linux control groups (v1 and v2) set for this process. The
// file system root is a parameter, so that tests can build their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

/// The tightest limits of the groups on the path from the process's group to the root.
struct CgroupLimits {
  std::optional<std::int64_t> memory_limit_bytes;
  /// Limit minus use, of the group with the least left; reclaimable file pages do not count as use.
  std::optional<std::int64_t> memory_left_bytes;
  std::optional<double> cpu_quota;  ///< CPUs, e.g. 1.5
};

/// The groups of this process: the paths of /proc/self/cgroup.
struct CgroupPaths {
  std::string unified;    ///< v2: the path after "0::"
  std::string memory_v1;  ///< v1: path of the controller "memory"; empty if it has none
  std::string cpu_v1;     ///< v1: path of the controller "cpu"
};

/// Parses the text of /proc/self/cgroup.
[[nodiscard]] CgroupPaths parse_cgroup_paths(std::string_view text);

/// Reads the limits below `root` (normally /sys/fs/cgroup). Missing files mean no limit.
[[nodiscard]] CgroupLimits read_cgroup_limits(const std::filesystem::path& root,
                                              const CgroupPaths& paths);

/// Returns the cpu.stat files below `root` of these groups and their parents with a CPU quota.
[[nodiscard]] std::vector<std::filesystem::path> quota_stat_files(const std::filesystem::path& root,
                                                                  const CgroupPaths& paths);

/// Parses a cpu.stat text: seconds for which a quota stopped runnable threads, over all CPUs, since
/// the group was made ("throttled_usec", v1: "throttled_time"). Nothing without either.
[[nodiscard]] std::optional<double> parse_throttled_s(std::string_view text);

/// Returns how many processes of the process's own group the kernel has killed for lack of memory.
/// Nothing where it is not reported (root group, v1 before Linux 4.13).
[[nodiscard]] std::optional<std::int64_t> read_oom_kills(const std::filesystem::path& root,
                                                         const CgroupPaths& paths);

}  // namespace dlbench::probes
