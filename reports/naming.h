// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of things in sentences about a report, including those of validation.
#pragma once

#include "reports/trial_record.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace dlbench::reports {

/// Returns "1 rank", "2 ranks".
[[nodiscard]] std::string count_text(std::int64_t count, std::string_view noun);

/// Returns "io", "synthetic/device", "full" or "interference/step_beside_loader".
[[nodiscard]] std::string trial_name(const TrialRecord& trial);

/// Returns the name of a trial's arm: the trial's name, for `scale` with series and ranks:
/// "synthetic/nocomm (weak, 2 ranks)".
[[nodiscard]] std::string arm_name(const TrialRecord& trial);

}  // namespace dlbench::reports
