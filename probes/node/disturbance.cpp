// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/disturbance.h"

#include "engine/core/affinity.h"
#include "engine/core/clock.h"
#include "engine/core/disk_reads.h"
#include "probes/node/kernel_file.h"
#include "probes/node/system_info.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <limits>

namespace dlbench::probes {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Removes the next unsigned number from the front of `line`, after blanks, and returns it.
std::optional<std::uint64_t> take_number(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc{}) {
    return std::nullopt;
  }
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return number;
}

/// Parses one "cpuN ..." line after its name, in ticks.
std::optional<CpuTimes> parse_cpu_line(std::string_view line) {
  // user nice system idle iowait irq softirq steal; guest times are already inside user and nice.
  constexpr std::size_t kFields = 8;
  std::uint64_t ticks[kFields] = {};
  for (std::uint64_t& field : ticks) {
    const auto number = take_number(line);
    if (!number.has_value()) {
      return std::nullopt;
    }
    field = *number;
  }
  return CpuTimes{static_cast<double>(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]),
                  static_cast<double>(ticks[7])};
}

std::atomic<std::int64_t>& continued() {
  static std::atomic<std::int64_t> count = 0;
  static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a handler may not lock");
  return count;
}

}  // namespace

std::optional<CpuTimes> parse_proc_stat(std::string_view text,
                                        const std::vector<int>& cpus,
                                        double ticks_per_s) {
  CpuTimes sum;
  std::size_t found = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with("cpu") || line.starts_with("cpu ")) {
      continue;
    }
    line.remove_prefix(3);
    const auto cpu = take_number(line);
    if (!cpu.has_value() || !std::binary_search(cpus.begin(), cpus.end(), static_cast<int>(*cpu))) {
      continue;
    }
    const auto times = parse_cpu_line(line);
    if (!times.has_value()) {
      return std::nullopt;
    }
    sum.busy_s += times->busy_s / ticks_per_s;
    sum.steal_s += times->steal_s / ticks_per_s;
    ++found;
  }
  if (cpus.empty() || found != cpus.size()) {
    return std::nullopt;
  }
  return sum;
}

void count_continued(int /*signal_number*/) { ++continued(); }

double process_cpu_s() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);  // cannot fail with these arguments
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int watched_cpus() { return std::max(1, static_cast<int>(core::affinity_cpus().size())); }

ProcSnapshot take_snapshot() noexcept {
  ProcSnapshot snapshot;
  snapshot.continued = continued();
  snapshot.read_bytes = core::process_disk_read_bytes();
  try {
    if (const auto text = read_kernel_file("/proc/stat"); text.has_value()) {
      const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
      snapshot.cpus = parse_proc_stat(*text, core::affinity_cpus(), ticks_per_s);
    }
    snapshot.throttled_s = own_throttled_s();
  } catch (...) {
    // Out of memory while reading: these stay empty, and the report shows it.
    snapshot.throttled_s.reset();
    snapshot.cpus.reset();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);  // cannot fail with these arguments
  snapshot.user_cpu_s = seconds(usage.ru_utime);
  snapshot.system_cpu_s = seconds(usage.ru_stime);
  snapshot.voluntary_switches = usage.ru_nvcsw;
  snapshot.involuntary_switches = usage.ru_nivcsw;
  snapshot.minor_faults = usage.ru_minflt;
  snapshot.major_faults = usage.ru_majflt;
  snapshot.peak_rss_bytes = std::int64_t{usage.ru_maxrss} * 1024;  // Linux gives KiB
  snapshot.steady_s = core::steady_seconds();
  return snapshot;
}

Disturbance compare_snapshots(const ProcSnapshot& begin,
                              const ProcSnapshot& end,
                              const OwnLoad& own,
                              const core::DisturbanceThresholds& thresholds) {
  Disturbance result;
  result.wall_s = end.steady_s - begin.steady_s;
  result.user_cpu_s = end.user_cpu_s - begin.user_cpu_s;
  result.system_cpu_s = end.system_cpu_s - begin.system_cpu_s;
  result.voluntary_context_switches = end.voluntary_switches - begin.voluntary_switches;
  result.involuntary_context_switches = end.involuntary_switches - begin.involuntary_switches;
  result.minor_faults = end.minor_faults - begin.minor_faults;
  result.major_faults = end.major_faults - begin.major_faults;
  result.peak_rss_bytes = end.peak_rss_bytes;
  if (begin.read_bytes.has_value() && end.read_bytes.has_value()) {
    result.read_bytes = *end.read_bytes - *begin.read_bytes;
  }
  if (begin.cpus.has_value() && end.cpus.has_value()) {
    result.steal_s = std::max(0.0, end.cpus->steal_s - begin.cpus->steal_s);
    result.other_cpu_s = std::max(0.0,
                                  end.cpus->busy_s - begin.cpus->busy_s - result.user_cpu_s -
                                      result.system_cpu_s - own.other_ranks_cpu_s);
  }

  if (begin.throttled_s.has_value() && end.throttled_s.has_value()) {
    result.throttled_s = std::max(0.0, *end.throttled_s - *begin.throttled_s);
  }

  std::vector<std::string> reasons;
  const auto judge_share = [&](std::optional<double> value_s, double share, const char* what) {
    const double limit_s = thresholds.limit_s(share, result.wall_s, own.cpus);
    if (value_s.has_value() && *value_s > limit_s) {
      result.severity = std::max(result.severity, *value_s / limit_s);
      reasons.push_back(fmt::format("{} {:.2f} s in {:.2f} s on {} CPU{}, limit {:.2f} s",
                                    what,
                                    *value_s,
                                    result.wall_s,
                                    own.cpus,
                                    own.cpus == 1 ? "" : "s",
                                    limit_s));
    }
  };
  judge_share(result.other_cpu_s, thresholds.other_cpu_share, "other processes used");
  judge_share(result.steal_s, thresholds.steal_share, "the hypervisor took");
  if (own.threads <= own.cpus) {
    const double limit = thresholds.limit_switches(result.wall_s, own.cpus);
    if (const auto switches = static_cast<double>(result.involuntary_context_switches);
        switches > limit) {
      result.severity = std::max(result.severity, switches / limit);
      reasons.push_back(fmt::format("{} involuntary context switches in {:.2f} s, limit {:.0f}",
                                    result.involuntary_context_switches,
                                    result.wall_s,
                                    limit));
    }
  }
  if (const auto stops = end.continued - begin.continued; stops > 0) {
    result.severity = std::numeric_limits<double>::infinity();
    reasons.push_back(
        fmt::format("the process was stopped {} time(s), by SIGSTOP or alike", stops));
  }
  result.disturbed = !reasons.empty();
  result.reason = fmt::format("{}", fmt::join(reasons, "; "));
  return result;
}

}  // namespace dlbench::probes
