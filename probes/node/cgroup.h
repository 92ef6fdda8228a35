// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits that Linux control groups (v1 and v2) put on this process: memory and CPU quota. The file
// system root is a parameter, so that tests build their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::probes {

/// Limits of the tightest group on the way from the process's group to the root.
struct CgroupLimits {
  std::optional<std::int64_t> memory_limit_bytes;
  /// Limit minus use, of the group where that is least; reclaimable file pages do not count as use.
  std::optional<std::int64_t> memory_left_bytes;
  std::optional<double> cpu_quota;  ///< CPUs, e.g. 1.5
};

/// Where this process stands: the paths of /proc/self/cgroup.
struct CgroupPaths {
  std::string unified;    ///< v2: the path after "0::"
  std::string memory_v1;  ///< v1: path of the controller "memory"; empty if it has none
  std::string cpu_v1;     ///< v1: path of the controller "cpu"
};

/// From the text of /proc/self/cgroup.
[[nodiscard]] CgroupPaths parse_cgroup_paths(std::string_view text);

/// Reads the limits below `root` (normally /sys/fs/cgroup). Missing files mean no limit.
[[nodiscard]] CgroupLimits read_cgroup_limits(const std::filesystem::path& root,
                                              const CgroupPaths& paths);

/// The cpu.stat files below `root` of those groups, up to the root, that have a CPU quota.
[[nodiscard]] std::vector<std::filesystem::path> quota_stat_files(const std::filesystem::path& root,
                                                                  const CgroupPaths& paths);

/// Seconds for which a quota kept runnable threads from running, over all CPUs, since the group was
/// made: "throttled_usec" (v2) or "throttled_time" (v1) of a cpu.stat text. Empty without either.
[[nodiscard]] std::optional<double> parse_throttled_s(std::string_view text);

/// Processes of the process's own group that the kernel killed for want of memory, so far. Empty
/// where it does not tell (root group, v1 before Linux 4.13).
[[nodiscard]] std::optional<std::int64_t> read_oom_kills(const std::filesystem::path& root,
                                                         const CgroupPaths& paths);

}  // namespace dlbench::probes
