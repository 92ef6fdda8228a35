// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How long a run will take, for --dry-run: from the graph and this machine's cached peaks, without
// running anything.
#pragma once

#include "harness/commands/run_options.h"
#include "harness/session/session_plan.h"
#include "harness/trials/trial_id.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

/// The time of a step at the measured peaks, unless ranks share devices (see
/// ranks_share_devices()), and between which bounds the trials then take, each
/// with what it rests on; or one line that says what to do to get an estimate.
[[nodiscard]] std::string run_time_text(const SessionPlan& plan,
                                        bool shared,
                                        const std::vector<TrialId>& trials,
                                        const RunOptions& run);

/// The time of a step of `largest` likewise, and what `dlbench scale` does with its time: `trials`
/// are those of all sizes, one after the other; `run` has a time budget. Where the shortest
/// repetitions take longer than that, the text says so.
[[nodiscard]] std::string scale_time_text(const SessionPlan& largest,
                                          bool shared,
                                          const std::vector<TrialId>& trials,
                                          const RunOptions& run);

/// The time of a step and of all steps of training over `epochs`, validation left out.
[[nodiscard]] std::string training_time_text(const SessionPlan& plan,
                                             bool shared,
                                             std::int64_t epochs);

}  // namespace dlbench::harness
