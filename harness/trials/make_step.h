// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the steps of several ranks have in common: how they communicate, and which kernels they run.
#pragma once

#include "engine/backend/lowering.h"
#include "engine/comm/communicator.h"
#include "engine/comm/rendezvous.h"
#include "harness/trials/session.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace dlbench::harness {

/// The communicator of a plan's ranks: the device's, behind a simulated link, compression and a
/// single root as far as the plan asks for them. Collective.
[[nodiscard]] std::unique_ptr<comm::Communicator> make_communicator(const SessionPlan& plan);

/// Lowers something on this rank and returns the decisions that were taken.
using Lower = std::function<std::map<std::string, std::string>(const backend::LoweringOptions&)>;

/// Rank 0 lowers and tunes while the others sleep, so that nothing disturbs it; they lower with its
/// decisions, so that all run the same kernels. Throws what `lower` throws on any rank. Collective.
void lower_together(comm::Rendezvous& ranks,
                    const backend::LoweringOptions& options,
                    const Lower& lower);

}  // namespace dlbench::harness
