// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which reports can be compared. For the sources of compare.h only.
#pragma once

#include "reports/record.h"

#include <span>

namespace dlbench::reports {

/// Throws core::Error(kData), in one line that says why, unless all reports measure the same work
/// and, where a side has several, are different starts of one command.
void expect_comparable(std::span<const RunRecord> baselines, std::span<const RunRecord> candidates);

}  // namespace dlbench::reports
