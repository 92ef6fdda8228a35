// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The two arms of the interference trial. In each, loader and step run at the same time; one is
// timed and the output of the other is dropped. The loss against io and synthetic is contention.
#pragma once

#include "harness/session/session.h"
#include "harness/trials/arm.h"

#include <memory>

namespace dlbench::harness {

/// `id.variant`: "step_beside_loader" (the step never waits; a second thread takes and drops one
/// batch per step) or "loader_beside_step" (batches are taken as fast as they come; a second thread
/// trains on the cached batch all the time).
[[nodiscard]] std::unique_ptr<Arm> make_interference_arm(const TrialId& id, Session& session);

}  // namespace dlbench::harness
