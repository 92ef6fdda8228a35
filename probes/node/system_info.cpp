// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/system_info.h"

#include "engine/core/affinity.h"
#include "engine/core/parse_number.h"
#include "engine/core/processor_name.h"
#include "probes/node/cgroup.h"
#include "probes/node/cpu_list.h"
#include "probes/node/kernel_file.h"
#include "probes/node/process_pages.h"
#include "probes/node/recorded_environment.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

namespace dlbench::probes {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\"";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Returns a number of things, 1 at least; nothing for any other text.
std::optional<int> lookup_count(const core::EnvironmentLookup& lookup, const char* name) {
  const std::optional<std::string> text = lookup(name);
  const std::optional<int> count = text.has_value() ? core::parse_number<int>(*text) : std::nullopt;
  return count.value_or(0) >= 1 ? count : std::nullopt;
}

std::string best_isa(std::string_view flags) {
  // From the kernel's flag names, best first.
  struct Isa {
    std::string_view flag;
    std::string_view name;
  };
  constexpr std::array<Isa, 10> kBestFirst{{{"amx_bf16", "amx_bf16"},
                                            {"avx512_bf16", "avx512_bf16"},
                                            {"avx512_vnni", "avx512_vnni"},
                                            {"avx512f", "avx512"},
                                            {"avx2", "avx2"},
                                            {"avx", "avx"},
                                            {"sse4_2", "sse4.2"},
                                            {"sve2", "sve2"},  // Arm
                                            {"sve", "sve"},
                                            {"asimd", "asimd"}}};
  const std::string padded = " " + std::string(flags) + " ";
  for (const Isa& isa : kBestFirst) {
    if (padded.find(" " + std::string(isa.flag) + " ") != std::string::npos) {
      return std::string(isa.name);
    }
  }
  return "baseline";
}

int count_numa_nodes() {
  const auto text = read_kernel_file("/sys/devices/system/node/online");
  return text.has_value() ? std::max(1, static_cast<int>(parse_cpu_list(*text).size())) : 1;
}

// Used because /proc/cpuinfo on Arm has no sockets.
int count_packages() {
  std::set<std::string> packages;
  for (const int cpu :
       parse_cpu_list(read_kernel_file("/sys/devices/system/cpu/online").value_or(""))) {
    packages.insert(read_kernel_file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                                     "/topology/physical_package_id")
                        .value_or(""));
  }
  return static_cast<int>(packages.size());
}

constexpr const char* kCgroupRoot = "/sys/fs/cgroup";

CgroupPaths own_cgroup_paths() {
  return parse_cgroup_paths(read_kernel_file("/proc/self/cgroup").value_or(""));
}

CgroupLimits own_cgroup_limits() { return read_cgroup_limits(kCgroupRoot, own_cgroup_paths()); }

}  // namespace

CpuFacts parse_cpuinfo(std::string_view text) {
  CpuFacts facts;
  facts.model = core::processor_name(text);
  std::set<std::string> sockets;
  std::set<std::string> cores;  // "socket/core": core numbers repeat on each socket
  std::string socket = "0";
  std::istringstream stream{std::string(text)};
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) {
      continue;
    }
    const std::string key(trim(std::string_view(line).substr(0, colon)));
    const std::string value(trim(std::string_view(line).substr(colon + 1)));
    if (key == "processor") {
      ++facts.threads;
    } else if (key == "physical id") {
      socket = value;
      sockets.insert(value);
    } else if (key == "core id") {
      cores.insert(std::string(socket).append("/").append(value));
    } else if ((key == "flags" || key == "Features") && facts.isa.empty()) {
      facts.isa = best_isa(value);
    }
  }
  // Some virtual machines and other architectures do not report the topology: then there is one
  // socket, and each logical CPU counts as a core.
  facts.sockets = sockets.empty() ? (facts.threads > 0 ? 1 : 0) : static_cast<int>(sockets.size());
  facts.cores = cores.empty() ? facts.threads : static_cast<int>(cores.size());
  return facts;
}

std::pair<std::int64_t, std::int64_t> parse_meminfo(std::string_view text) {
  std::pair<std::int64_t, std::int64_t> result{0, 0};
  std::istringstream stream{std::string(text)};
  std::string line;
  while (std::getline(stream, line)) {
    std::istringstream fields(line);
    std::string key;
    std::int64_t kib = 0;
    if (!(fields >> key >> kib)) {
      continue;
    }
    if (key == "MemTotal:") {
      result.first = kib * 1024;
    } else if (key == "MemAvailable:") {
      result.second = kib * 1024;
    }
  }
  return result;
}

std::string parse_os_release(std::string_view text) {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  std::istringstream stream{std::string(text)};
  std::string line;
  while (std::getline(stream, line)) {
    if (line.starts_with(kKey)) {
      return std::string(trim(std::string_view(line).substr(kKey.size())));
    }
  }
  return "unknown";
}

std::optional<double> own_throttled_s() {
  static const std::vector<std::filesystem::path> files =
      quota_stat_files(kCgroupRoot, own_cgroup_paths());
  std::optional<double> sum;
  for (const std::filesystem::path& file : files) {
    if (const auto seconds = parse_throttled_s(read_kernel_file(file).value_or(""))) {
      sum = sum.value_or(0.0) + *seconds;
    }
  }
  return sum;
}

std::optional<std::int64_t> own_oom_kills() {
  return read_oom_kills(kCgroupRoot, own_cgroup_paths());
}

std::optional<double> own_cpu_quota() { return own_cgroup_limits().cpu_quota; }

int usable_cpus() {
  return usable_cpus(static_cast<int>(core::affinity_cpus().size()), own_cpu_quota());
}

int usable_cpus(int allowed, std::optional<double> quota) {
  const int some = std::max(1, allowed);
  if (!quota.has_value()) {
    return some;
  }
  // Not cast before it is limited: a quota may be larger than any int.
  return static_cast<int>(std::clamp(std::ceil(*quota), 1.0, static_cast<double>(some)));
}

namespace {

// Returns what the limit of `resource` leaves beyond `used_pages`; nothing without a limit.
std::optional<std::int64_t> left_below(__rlimit_resource_t resource, std::int64_t used_pages) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  const auto bytes = static_cast<std::int64_t>(limit.rlim_cur) - used_pages * sysconf(_SC_PAGESIZE);
  return std::max<std::int64_t>(0, bytes);
}

}  // namespace

MemoryFacts read_memory_facts() {
  MemoryFacts facts;
  std::tie(facts.total_bytes, facts.available_bytes) =
      parse_meminfo(read_kernel_file("/proc/meminfo").value_or(""));
  if (facts.total_bytes == 0) {  // no /proc: what the kernel could drop is not in `freeram`
    struct sysinfo kernel {};
    if (sysinfo(&kernel) == 0) {
      const auto unit = static_cast<std::int64_t>(kernel.mem_unit);
      facts.total_bytes = static_cast<std::int64_t>(kernel.totalram) * unit;
      facts.available_bytes = static_cast<std::int64_t>(kernel.freeram + kernel.bufferram) * unit;
    }
  }
  const CgroupLimits limits = own_cgroup_limits();
  facts.usable_bytes = facts.available_bytes;
  // Some systems set the limit to the machine's size, which is not a limit.
  if (limits.memory_limit_bytes.has_value() && *limits.memory_limit_bytes < facts.total_bytes) {
    facts.limit_bytes = limits.memory_limit_bytes;
    facts.usable_bytes = std::min(facts.usable_bytes, *limits.memory_left_bytes);
  }
  const ProcessPages pages = read_process_pages();
  // ulimit -v and -d
  for (const auto& left :
       {left_below(RLIMIT_AS, pages.address_space), left_below(RLIMIT_DATA, pages.data)}) {
    if (left.has_value()) {
      facts.usable_bytes = std::min(facts.usable_bytes, *left);
    }
  }
  return facts;
}

std::optional<SchedulerFacts> detect_scheduler(const core::EnvironmentLookup& lookup) {
  struct Variables {
    const char* name;
    const char* job_id;
    const char* nodes;
    const char* tasks;
  };
  // LSF gives no node count (LSB_MCPU_HOSTS lists hosts), nor does PBS; both then stay empty.
  constexpr std::array<Variables, 4> kSchedulers{
      {{"slurm", "SLURM_JOB_ID", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS"},
       {"flux", "FLUX_JOB_ID", "FLUX_JOB_NNODES", "FLUX_JOB_SIZE"},
       {"pbs", "PBS_JOBID", "PBS_NUM_NODES", "PBS_NP"},
       {"lsf", "LSB_JOBID", "LSF_NUM_NODES", "LSB_DJOB_NUMPROC"}}};
  for (const Variables& variables : kSchedulers) {
    const std::optional<std::string> job_id = lookup(variables.job_id);
    if (job_id.has_value() && !job_id->empty()) {
      return SchedulerFacts{variables.name,
                            *job_id,
                            lookup_count(lookup, variables.nodes),
                            lookup_count(lookup, variables.tasks)};
    }
  }
  return std::nullopt;
}

SystemFacts read_system_facts() {
  SystemFacts facts;
  utsname names{};
  if (uname(&names) == 0) {
    facts.hostname = names.nodename;
    facts.kernel = std::string(names.sysname) + " " + names.release;
  }
  facts.cpu = parse_cpuinfo(read_kernel_file("/proc/cpuinfo").value_or(""));
  if (facts.cpu.sockets == 1) {
    facts.cpu.sockets = std::max(1, count_packages());
  }
  facts.usable_cpus = usable_cpus();
  facts.cpu_quota = own_cpu_quota();
  facts.memory = read_memory_facts();
  facts.numa_nodes = count_numa_nodes();
  facts.os = parse_os_release(read_kernel_file("/etc/os-release").value_or(""));
  facts.environment = recorded_environment(core::environment());
  facts.scheduler = detect_scheduler(core::environment_variable);
  return facts;
}

}  // namespace dlbench::probes
