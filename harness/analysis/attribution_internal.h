// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The sentences that advice.cpp makes of a verdict, for attribution.cpp.
#pragma once

#include "harness/analysis/attribution.h"
#include "reports/verdict_rule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Ranks that load, which they do at the same time.
[[nodiscard]] std::int64_t loading_ranks(const AttributionInput& input);

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
