// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a projection to more ranks needs beside the trials: when gradients become ready within a
// step, and what all-reduces take alone. Measured after the trials, on the same sessions.
#pragma once

#include "harness/analysis/link_fit.h"
#include "harness/analysis/scaling.h"
#include "harness/analysis/step_model.h"
#include "harness/session/run_guard.h"
#include "harness/session/session.h"
#include "harness/trials/device_fault_watch.h"
#include "harness/trials/rank_group.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// ProjectionInput::only_node_ranks of a size on these ranks: how many they are, if all are of one
/// node. A simulated link counts as measured: with nodes of N ranks, those of the first node.
[[nodiscard]] std::optional<std::int64_t> only_node_ranks(
    const std::vector<comm::RankPlace>& places, const std::optional<comm::LinkModel>& link);

/// ProjectionInput::node_ranks of the same: 0 where there is one level to fit, the ranks of a node
/// where all nodes have as many, nothing where they differ.
[[nodiscard]] std::optional<std::int64_t> known_node_ranks(
    const std::vector<comm::RankPlace>& places, const std::optional<comm::LinkModel>& link);

/// ProjectionInput::dealt_out: the first ranks of a launch, as smaller sizes have them, are of
/// several nodes before one is full (srun --distribution=cyclic, mpirun --map-by node).
[[nodiscard]] bool are_dealt_out(const std::vector<comm::RankPlace>& places);

/// What is measured at one size after its trials.
struct SizeFacts {
  StepTimeline timeline;
  std::vector<double> broadcast_bytes;      ///< ProjectionInput::broadcast_bytes
  std::vector<CollectiveTime> all_reduces;  ///< on rank 0; empty at one rank
  AllReducesAlone all_reduces_alone_s;      ///< of a step
  std::optional<double> compression_error;
  std::string disturbed_by;  ///< who disturbed the all-reduces, twice; empty: nobody
};

/// All of them. The all-reduces are measured once more where others disturbed them. Collective; the
/// model state is changed. Throws core::Error when the guard ends the run, or for a fault of a
/// device.
void measure_facts(
    Session& session, RankGroup& group, RunGuard& guard, DeviceFaultWatch& watch, SizeFacts& facts);

/// The step of this rank without communication, node by node, fastest of a few runs of each. Not
/// collective; the model state is changed.
[[nodiscard]] StepTimeline measure_timeline(Session& session);

/// Sizes in bytes worth measuring: those of the step's buckets, and powers of 16 around them.
[[nodiscard]] std::vector<std::int64_t> all_reduce_sizes(Session& session);

/// What travels of a byte of f32 gradients: 0.5 with --compression bf16 or fp16.
[[nodiscard]] double bytes_per_gradient_byte(const SessionOptions& session);

/// All-reduces of `sizes` bytes of f32, nothing else running: mean and deviation over calls, see
/// calls_of_the_slowest(), by the bytes that travel. Complete on rank 0, empty elsewhere.
/// Collective. Throws core::Error when the guard ends the run.
[[nodiscard]] std::vector<CollectiveTime> measure_all_reduces(
    Session& session, RunGuard& guard, const std::vector<std::int64_t>& sizes);

/// Seconds that the all-reduces of a step take with nothing beside them, by call: their transfer
/// on the step's own gradients, as a backward pass left them in caches and memory, once all ranks
/// have met. Mean over ranks, on all of them; missing where neither communicator nor device has
/// a clock. Collective; the model state is changed.
[[nodiscard]] AllReducesAlone measure_all_reduces_alone(Session& session,
                                                        RankGroup& group,
                                                        RunGuard& guard);

}  // namespace dlbench::harness
