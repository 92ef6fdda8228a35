// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a run has no verdict.
#pragma once

#include "reports/record.h"

#include <string>

namespace dlbench::reports {

/// Returns why `record` has no verdict, in words for both the report and people: trials that it
/// needs were not requested, the run ended too early or is in progress, and the like. No full stop.
[[nodiscard]] std::string why_no_verdict(const RunRecord& record);

}  // namespace dlbench::reports
