// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a projection to more ranks needs beside the trials: when gradients become ready within a
// step, and what all-reduces take alone. Measured after the trials, on the same sessions.
#pragma once

#include "harness/analysis/link_fit.h"
#include "harness/analysis/step_model.h"
#include "harness/trials/run_guard.h"
#include "harness/trials/session.h"

#include <cstdint>
#include <vector>

namespace dlbench::harness {

/// The step of this rank without communication, node by node, fastest of a few runs of each. Not
/// collective; the model state is changed.
[[nodiscard]] StepTimeline measure_timeline(Session& session);

/// Sizes in bytes worth measuring: those of the step's buckets, and powers of 16 around them.
[[nodiscard]] std::vector<std::int64_t> all_reduce_sizes(Session& session);

/// All-reduces of `sizes` bytes of f32, nothing else running: mean and deviation over calls of the
/// slowest rank's time. Complete on rank 0, empty elsewhere. Collective. Throws core::Error when
/// the guard ends the run.
[[nodiscard]] std::vector<CollectiveTime> measure_all_reduces(
    Session& session, RunGuard& guard, const std::vector<std::int64_t>& sizes);

/// Seconds of the step's all-reduces one after the other, from measured ones (of all its buckets).
[[nodiscard]] double all_reduce_s(Session& session, const std::vector<CollectiveTime>& measured);

}  // namespace dlbench::harness
