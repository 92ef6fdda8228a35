// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/peak_rates.h"

#include <algorithm>

namespace dlbench::reports {
namespace {

constexpr double kLatencyShare = 0.10;

}  // namespace

std::optional<PeakRates> peak_rates(const std::vector<PeakRecord>& peaks,
                                    std::string_view precision) {
  PeakRates rates;
  for (const bool promised : {true, false}) {
    for (const PeakRecord& peak : peaks) {
      if ((peak.source == "datasheet") != promised) {
        continue;
      }
      if (peak.precision == precision && peak.flop_per_s.has_value()) {
        rates.flop_per_s = *peak.flop_per_s;
      }
      if (peak.memory_bytes_per_s.has_value()) {
        rates.bytes_per_s = *peak.memory_bytes_per_s;
      }
    }
  }
  return rates.flop_per_s > 0.0 && rates.bytes_per_s > 0.0 ? std::optional(rates) : std::nullopt;
}

std::optional<double> mfu_flop_per_s(const std::vector<PeakRecord>& peaks,
                                     std::string_view precision) {
  std::optional<double> found;
  for (const PeakRecord& peak : peaks) {
    const bool better = !found.has_value() || peak.source == "datasheet";
    if (peak.precision == precision && peak.flop_per_s.has_value() && better) {
      found = peak.flop_per_s;
    }
  }
  return found;
}

std::optional<double> measured_flop_per_s(const std::vector<PeakRecord>& peaks,
                                          std::string_view precision) {
  const auto found = std::find_if(peaks.begin(), peaks.end(), [&](const PeakRecord& peak) {
    return peak.source == "measured" && peak.precision == precision && peak.flop_per_s.has_value();
  });
  return found != peaks.end() ? found->flop_per_s : std::nullopt;
}

std::optional<double> measured_bytes_per_s(const std::vector<PeakRecord>& peaks) {
  const auto found = std::find_if(peaks.begin(), peaks.end(), [](const PeakRecord& peak) {
    return peak.source == "measured" && peak.memory_bytes_per_s.has_value();
  });
  return found != peaks.end() ? found->memory_bytes_per_s : std::nullopt;
}

Bound bound_of(double flop_per_s, double bytes_per_s, const PeakRates& peaks) {
  const double compute = flop_per_s / peaks.flop_per_s;
  const double memory = bytes_per_s / peaks.bytes_per_s;
  if (std::max(compute, memory) < kLatencyShare) {
    return Bound::kLatency;
  }
  return compute >= memory ? Bound::kCompute : Bound::kMemory;
}

}  // namespace dlbench::reports
