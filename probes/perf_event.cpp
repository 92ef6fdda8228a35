// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/perf_event.h"

#include "engine/core/affinity.h"
#include "engine/core/error.h"
#include "probes/node/kernel_file.h"
#include "probes/probe.h"
#include "probes/registry.h"
#include "probes/window_sums.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

namespace dlbench::probes {
namespace {

constexpr int kUnknownParanoid = -2;

int read_paranoid() {
  const auto text = read_kernel_file("/proc/sys/kernel/perf_event_paranoid");
  return text.has_value() ? std::atoi(text->c_str()) : kUnknownParanoid;
}

/// Lets this process have `more` open files than now, as far as its hard limit permits, so that
/// those of the counters are not taken from the loader.
void allow_more_files(std::size_t more) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, limit.rlim_cur + more);
    static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
  }
}

class PerfEventProbe final : public Probe {
 public:
  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec{"perf_event",
                                "hardware counters of all threads in user mode",
                                {},
                                {{"instructions", "", "instructions retired"},
                                 {"cycles", "", "core cycles"},
                                 {"cache_misses", "", "last-level cache misses"}}};
    return spec;
  }

  [[nodiscard]] std::string open(const ProbeOptions& /*options*/) override {
    constexpr std::array kEvents{
        PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_CACHE_MISSES};
    for (const auto event : kEvents) {
      ProcessCounter counter;
      const int error = counter.open(PERF_TYPE_HARDWARE, event);
      // A processor may lack one event but have the others; that one then has no values.
      if (error != 0 && error != ENOENT) {
        reason_ = perf_event_reason(error, read_paranoid());
        return reason_;
      }
      any_ = any_ || error == 0;
      counters_.push_back(std::move(counter));
    }
    if (!any_) {
      reason_ = perf_event_reason(ENOENT, read_paranoid());
    }
    return reason_;
  }

  void begin_trial(std::string_view trial) noexcept override {
    trial_ = trial;
    begin_ = read_all();
  }

  void end_trial() noexcept override {
    if (!reason_.empty() || begin_.empty()) {
      return;
    }
    const std::vector<std::vector<PerfReading>> end = read_all();
    std::vector<std::optional<double>> differences;
    for (std::size_t index = 0; index < end.size(); ++index) {
      differences.push_back(events_between(begin_[index], end[index]));
    }
    sums_.add(trial_, differences);
  }

  [[nodiscard]] ProbeValues collect(std::string_view trial) const override {
    if (!reason_.empty()) {
      return ProbeValues{false, reason_, {}};
    }
    return sums_.collect(trial, spec(), "this processor does not offer the event");
  }

 private:
  [[nodiscard]] std::vector<std::vector<PerfReading>> read_all() const {
    std::vector<std::vector<PerfReading>> readings;
    for (const ProcessCounter& counter : counters_) {
      readings.push_back(counter.read());
    }
    return readings;
  }

  std::string reason_;
  std::string trial_;
  bool any_ = false;
  std::vector<ProcessCounter> counters_;
  std::vector<std::vector<PerfReading>> begin_;
  WindowSums sums_{3};
};

const ProbeRegistration kPerfEventRegistration("perf_event",
                                               [] { return std::make_unique<PerfEventProbe>(); });

}  // namespace

std::string perf_event_reason(int errno_value, int paranoid) {
  switch (errno_value) {
    case EACCES:
    case EPERM:
      if (paranoid > 2) {
        return fmt::format(
            "perf_event_open is not permitted: /proc/sys/kernel/perf_event_paranoid is {}, 2 or "
            "less "
            "is needed (or the ambient capability CAP_PERFMON, as setpriv gives it)",
            paranoid);
      }
      return fmt::format(
          "perf_event_open is not permitted although perf_event_paranoid is {}: a container's "
          "seccomp "
          "filter usually forbids it",
          paranoid == kUnknownParanoid ? "unknown" : std::to_string(paranoid));
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
      return "no hardware counters here: the processor's are not passed on to this virtual machine";
    case ENOSYS:
      return "this kernel has no perf_event_open";
    default:
      return "perf_event_open failed: " + core::errno_text(errno_value);
  }
}

ProcessCounter::~ProcessCounter() {
  for (const int file : files_) {
    close(file);
  }
}

int ProcessCounter::open(std::uint32_t type, std::uint64_t config) {
  perf_event_attr attributes{};
  attributes.type = type;
  attributes.size = sizeof attributes;
  attributes.config = config;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const std::vector<pid_t> threads = core::process_threads();
  allow_more_files(threads.size());
  for (const pid_t thread : threads) {
    const long file =
        syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file >= 0) {
      files_.push_back(static_cast<int>(file));
    } else if (errno != ESRCH) {  // that thread has ended since
      return errno;
    }
  }
  return 0;
}

std::vector<PerfReading> ProcessCounter::read() const {
  std::vector<PerfReading> readings;
  for (const int file : files_) {
    PerfReading reading;
    static_assert(sizeof reading == 3 * sizeof(std::uint64_t));  // as read_format has it
    if (::read(file, &reading, sizeof reading) != sizeof reading) {
      return {};
    }
    readings.push_back(reading);
  }
  return readings;
}

std::optional<double> events_between(std::span<const PerfReading> begin,
                                     std::span<const PerfReading> end) {
  if (begin.empty() || begin.size() != end.size()) {
    return std::nullopt;
  }
  double events = 0.0;
  double ran = 0.0;
  double known = 0.0;  // the time of threads of which any was counted
  for (std::size_t thread = 0; thread < begin.size(); ++thread) {
    const auto enabled = static_cast<double>(end[thread].enabled - begin[thread].enabled);
    const auto running = static_cast<double>(end[thread].running - begin[thread].running);
    ran += enabled;
    if (running > 0.0) {
      known += enabled;
      events += static_cast<double>(end[thread].value - begin[thread].value) * enabled / running;
    }
  }
  if (ran == 0.0) {
    return 0.0;
  }
  return known > 0.0 ? std::optional(events * ran / known) : std::nullopt;
}

}  // namespace dlbench::probes
