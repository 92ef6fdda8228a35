// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/affinity.h"
#include "probes/disturbance.h"
#include "probes/probe.h"
#include "probes/registry.h"
#include "probes/system_info.h"
#include "probes/window_sums.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::probes {
namespace {

/// The operating system's view of each trial: the sums of Disturbance over its windows.
class ProcProbe final : public Probe {
 public:
  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec{
        "proc",
        "what the operating system knows of the process and of its processors",
        {},
        {{"user_cpu_seconds", "s", "CPU time of this process in user mode"},
         {"system_cpu_seconds", "s", "CPU time of this process in the kernel"},
         {"voluntary_context_switches", "", "a thread of this process waited"},
         {"involuntary_context_switches", "", "a thread of this process was pushed off its CPU"},
         {"minor_page_faults", "", "pages mapped without reading storage"},
         {"major_page_faults", "", "pages read from storage"},
         {"read_bytes", "B", "fetched from storage for this process"},
         {"steal_seconds", "s", "the hypervisor kept our CPUs for somebody else"},
         {"other_cpu_seconds", "s", "CPU time of other processes on our CPUs"}}};
    return spec;
  }

  [[nodiscard]] std::string open(const ProbeOptions& /*options*/) override {
    cpus_ = static_cast<int>(core::affinity_cpus().size());
    return {};
  }

  void begin_trial(std::string_view trial) noexcept override {
    trial_ = trial;
    begin_ = take_snapshot();
  }

  void end_trial() noexcept override {
    const Disturbance seen =
        compare_snapshots(begin_, take_snapshot(), {.cpus = cpus_, .threads = cpus_ + 1});
    sums_.add(trial_,
              {seen.user_cpu_s,
               seen.system_cpu_s,
               static_cast<double>(seen.voluntary_context_switches),
               static_cast<double>(seen.involuntary_context_switches),
               static_cast<double>(seen.minor_faults),
               static_cast<double>(seen.major_faults),
               to_double(seen.read_bytes),
               seen.steal_s,
               seen.other_cpu_s});
  }

  [[nodiscard]] ProbeValues collect(std::string_view trial) const override {
    return sums_.collect(trial, spec(), "/proc/self/io or /proc/stat cannot be read here");
  }

 private:
  static std::optional<double> to_double(std::optional<std::int64_t> value) {
    return value.has_value() ? std::optional(static_cast<double>(*value)) : std::nullopt;
  }

  int cpus_ = 1;
  std::string trial_;
  ProcSnapshot begin_;
  WindowSums sums_{9};
};

const ProbeRegistrar kProcRegistrar("proc", [] { return std::make_unique<ProcProbe>(); });

}  // namespace
}  // namespace dlbench::probes
