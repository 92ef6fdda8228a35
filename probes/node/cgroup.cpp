// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/cgroup.h"

#include "probes/node/kernel_file.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace dlbench::probes {
namespace {

/// Kernels of cgroup v1 write "no limit" as the largest page-aligned number.
constexpr std::int64_t kUnlimitedV1 = std::int64_t{1} << 60;

/// Returns the number after `key` and a blank, from a text with one such pair per line.
std::optional<std::int64_t> find_number(std::string_view text, std::string_view key) {
  std::istringstream stream{std::string(text)};
  std::string name;
  std::int64_t number = 0;
  while (stream >> name >> number) {
    if (name == key) {
      return number;
    }
  }
  return std::nullopt;
}

/// Does the same for a file such as memory.stat.
std::optional<std::int64_t> read_stat(const std::filesystem::path& path, std::string_view key) {
  return find_number(read_kernel_file(path).value_or(""), key);
}

/// Returns the group's folder and its parents, up to `root` itself. In a container the path may not
/// exist below the mounted root; then only the root counts, which is the container's own group.
std::vector<std::filesystem::path> groups_up_to_root(const std::filesystem::path& root,
                                                     const std::string& path) {
  std::vector<std::filesystem::path> groups;
  std::filesystem::path relative = std::filesystem::path(path).relative_path();
  std::error_code ignored;
  while (!relative.empty()) {
    if (std::filesystem::is_directory(root / relative, ignored)) {
      groups.push_back(root / relative);
    }
    relative = relative.parent_path();
  }
  groups.push_back(root);
  return groups;
}

void tighten(std::optional<std::int64_t>& limit, std::int64_t value) {
  limit = limit.has_value() ? std::min(*limit, value) : value;
}

void tighten(std::optional<double>& limit, double value) {
  limit = limit.has_value() ? std::min(*limit, value) : value;
}

void apply_memory(CgroupLimits& limits,
                  const std::filesystem::path& group,
                  const char* limit_file,
                  const char* use_file,
                  const char* file_pages_key) {
  const auto limit = read_kernel_number<std::int64_t>(group / limit_file);
  if (!limit.has_value() || *limit >= kUnlimitedV1) {
    return;
  }
  tighten(limits.memory_limit_bytes, *limit);
  const std::int64_t use = read_kernel_number<std::int64_t>(group / use_file).value_or(0);
  const std::int64_t reclaimable = read_stat(group / "memory.stat", file_pages_key).value_or(0);
  tighten(limits.memory_left_bytes,
          std::max(std::int64_t{0}, *limit - std::max(std::int64_t{0}, use - reclaimable)));
}

std::optional<double> quota_of(double quota, double period) {
  return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

std::optional<double> read_quota_v2(const std::filesystem::path& group) {
  // "max 100000" or "150000 100000": quota and period in microseconds.
  std::istringstream stream(read_kernel_file(group / "cpu.max").value_or(""));
  double quota = 0;
  double period = 0;
  return stream >> quota >> period ? quota_of(quota, period) : std::nullopt;
}

std::optional<double> read_quota_v1(const std::filesystem::path& group) {
  return quota_of(static_cast<double>(
                      read_kernel_number<std::int64_t>(group / "cpu.cfs_quota_us").value_or(-1)),
                  static_cast<double>(
                      read_kernel_number<std::int64_t>(group / "cpu.cfs_period_us").value_or(0)));
}

struct QuotaGroup {
  std::filesystem::path folder;
  double quota = 0.0;
};

std::vector<QuotaGroup> quota_groups(const std::filesystem::path& root, const CgroupPaths& paths) {
  std::vector<QuotaGroup> found;
  for (const auto& group : groups_up_to_root(root, paths.unified)) {
    if (const auto quota = read_quota_v2(group); quota.has_value()) {
      found.push_back({group, *quota});
    }
  }
  if (!paths.cpu_v1.empty()) {
    for (const auto& group : groups_up_to_root(root / "cpu", paths.cpu_v1)) {
      if (const auto quota = read_quota_v1(group); quota.has_value()) {
        found.push_back({group, *quota});
      }
    }
  }
  return found;
}

}  // namespace

CgroupPaths parse_cgroup_paths(std::string_view text) {
  CgroupPaths paths;
  std::istringstream stream{std::string(text)};
  std::string line;
  while (std::getline(stream, line)) {
    // "hierarchy:controllers:path", e.g. "4:cpu,cpuacct:/job_7" or "0::/user.slice".
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      paths.unified = path;
    }
    if (controllers.find(",memory,") != std::string::npos) {
      paths.memory_v1 = path;
    }
    if (controllers.find(",cpu,") != std::string::npos) {
      paths.cpu_v1 = path;
    }
  }
  return paths;
}

CgroupLimits read_cgroup_limits(const std::filesystem::path& root, const CgroupPaths& paths) {
  CgroupLimits limits;
  for (const auto& group : groups_up_to_root(root, paths.unified)) {
    apply_memory(limits, group, "memory.max", "memory.current", "inactive_file");
  }
  if (!paths.memory_v1.empty()) {
    for (const auto& group : groups_up_to_root(root / "memory", paths.memory_v1)) {
      apply_memory(
          limits, group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
    }
  }
  for (const QuotaGroup& group : quota_groups(root, paths)) {
    tighten(limits.cpu_quota, group.quota);
  }
  return limits;
}

std::vector<std::filesystem::path> quota_stat_files(const std::filesystem::path& root,
                                                    const CgroupPaths& paths) {
  std::vector<std::filesystem::path> files;
  for (const QuotaGroup& group : quota_groups(root, paths)) {
    files.push_back(group.folder / "cpu.stat");
  }
  return files;
}

std::optional<double> parse_throttled_s(std::string_view text) {
  if (const auto microseconds = find_number(text, "throttled_usec")) {
    return static_cast<double>(*microseconds) * 1e-6;
  }
  if (const auto nanoseconds = find_number(text, "throttled_time")) {
    return static_cast<double>(*nanoseconds) * 1e-9;
  }
  return std::nullopt;
}

std::optional<std::int64_t> read_oom_kills(const std::filesystem::path& root,
                                           const CgroupPaths& paths) {
  if (!paths.memory_v1.empty()) {
    return read_stat(
        groups_up_to_root(root / "memory", paths.memory_v1).front() / "memory.oom_control",
        "oom_kill");
  }
  return read_stat(groups_up_to_root(root, paths.unified).front() / "memory.events", "oom_kill");
}

}  // namespace dlbench::probes
