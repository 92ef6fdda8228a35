// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts about the machine, the limits of this process and its job. Plain functions that return
// structs; parsers take the text, so that tests need no such machine.
#pragma once

#include "engine/core/environment.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::probes {

struct CpuFacts {
  std::string model;
  int sockets = 0;
  int cores = 0;    ///< physical cores of the machine
  int threads = 0;  ///< logical CPUs of the machine
  std::string isa;  ///< best vector instruction set: "avx512_bf16", "avx512", "avx2", ...
};

/// The batch system's job, from its environment variables.
struct SchedulerFacts {
  std::string name;  ///< slurm, pbs, lsf, flux
  std::string job_id;
  std::optional<int> nodes;
  std::optional<int> tasks;
};

struct MemoryFacts {
  std::int64_t total_bytes = 0;             ///< of the machine
  std::int64_t available_bytes = 0;         ///< of the machine, MemAvailable
  std::optional<std::int64_t> limit_bytes;  ///< smallest limit of the control groups above us
  /// What this process may still take: the machine's available memory, or what is left below the
  /// tightest control group limit or its address space limit if that is less.
  std::int64_t usable_bytes = 0;
};

struct SystemFacts {
  std::string hostname;
  CpuFacts cpu;
  int usable_cpus = 0;  ///< CPUs of the affinity mask, reduced by a control group's CPU quota
  std::optional<double> cpu_quota;  ///< of the control groups, such as 1.5
  MemoryFacts memory;
  int numa_nodes = 0;
  std::string os;      ///< "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;  ///< "Linux 6.1.0"
  std::vector<std::pair<std::string, std::string>> environment;  ///< recorded_environment()
  std::optional<SchedulerFacts> scheduler;
};

/// Reads all facts. Unreadable facts stay 0 or empty; never throws because of them.
[[nodiscard]] SystemFacts read_system_facts();

/// Returns the size of the affinity mask reduced by the CPU quota of the control groups (rounded
/// up), at least 1, in hardware threads, of which a core may have two.
[[nodiscard]] int usable_cpus();
/// Returns how many hardware threads `allowed` CPUs, such as those of several processes, are worth
/// under a CPU quota (rounded up), at least 1.
[[nodiscard]] int usable_cpus(int allowed, std::optional<double> quota);

/// Returns the seconds for which that quota has stopped runnable threads of the control groups,
/// over all CPUs; nothing without a quota. The groups with a quota are looked up once.
[[nodiscard]] std::optional<double> own_throttled_s();

/// Returns read_oom_kills() of this process.
[[nodiscard]] std::optional<std::int64_t> own_oom_kills();

/// Returns the CPU quota of the control groups, such as 1.5; nothing without one.
[[nodiscard]] std::optional<double> own_cpu_quota();

/// Returns the machine's memory and what this process may still take of it.
[[nodiscard]] MemoryFacts read_memory_facts();

/// Returns the batch system's job, or nothing outside of one.
[[nodiscard]] std::optional<SchedulerFacts> detect_scheduler(const core::EnvironmentLookup& lookup);

/// Parses the text of /proc/cpuinfo.
[[nodiscard]] CpuFacts parse_cpuinfo(std::string_view text);

/// Parses the text of /proc/meminfo: {MemTotal, MemAvailable} in bytes, 0 where missing.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> parse_meminfo(std::string_view text);

/// Returns PRETTY_NAME of an os-release text, or "unknown".
[[nodiscard]] std::string parse_os_release(std::string_view text);

}  // namespace dlbench::probes
