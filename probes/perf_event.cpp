// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/perf_event.h"

#include "engine/core/error.h"
#include "probes/kernel_file.h"
#include "probes/probe.h"
#include "probes/registry.h"
#include "probes/window_sums.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

constexpr int kUnknownParanoid = -2;

int read_paranoid() {
  const auto text = read_kernel_file("/proc/sys/kernel/perf_event_paranoid");
  return text.has_value() ? std::atoi(text->c_str()) : kUnknownParanoid;
}

/// One counter of the calling thread and of every thread it starts from now on.
class Counter {
 public:
  Counter() = default;
  Counter(Counter&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Counter& operator=(Counter&&) = delete;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() {
    if (file_ >= 0) {
      close(file_);
    }
  }

  /// Returns 0 or the errno. Counts user mode only: allowed up to perf_event_paranoid 2.
  int open(std::uint64_t config) {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = config;
    attributes.inherit = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0) {
      return errno;
    }
    file_ = static_cast<int>(file);
    return 0;
  }

  /// The count so far, scaled up when the kernel had to share the hardware between counters.
  [[nodiscard]] std::optional<double> read_count() const noexcept {
    std::array<std::uint64_t, 3> words{};  // value, time enabled, time running
    if (file_ < 0 || read(file_, words.data(), sizeof words) != sizeof words || words[2] == 0) {
      return std::nullopt;
    }
    return static_cast<double>(words[0]) * static_cast<double>(words[1]) /
           static_cast<double>(words[2]);
  }

 private:
  int file_ = -1;
};

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
      Counter counter;
      const int error = counter.open(event);
      // A processor may lack one event and have the others; that one has no values then.
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
    std::vector<std::optional<double>> differences = read_all();
    for (std::size_t index = 0; index < differences.size(); ++index) {
      if (differences[index].has_value() && begin_[index].has_value()) {
        *differences[index] -= *begin_[index];
      } else {
        differences[index].reset();
      }
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
  [[nodiscard]] std::vector<std::optional<double>> read_all() const {
    std::vector<std::optional<double>> values;
    for (const Counter& counter : counters_) {
      values.push_back(counter.read_count());
    }
    return values;
  }

  std::string reason_;
  std::string trial_;
  bool any_ = false;
  std::vector<Counter> counters_;
  std::vector<std::optional<double>> begin_;
  WindowSums sums_{3};
};

const ProbeRegistrar kPerfEventRegistrar("perf_event",
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
            "is needed (or the capability CAP_PERFMON)",
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

}  // namespace dlbench::probes
