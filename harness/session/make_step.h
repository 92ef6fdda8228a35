// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the steps of several ranks share: how they communicate, and which kernels they run.
#pragma once

#include "engine/backend/lowering.h"
#include "engine/comm/communicator.h"
#include "engine/comm/rendezvous.h"
#include "harness/session/session_plan.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace dlbench::harness {

/// Makes the communicator of a plan's ranks: the device's, wrapped in a simulated link, compression
/// and a single root as far as the plan asks for them. Collective.
[[nodiscard]] std::unique_ptr<comm::Communicator> make_communicator(const SessionPlan& plan);

/// Lowers a graph on this rank and returns the decisions that it took.
using Lower = std::function<std::map<std::string, std::string>(const backend::LoweringOptions&)>;

/// Lowers the step on all ranks, with equal kernel decisions on ranks with equal `samples` (for
/// other batch sizes the libraries have other kernels). In each such group one rank lowers and
/// tunes while all others sleep, so that nothing disturbs its measurements: the first one with
/// `before` set, whose `lower` returns its earlier decisions, or else the first one. The rest of
/// the group lower with its decisions. What `lower` throws on any rank, all throw. Collective.
void lower_together(comm::Rendezvous& ranks,
                    const backend::LoweringOptions& options,
                    std::int64_t samples,
                    bool before,
                    const Lower& lower);

}  // namespace dlbench::harness
