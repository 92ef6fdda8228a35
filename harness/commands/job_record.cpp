// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/job_record.h"

#include "engine/core/affinity.h"
#include "engine/core/check.h"
#include "harness/node_cpus.h"
#include "harness/utc_time.h"
#include "probes/node/cpu_list.h"
#include "probes/node/disturbance.h"
#include "probes/node/system_info.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

/// What one rank used and had available.
struct RankUse {
  double cpu_s = 0.0;
  std::int64_t peak_bytes = 0;
  std::int64_t limit_bytes = 0;  ///< of its control groups; 0: none
  double cpu_quota = 0.0;        ///< of its control groups; 0: none
  std::vector<int> cpus;         ///< of its affinity mask
};

RankUse own_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.cpu_s = probes::process_cpu_s(),
          .peak_bytes = std::int64_t{usage.ru_maxrss} * 1024,
          .limit_bytes = probes::read_memory_facts().limit_bytes.value_or(0),
          .cpu_quota = probes::own_cpu_quota().value_or(0.0),
          .cpus = core::affinity_cpus()};
}

std::string to_line(const RankUse& use) {
  return fmt::format("{} {} {} {} {}",
                     use.cpu_s,
                     use.peak_bytes,
                     use.limit_bytes,
                     use.cpu_quota,
                     probes::cpu_list_text(use.cpus));
}

RankUse from_line(const std::string& line) {
  RankUse use;
  std::string cpus;
  std::istringstream words(line);
  words >> use.cpu_s >> use.peak_bytes >> use.limit_bytes >> use.cpu_quota >> cpus;
  DLBENCH_CHECK(!words.fail()) << "a rank sent '" << line << "'";
  use.cpus = probes::parse_cpu_list(cpus);
  return use;
}

reports::JobRecord summarize(const std::vector<comm::RankPlace>& places,
                             const std::map<int, RankUse>& uses,
                             const std::string& state,
                             double wall_s) {
  reports::JobRecord job{.state = state, .cpu_time_s = 0.0, .wall_s = wall_s};
  std::int64_t used_bytes = 0;
  LaunchCpus cpus;
  std::map<int, std::int64_t> limits;  // by node; 0: none
  for (const auto& [rank, use] : uses) {
    const comm::RankPlace& place = places[static_cast<std::size_t>(rank)];
    cpus.add(place, use.cpus, use.cpu_quota > 0.0 ? std::optional(use.cpu_quota) : std::nullopt);
    limits[place.node] = std::max(limits[place.node], use.limit_bytes);
    *job.cpu_time_s += use.cpu_s;
    used_bytes += use.peak_bytes;
    job.per_rank.push_back({.rank = rank,
                            .host = place.host,
                            .cpu_time_s = use.cpu_s,
                            .memory_used_bytes = use.peak_bytes});
  }
  std::int64_t limit_bytes = 0;
  bool limited = true;
  for (const auto& [node, limit] : limits) {
    limit_bytes += limit;
    limited = limited && limit > 0;
  }
  job.cores = cpus.cores();
  job.cpu_capacity = cpus.capacity();
  job.cpu_efficiency = *job.cpu_time_s / (wall_s * *job.cpu_capacity);
  job.memory_used_bytes = used_bytes;
  if (limited) {
    job.memory_limit_bytes = limit_bytes;
  }
  return job;
}

}  // namespace

double process_age_s() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  constexpr int kStartField = 22 - 2;  // counted from the one behind the name
  std::string start_ticks;
  for (int field = 0; field < kStartField; ++field) {
    fields >> start_ticks;
  }
  return seconds_since_boot() -
         std::atof(start_ticks.c_str()) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

reports::JobRecord own_job(const comm::Rendezvous& ranks, const std::string& state, double wall_s) {
  reports::JobRecord job = summarize(ranks.places(), {{ranks.rank(), own_use()}}, state, wall_s);
  if (ranks.size() > 1) {
    job.cpu_efficiency.reset();  // which of the cores are this rank's alone is not known
  }
  return job;
}

reports::JobRecord gather_job(comm::Rendezvous& ranks, const std::string& state, double wall_s) {
  const std::vector<std::string> lines = ranks.gather(to_line(own_use()));
  if (ranks.rank() != 0) {
    return own_job(ranks, state, wall_s);
  }
  std::map<int, RankUse> uses;
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    uses[static_cast<int>(rank)] = from_line(lines[rank]);
  }
  return summarize(ranks.places(), uses, state, wall_s);
}

std::string job_state(core::ErrorCode code) {
  switch (code) {
    case core::ErrorCode::kTimeout:
      return "TIMEOUT";
    case core::ErrorCode::kInterrupted:
      return "CANCELLED";
    case core::ErrorCode::kMemory:
      return "OUT_OF_MEMORY";
    default:
      return "FAILED";
  }
}

}  // namespace dlbench::harness
