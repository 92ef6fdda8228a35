// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a report that describe the run itself: tool, system, config, workload, data set.
#pragma once

#include "harness/commands/command.h"
#include "harness/rank_placement.h"
#include "harness/session/session.h"
#include "harness/utc_time.h"
#include "reports/record.h"

#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// tool, run (status partial), system, config. The scheduler and environment as found.
[[nodiscard]] reports::RunRecord start_record(const Invocation& invocation,
                                              const OptionSet& options,
                                              std::uint64_t seed);

/// workload and dataset of a planned session; memory and plans are filled in by describe_session().
void describe_plan(SessionPlan& plan, reports::RunRecord& record);

/// Memory as planned for the training step, where it is not measured as describe_session() does.
void describe_planned_memory(SessionPlan& plan, reports::RunRecord& record);

/// What casts doubt on all that is measured with this plan, known before it is: generated data,
/// simulated storage or link, ranks that share a GPU, a loss of each rank's own samples.
/// Oversubscribed cores are of the launch, see oversubscription().
[[nodiscard]] std::vector<reports::TaintRecord> planned_taints(const SessionPlan& plan);
/// For oversubscription().
[[nodiscard]] CoreUse core_use(const SessionPlan& plan);

/// The taint of a simulated link between `ranks` ranks; none without one, or where it delays
/// nothing.
[[nodiscard]] std::optional<reports::TaintRecord> link_taint(
    const std::optional<comm::LinkModel>& link, int ranks);

/// A line, if a link is to be simulated and delays nothing.
void warn_idle_link(const std::optional<comm::LinkModel>& link, int ranks);

/// Warns of loader workers that will have nothing to do, on rank 0.
void warn_idle_workers(const SessionPlan& plan);

/// Plans with kernel decisions, planned and measured memory, parameters of the loaded libraries.
void describe_session(Session& session, reports::RunRecord& record);

}  // namespace dlbench::harness
