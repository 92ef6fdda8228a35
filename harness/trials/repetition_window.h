// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From what one rank saw of a repetition to what it was for all of them.
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

/// State of the process around a timed window.
struct RepetitionWindow {
  probes::ProcSnapshot begin;
  probes::ProcSnapshot end;
  double untimed_cpu_s = 0.0;  ///< in it, but before the clock
  Communication communication;
  probes::OwnLoad own;  ///< this rank alone
  ReadBytes read;       ///< preparation included
  std::int64_t samples_replaced = 0;
  probes::DeviceConditions device;
};

/// From this rank's repetition and those of the others to the group's: samples are added, the
/// slowest rank's time counts, losses are weighted with samples. Fills `ranks`, and in
/// `repetition` what happened on the processors. Returns why it was disturbed, on any rank; empty
/// if it was not. Collective.
[[nodiscard]] std::string combine_ranks(RankGroup& group,
                                        const RepetitionWindow& window,
                                        const PhaseTotals& phases,
                                        reports::RepetitionRecord& repetition,
                                        RankRound& ranks);

}  // namespace dlbench::harness
