// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One arm or collective of a report, and whether another run was to measure it too.
#pragma once

#include "reports/record.h"

#include <cstdint>
#include <string>

namespace dlbench::reports {

/// Without `op` an arm: its trial, of `scale` with the series. With it a collective at one size.
struct MeasuredItem {
  std::string trial;   ///< "full", "synthetic/nocomm", "train"
  std::string series;  ///< "weak", "weak bucket-cap-mib=100"; empty: of none
  std::string op;
  std::string dtype;
  std::int64_t bytes = 0;
  std::int64_t ranks = 1;
};

/// Whether the candidate was told not to measure what the baseline has: of an option that is a
/// list, or one value, it lacks something that the baseline was given, and this is of that. Where
/// device and host share their memory, `synthetic` is all variants of that trial that there are.
[[nodiscard]] bool asked_without(const MeasuredItem& item,
                                 const RunRecord& baseline,
                                 const RunRecord& candidate);

}  // namespace dlbench::reports
