// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of a report's peaks its shares of peak refer to. Measuring peaks is
// harness/peaks/peaks.h's work.
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

/// Of a precision, measured ones before those of a data sheet; nothing unless both are known.
[[nodiscard]] std::optional<PeakRates> peak_rates(const std::vector<PeakRecord>& peaks,
                                                  std::string_view precision);

/// What `mfu` divides by: the data sheet's rate of a precision, else the measured one; nothing if
/// neither is known.
[[nodiscard]] std::optional<double> mfu_flop_per_s(const std::vector<PeakRecord>& peaks,
                                                   std::string_view precision);

/// The measured rate of a precision; nothing if it was not measured.
[[nodiscard]] std::optional<double> measured_flop_per_s(const std::vector<PeakRecord>& peaks,
                                                        std::string_view precision);

/// The measured bandwidth of copies in memory, bytes read plus bytes written; nothing if it was not
/// measured.
[[nodiscard]] std::optional<double> measured_bytes_per_s(const std::vector<PeakRecord>& peaks);

/// What limits an operator that reaches these rates: nearer to which peak it comes, or latency if
/// it comes near neither.
[[nodiscard]] Bound bound_of(double flop_per_s, double bytes_per_s, const PeakRates& peaks);

}  // namespace dlbench::reports
