// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/job_text.h"

#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace dlbench::reports {
namespace {

// seff's rounding: whole seconds, two decimals of a per cent.
std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 3600;
  return fmt::format("{:02}:{:02}:{:02}", whole / kHour, whole % kHour / kMinute, whole % kMinute);
}

std::string efficiency_text(double share, const std::string& of) {
  return fmt::format("{:.2f}% of {}", 100.0 * share, of);
}

std::string rank_table(const JobRecord& job, std::size_t indent) {
  if (job.per_rank.size() < 2) {
    return {};
  }
  TextTable table({"rank", "host", "CPU", "memory"}, {1});
  for (const JobRankRecord& rank : job.per_rank) {
    table.add({std::to_string(rank.rank),
               rank.host,
               rank.cpu_time_s.has_value() ? seconds_text(*rank.cpu_time_s) : "-",
               rank.memory_used_bytes.has_value() ? bytes_text(*rank.memory_used_bytes) : "-"});
  }
  return table.text(indent);
}

}  // namespace

std::string job_text(const RunRecord& record, std::size_t indent) {
  if (!record.job.has_value()) {
    return {};
  }
  const JobRecord& job = *record.job;
  std::string text;
  const auto line = [&text, indent](std::string_view label, const std::string& value) {
    text += fmt::format("{:{}}{}: {}\n", "", indent, label, value);
  };
  if (record.system.scheduler.has_value()) {
    line("Job ID", record.system.scheduler->job_id);
  }
  line("State",
       job.state + (record.run.exit_code.has_value()
                        ? fmt::format(" (exit code {})", *record.run.exit_code)
                        : std::string()));
  const auto hosts = static_cast<std::int64_t>(record.system.hosts.size());
  const auto allocated = record.system.scheduler.value_or(SchedulerRecord{}).nodes;
  if (hosts > 0 || allocated.has_value()) {
    line("Nodes", std::to_string(allocated.value_or(hosts)));
  }
  const std::int64_t launched = launched_ranks(record.system);
  if (!job.per_rank.empty() && std::ssize(job.per_rank) < launched) {  // the others may be gone
    line("Ranks", fmt::format("{} of {}, of which all below is", job.per_rank.size(), launched));
  }
  if (job.cores.has_value()) {
    line("Cores", std::to_string(*job.cores));
  }
  if (job.cpu_time_s.has_value()) {
    line("CPU Utilized", clock_text(*job.cpu_time_s));
  }
  if (job.cpu_efficiency.has_value() && job.cores.has_value()) {
    const double core_walltime_s =
        job.wall_s * job.cpu_capacity.value_or(static_cast<double>(*job.cores));
    line("CPU Efficiency",
         efficiency_text(*job.cpu_efficiency, clock_text(core_walltime_s) + " core-walltime"));
  }
  line("Job Wall-clock time", clock_text(job.wall_s));
  if (job.memory_used_bytes.has_value()) {
    line("Memory Utilized", bytes_text(*job.memory_used_bytes));
    if (job.memory_limit_bytes.value_or(0) > 0) {
      line("Memory Efficiency",
           efficiency_text(static_cast<double>(*job.memory_used_bytes) /
                               static_cast<double>(*job.memory_limit_bytes),
                           bytes_text(*job.memory_limit_bytes)));
    }
  }
  return text + rank_table(job, indent);
}

}  // namespace dlbench::reports
