// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks a plan by playing it: every byte of the arena remembers which slot wrote it last. Shares
// no code and no idea of lifetimes with the planner.
#pragma once

#include "engine/backend/lowering.h"
#include "engine/exec/plan.h"
#include "engine/graph/graph.h"

#include <string>
#include <vector>

namespace dlbench::exec::testing {

/// Empty if at each node what it reads is what was written there for it, no node overwrites what it
/// still reads (except the declared in-place pairs at one address) or one result with another, and
/// all outputs and kept values stand at the end. Otherwise a sentence that names node and slots.
[[nodiscard]] std::string check_slots(const graph::Graph& graph,
                                      const backend::LoweredGraph& lowered,
                                      const Plan& plan,
                                      const std::vector<graph::ValueId>& keep = {});

}  // namespace dlbench::exec::testing
