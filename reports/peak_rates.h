// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Selects the peaks that a report's shares of peak refer to. harness/peaks/peaks.h measures them.
#pragma once

#include "reports/record.h"
#include "reports/vocabulary.h"

#include <optional>
#include <string_view>
#include <vector>

namespace dlbench::reports {

/// The two rates that shares of peak and estimates refer to.
struct PeakRates {
  double flop_per_s = 0.0;
  double bytes_per_s = 0.0;
};

/// Returns a precision's rates, measured ones before a data sheet's; nothing unless both are known.
[[nodiscard]] std::optional<PeakRates> peak_rates(const std::vector<PeakRecord>& peaks,
                                                  std::string_view precision);

/// Returns the rate that `mfu` divides by: the data sheet's for a precision, else the measured one;
/// nothing if neither is known.
[[nodiscard]] std::optional<double> mfu_flop_per_s(const std::vector<PeakRecord>& peaks,
                                                   std::string_view precision);

/// Returns the measured rate of a precision; nothing if it was not measured.
[[nodiscard]] std::optional<double> measured_flop_per_s(const std::vector<PeakRecord>& peaks,
                                                        std::string_view precision);

/// Returns the measured bandwidth of copies in memory, bytes read plus bytes written; nothing if
/// not measured.
[[nodiscard]] std::optional<double> measured_bytes_per_s(const std::vector<PeakRecord>& peaks);

/// Returns what limits an operator with these rates: the peak that it comes closer to, or latency
/// if it comes close to neither.
[[nodiscard]] Bound bound_of(double flop_per_s, double bytes_per_s, const PeakRates& peaks);

}  // namespace dlbench::reports
