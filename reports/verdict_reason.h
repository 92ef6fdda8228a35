// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a run has no verdict.
#pragma once

#include "reports/record.h"

#include <string>

namespace dlbench::reports {

/// What stands beside a verdict that is null, in words for both the report and people: trials that
/// it needs were not asked for, the run ended before it or goes on, and the like. No full stop.
/// `record` has no verdict.
[[nodiscard]] std::string why_no_verdict(const RunRecord& record);

}  // namespace dlbench::reports
