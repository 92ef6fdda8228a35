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

/// Name of a trial's arm: "io", "synthetic/device", "full", "interference/step_beside_loader"; of
/// `scale` with series and ranks: "synthetic/nocomm (weak, 2 ranks)".
[[nodiscard]] std::string arm_name(const TrialRecord& trial);

}  // namespace dlbench::reports
