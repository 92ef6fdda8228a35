// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/gpu_sensors.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace dlbench::probes {
namespace {

constexpr std::array<std::pair<ClockReason, const char*>, 9> kReasons{
    {{ClockReason::kIdle, "idle"},
     {ClockReason::kApplicationClocks, "application_clocks"},
     {ClockReason::kPowerCap, "power_cap"},
     {ClockReason::kHardwareSlowdown, "hardware_slowdown"},
     {ClockReason::kSyncBoost, "sync_boost"},
     {ClockReason::kSoftwareThermal, "software_thermal"},
     {ClockReason::kHardwareThermal, "hardware_thermal"},
     {ClockReason::kPowerBrake, "power_brake"},
     {ClockReason::kDisplayClocks, "display_clocks"}}};

static_assert(kKnownClockReasons == (std::uint64_t{1} << kReasons.size()) - 1);

bool has(std::uint64_t bits, ClockReason reason) {
  return (bits & static_cast<std::uint64_t>(reason)) != 0;
}

}  // namespace

std::vector<std::string> clock_reason_names(std::uint64_t bits) {
  std::vector<std::string> names;
  for (const auto& [reason, name] : kReasons) {
    if (has(bits, reason)) {
      names.emplace_back(name);
    }
  }
  for (std::uint64_t rest = bits & ~kKnownClockReasons; rest != 0; rest &= rest - 1) {
    names.push_back(fmt::format("reason_{:#x}", rest & -rest));
  }
  return names;
}

bool is_throttled(std::uint64_t bits) {
  return has(bits, ClockReason::kHardwareSlowdown) || has(bits, ClockReason::kSoftwareThermal) ||
         has(bits, ClockReason::kHardwareThermal) || has(bits, ClockReason::kPowerBrake);
}

std::string fault_name(GpuFault fault) {
  switch (fault) {
    case GpuFault::kXid:
      return "xid";
    case GpuFault::kEccCorrected:
      return "ecc_corrected";
    case GpuFault::kEccUncorrected:
      return "ecc_uncorrected";
    case GpuFault::kLost:
      return "lost";
  }
  return "unknown";
}

}  // namespace dlbench::probes
