// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/proc.h"

#include "probes/probe.h"
#include "probes/registry.h"
#include "probes/window_sums.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dlbench::probes {
namespace {

std::optional<double> to_double(std::optional<std::int64_t> value) {
  return value.has_value() ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

struct ProcValue {
  const char* name;
  const char* unit;
  const char* description;
  std::optional<double> (*of)(const Disturbance& seen);
};

constexpr std::array kProcValues{
    ProcValue{"user_cpu_seconds",
              "s",
              "CPU time of this process in user mode",
              [](const Disturbance& seen) { return std::optional(seen.user_cpu_s); }},
    ProcValue{"system_cpu_seconds",
              "s",
              "CPU time of this process in the kernel",
              [](const Disturbance& seen) { return std::optional(seen.system_cpu_s); }},
    ProcValue{"voluntary_context_switches",
              "",
              "a thread of this process waited",
              [](const Disturbance& seen) { return to_double(seen.voluntary_context_switches); }},
    ProcValue{"involuntary_context_switches",
              "",
              "a thread of this process was pushed off its CPU",
              [](const Disturbance& seen) { return to_double(seen.involuntary_context_switches); }},
    ProcValue{"minor_page_faults",
              "",
              "pages mapped without reading storage",
              [](const Disturbance& seen) { return to_double(seen.minor_faults); }},
    ProcValue{"major_page_faults",
              "",
              "pages read from storage",
              [](const Disturbance& seen) { return to_double(seen.major_faults); }},
    ProcValue{"read_bytes",
              "B",
              "fetched from storage for this process",
              [](const Disturbance& seen) { return to_double(seen.read_bytes); }},
    ProcValue{"steal_seconds",
              "s",
              "the hypervisor kept our CPUs for somebody else",
              [](const Disturbance& seen) { return seen.steal_s; }},
};

ProbeSpec make_proc_spec() {
  ProbeSpec spec;
  spec.name = "proc";
  spec.description = "what the operating system knows of the process and of its processors";
  for (const ProcValue& value : kProcValues) {
    spec.values.push_back({value.name, value.unit, value.description});
  }
  return spec;
}

/// The operating system's view of each trial: the sums of Disturbance over its windows. Without
/// other processes' use: only the harness knows which belong to the job (GroupDisturbance).
class ProcProbe final : public Probe {
 public:
  [[nodiscard]] const ProbeSpec& spec() const override {
    static const ProbeSpec spec = make_proc_spec();
    return spec;
  }

  [[nodiscard]] std::string open(const ProbeOptions& /*options*/) override { return {}; }

  void begin_trial(std::string_view trial) noexcept override {
    trial_ = trial;
    begin_ = take_snapshot();
  }

  void end_trial() noexcept override {
    sums_.add(trial_, proc_values(compare_snapshots(begin_, take_snapshot(), {})));
  }

  [[nodiscard]] ProbeValues collect(std::string_view trial) const override {
    return sums_.collect(trial, spec(), "/proc/self/io or /proc/stat cannot be read here");
  }

 private:
  std::string trial_;
  ProcSnapshot begin_;
  WindowSums sums_{kProcValues.size()};
};

const ProbeRegistration kProcRegistration("proc", [] { return std::make_unique<ProcProbe>(); });

}  // namespace

std::vector<std::optional<double>> proc_values(const Disturbance& seen) {
  std::vector<std::optional<double>> values;
  for (const ProcValue& value : kProcValues) {
    values.push_back(value.of(seen));
  }
  return values;
}

}  // namespace dlbench::probes
