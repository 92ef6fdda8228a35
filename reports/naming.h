// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What things in a report are called in sentences, also in those of validation.
#pragma once

#include "reports/trial_record.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace dlbench::reports {

/// "1 rank", "2 ranks".
[[nodiscard]] std::string count_text(std::int64_t count, std::string_view noun);

/// "io", "synthetic/device", "full", "interference/step_beside_loader".
[[nodiscard]] std::string trial_name(const TrialRecord& trial);

/// Name of a trial's arm: that of the trial, of `scale` with series and ranks: "synthetic/nocomm
/// (weak, 2 ranks)".
[[nodiscard]] std::string arm_name(const TrialRecord& trial);

}  // namespace dlbench::reports
