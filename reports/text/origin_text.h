// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a report comes from: what a reader has to know who was not there.
#pragma once

#include "reports/record.h"

#include <string>

namespace dlbench::reports {

/// Returns lines of command line, time, hosts (alike ones together), software, options that are no
/// defaults, data, and each probe that was not there with the reason. What the record lacks has no
/// line.
[[nodiscard]] std::string origin_text(const RunRecord& record);

}  // namespace dlbench::reports
