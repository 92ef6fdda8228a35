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

/// tool, run (status partial), system, config. The scheduler and environment as found.
[[nodiscard]] reports::RunRecord start_record(const Invocation& invocation,
                                              const OptionSet& options,
                                              std::uint64_t seed);

/// Gives the options that were left to the workload and the machine the values of this plan. Those
/// that do not apply are null.
void complete_options(const SessionPlan& plan, reports::ValueMap& effective);

/// workload, dataset and complete_options() of a planned session, with a warning of --threads where
/// none computes; memory and plans are filled in by describe_session().
void describe_plan(SessionPlan& plan, reports::RunRecord& record);

/// Memory as planned for the training step, where it is not measured as describe_session() does.
void describe_planned_memory(SessionPlan& plan, reports::RunRecord& record);

/// Plans with kernel decisions, planned and measured memory, parameters of the loaded libraries.
void describe_session(Session& session, reports::RunRecord& record);

}  // namespace dlbench::harness
