// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The sentences about a verdict, written by advice.cpp for attribution.cpp.
#pragma once

#include "harness/analysis/attribution.h"
#include "reports/verdict_rule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Number of ranks that load, at the same time.
[[nodiscard]] std::int64_t loading_ranks(const AttributionInput& input);

/// Returns one sentence with the numbers behind the verdict, decided by `evidence`.
[[nodiscard]] std::string explanation(const AttributionInput& input,
                                      const reports::VerdictEvidence& evidence,
                                      const reports::ArmMeans& means,
                                      const reports::Decision& decision);

/// Returns what to do, largest gain first.
[[nodiscard]] std::vector<reports::AdviceRecord> advice(const AttributionInput& input,
                                                        const reports::ArmMeans& means,
                                                        const reports::Decision& decision);

}  // namespace dlbench::harness
