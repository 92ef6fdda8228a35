// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The sentences that advice.cpp makes of a verdict, for attribution.cpp.
#pragma once

#include "harness/analysis/attribution.h"
#include "reports/verdict_rule.h"

#include <string>
#include <vector>

namespace dlbench::harness {

/// One sentence with the numbers behind the word; `evidence` is what it was decided by.
[[nodiscard]] std::string explanation(const AttributionInput& input,
                                      const reports::VerdictEvidence& evidence,
                                      const reports::ArmMeans& means,
                                      const reports::Decision& decision);

/// What to do, the largest gain first.
[[nodiscard]] std::vector<reports::AdviceRecord> advice(const AttributionInput& input,
                                                        const reports::ArmMeans& means,
                                                        const reports::Decision& decision);

}  // namespace dlbench::harness
