// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a report that describe the run itself: tool, system, config, workload, data set.
#pragma once

#include "harness/commands/command.h"
#include "harness/session/session.h"
#include "harness/utc_time.h"
#include "reports/record.h"
#include "reports/value.h"

#include <cstdint>

namespace dlbench::harness {

/// Fills tool, run (status partial), system and config, with scheduler and environment as found.
[[nodiscard]] reports::RunRecord start_record(const Invocation& invocation,
                                              const OptionSet& options,
                                              std::uint64_t seed);

/// Gives the options that were left to the workload and the machine the values of this plan; null
/// for those that do not apply.
void complete_options(const SessionPlan& plan, reports::ValueMap& effective);

/// Fills workload, dataset and complete_options() of a planned session, and warns of --threads if
/// no thread of the host computes; describe_session() fills in memory and plans.
void describe_plan(SessionPlan& plan, reports::RunRecord& record);

/// Fills the memory planned for the training step, if describe_session() does not measure it.
void describe_planned_memory(SessionPlan& plan, reports::RunRecord& record);

/// Fills plans with kernel decisions, planned and measured memory, and the libraries' parameters.
void describe_session(Session& session, reports::RunRecord& record);

}  // namespace dlbench::harness
