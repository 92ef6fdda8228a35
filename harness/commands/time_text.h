// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Estimates how long a run will take, for --dry-run: from the graph and this machine's cached
// peaks, without running anything.
#pragma once

#include "harness/commands/run_options.h"
#include "harness/session/session_plan.h"
#include "harness/trials/trial_id.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Returns the time of a step at the measured peaks, unless ranks share devices (see
/// ranks_share_devices()), and bounds for the time of the trials, each with its basis; or one line
/// on how to get an estimate.
[[nodiscard]] std::string run_time_text(const SessionPlan& plan,
                                        bool shared,
                                        const std::vector<TrialId>& trials,
                                        const RunOptions& run);

/// Returns the time of a step of `largest` in the same way, and how `dlbench scale` uses its time:
/// `trials` are those of all sizes in sequence; `run` has a time budget. Says so if even the
/// shortest repetitions exceed it.
[[nodiscard]] std::string scale_time_text(const SessionPlan& largest,
                                          bool shared,
                                          const std::vector<TrialId>& trials,
                                          const RunOptions& run);

/// Returns the time of a step and of all training steps of `epochs`, without validation.
[[nodiscard]] std::string training_time_text(const SessionPlan& plan,
                                             bool shared,
                                             std::int64_t epochs);

}  // namespace dlbench::harness
