// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a projection to more ranks needs besides the trials: when gradients become ready within a
// step, and how long all-reduces take alone. Measured after the trials, on the same sessions.
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

/// Returns ProjectionInput::only_node_ranks for these ranks: their number if all are on one node. A
/// simulated link counts as measured: with nodes of N ranks, the ranks of the first node.
[[nodiscard]] std::optional<std::int64_t> only_node_ranks(
    const std::vector<comm::RankPlace>& places, const std::optional<comm::LinkModel>& link);

/// Returns ProjectionInput::node_ranks for these ranks: 0 for one level, the ranks per node if all
/// nodes have equally many, nothing if they differ.
[[nodiscard]] std::optional<std::int64_t> known_node_ranks(
    const std::vector<comm::RankPlace>& places, const std::optional<comm::LinkModel>& link);

/// Returns ProjectionInput::dealt_out: the launch's first ranks, which smaller sizes use, spread
/// over several nodes before one is full (srun --distribution=cyclic, mpirun --map-by node).
[[nodiscard]] bool are_dealt_out(const std::vector<comm::RankPlace>& places);

/// What is measured at one size after its trials.
struct SizeFacts {
  StepTimeline timeline;
  std::vector<double> broadcast_bytes;      ///< ProjectionInput::broadcast_bytes
  std::vector<CollectiveTime> all_reduces;  ///< on rank 0; empty at one rank
  AllReducesAlone all_reduces_alone_s;      ///< of a step
  std::optional<double> compression_error;
  std::string disturbed_by;  ///< who disturbed the all-reduces in both attempts; empty: nobody
};

/// Returns the seconds that measure_facts() of `ranks` takes with steps of `step_s` >= 0 seconds,
/// `computing_s` without communication: those of the timeline, and steps with their all-reduces
/// alone. Not counted are the all-reduces of single sizes, and a repetition for a disturbance.
[[nodiscard]] double seconds_of_facts(double computing_s, double step_s, int ranks);

/// Returns how many calls of so many bytes on the wire to time after `measured`, smaller sizes in
/// ascending order: few on a slow link, as the time of the size before tells, for a larger one
/// takes at most so many times as long as it has bytes.
[[nodiscard]] std::int64_t calls_of_size(const std::vector<CollectiveTime>& measured, double bytes);

/// Measures all of them. Repeats the all-reduces once if others disturbed them. Changes the model
/// state. Throws core::Error when the guard ends the run, or for a device fault. Collective.
void measure_facts(
    Session& session, RankGroup& group, RunGuard& guard, DeviceFaultWatch& watch, SizeFacts& facts);

/// Returns the step of this rank without communication, node by node, each the fastest of a few
/// runs. Changes the model state. Not collective.
[[nodiscard]] StepTimeline measure_timeline(Session& session);

/// Returns the sizes to measure, in bytes: the step's buckets, and powers of 16 around them.
[[nodiscard]] std::vector<std::int64_t> all_reduce_sizes(Session& session);

/// Returns the bytes on the wire per byte of f32 gradients: 0.5 with --compression bf16 or fp16.
[[nodiscard]] double bytes_per_gradient_byte(const SessionOptions& session);

/// Measures all-reduces of `sizes` bytes of f32 alone: mean and deviation over calls, of which a
/// slow link gets fewer, see calls_of_the_slowest(), by bytes on the wire. Complete on rank 0,
/// empty elsewhere. Throws core::Error when the guard ends the run. Collective.
[[nodiscard]] std::vector<CollectiveTime> measure_all_reduces(
    Session& session, RunGuard& guard, const std::vector<std::int64_t>& sizes);

/// Measures the seconds that the all-reduces of a step take with nothing running beside them, by
/// call: their transfer, of the step's own gradients as a backward pass left them in caches and
/// memory, once all ranks have met. Mean over ranks, the same on all; missing if neither
/// communicator nor device has a clock. Changes the model state. Collective.
[[nodiscard]] AllReducesAlone measure_all_reduces_alone(Session& session,
                                                        RankGroup& group,
                                                        RunGuard& guard);

}  // namespace dlbench::harness
