// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Combines what each rank saw of a repetition.
#pragma once

#include "harness/trials/arm.h"
#include "harness/trials/cold_pass.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/trial_result.h"
#include "probes/node/disturbance.h"
#include "probes/probe.h"
#include "reports/record.h"

#include <cstdint>
#include <string>

namespace dlbench::harness {

/// The state of the process around a timed window.
struct RepetitionWindow {
  probes::ProcSnapshot begin;
  probes::ProcSnapshot end;
  double untimed_cpu_s = 0.0;  ///< within the window, but before the clock
  Communication communication;
  probes::OwnLoad own;  ///< this rank alone
  ReadBytes read;       ///< including preparation
  std::int64_t samples_replaced = 0;
  probes::DeviceConditions device;
};

/// What disturbed a repetition on any rank; the same on all.
struct RepetitionDisturbance {
  std::string reason;     ///< empty: nothing
  double severity = 0.0;  ///< GroupDisturbance::severity
};

/// Combines this rank's repetition with those of the others: samples are summed, the slowest rank's
/// time counts, losses are weighted by samples. Fills `ranks`, and in `repetition` what happened on
/// the processors. Collective.
[[nodiscard]] RepetitionDisturbance combine_ranks(RankGroup& group,
                                                  const RepetitionWindow& window,
                                                  const PhaseTotals& phases,
                                                  reports::RepetitionRecord& repetition,
                                                  RankRound& ranks);

}  // namespace dlbench::harness
