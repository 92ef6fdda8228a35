// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One arm or collective of a report, and whether another run should have measured it too.
#pragma once

#include "reports/record.h"

#include <cstdint>
#include <string>

namespace dlbench::reports {

/// An arm if `op` is empty: its trial, for `scale` with the series. Else a collective at one size.
struct MeasuredItem {
  std::string trial;   ///< "full", "synthetic/nocomm", "train"
  std::string series;  ///< "weak", "weak bucket-cap-mib=100"; empty: no series
  std::string op;
  std::string dtype;
  std::int64_t bytes = 0;
  std::int64_t ranks = 1;
};

/// Whether the candidate's options exclude this item of the baseline: an option (a list or one
/// value) lacks something that the baseline was given, and the item depends on it. Where device and
/// host share their memory, `synthetic` stands for all variants of that trial.
[[nodiscard]] bool asked_without(const MeasuredItem& item,
                                 const RunRecord& baseline,
                                 const RunRecord& candidate);

}  // namespace dlbench::reports
