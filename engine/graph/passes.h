// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes that turn a network into a training step, in the order in which they are applied:
// mixed_precision, differentiate, insert_all_reduce, add_optimizer, scale_loss, synchronize_loss.
// Lowering and planning follow.
#pragma once

#include "engine/core/dtype.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::graph {

/// Rewrites a forward graph so that contractions run in `reduced` (bf16 or f16), with explicit cast
/// nodes; parameters stay f32 (master weights) and are cast in the step. With f32 the graph is
/// returned unchanged.
[[nodiscard]] Graph mixed_precision(const Graph& graph, core::DType reduced);

/// Adds the backward nodes of `loss` (a scalar f32 output) with respect to every parameter on which
/// it depends. The seed is the scalar "loss_gradient" (1, or this rank's share of the batch). Each
/// parameter's gradient becomes a value of storage kGradient named "grad/<parameter>". Throws
/// core::Error(kShape) if a node in between has no gradient rule.
[[nodiscard]] Graph differentiate(const Graph& graph, ValueId loss);

/// A graph with backward nodes, and the gradients that they compute.
struct VectorJacobian {
  Graph graph;
  /// One per operand; kNoValue if no seeded value depends on it.
  std::vector<ValueId> gradients;
};

/// Adds the backward nodes of any values with respect to any operands (inputs or state), for checks
/// of single ops. `seeds` are pairs of a value and its incoming gradient, which is also a value of
/// the graph, of the same dtype and shape. Gradients stay activations.
[[nodiscard]] VectorJacobian vector_jacobian(const Graph& graph,
                                             const std::vector<std::pair<ValueId, ValueId>>& seeds,
                                             const std::vector<ValueId>& operands);

/// Where gradient buckets end. Sizes are logical bytes; a tensor is never split.
struct BucketOptions {
  std::int64_t first_cap_bytes = std::int64_t{1} << 20;
  std::int64_t cap_bytes = std::int64_t{25} << 20;
  /// False: all all-reduces start after the backward pass instead of overlapping with it.
  bool overlap = true;
};

/// Assigns parameters to gradient buckets in reverse order of registration; a bucket is closed once
/// it reaches its cap. `bytes`: size of each gradient in order of registration. Returns the indices
/// into `bytes` of each bucket.
/// The rule of PyTorch's DistributedDataParallel: Li et al. 2020, VLDB 13(12), section 3.2.3.
[[nodiscard]] std::vector<std::vector<std::size_t>> assign_buckets(
    const std::vector<std::int64_t>& bytes, const BucketOptions& options);

/// Adds one start node per bucket right after its last gradient (without overlap: after the
/// backward pass), and its wait node after the backward pass. With one rank both do nothing.
[[nodiscard]] Graph insert_all_reduce(const Graph& graph, const BucketOptions& options);

/// Adds an all-reduce (start and wait) of the sums of every loss that is a ratio of sums over the
/// batch (Dice) before they are first read. With a "loss_gradient" of 1 on all ranks, the gradients
/// of N ranks then add up to those of one rank with the whole batch: dice_backward on the global
/// sums S gives dL/dp of a rank's own p, since dS/dp is that of the rank's own sums. Comes last, so
/// that gradient buckets keep their numbers.
[[nodiscard]] Graph synchronize_loss(const Graph& graph);

enum class OptimizerKind : std::uint8_t { kSgd, kAdam, kNadam, kAdadelta };

[[nodiscard]] std::string_view name(OptimizerKind kind);

/// Names of an optimizer's state values for one parameter, in the order of the arguments of its
/// update rule (engine/backend/optimizer_math.h): "adam/m/conv1.weight", ...
[[nodiscard]] std::vector<std::string> state_names(OptimizerKind kind, std::string_view parameter);

/// An optimizer and its hyper-parameters; the learning rate is the initial value of the scalar.
struct OptimizerSpec {
  OptimizerKind kind = OptimizerKind::kSgd;
  double learning_rate = 0.01;
  OptimizerAttributes attributes{};
};

/// Adds optimizer state and update nodes for every parameter that has a gradient: one node per
/// gradient bucket, or one in all if there are no buckets.
[[nodiscard]] Graph add_optimizer(const Graph& graph, const OptimizerSpec& spec);

/// The initial loss scale of a new model (PyTorch's GradScaler: 65536), and how it changes.
struct LossScaling {
  double initial = 65536.0;
  LossScaleAttributes rule{};
};

/// Adds dynamic loss scaling to a whole training step whose backward pass runs in f16, where a
/// gradient below 3e-8 is zero and one above 65504 infinite (Micikevicius et al. 2018,
/// arXiv:1710.03740, section 3.2; the rule is that of PyTorch's GradScaler). The seed becomes
/// "loss_gradient" x "loss_scale". Once the gradients of all buckets are reduced, so that all ranks
/// see the same, they are divided by the scale in place. "found_inf" becomes 1 if any of them is
/// not finite: then "step", coefficients, parameters and optimizer state stay unchanged. The step
/// ends by computing the next scale. Two i64 counters are kept: "good_steps" since the scale last
/// changed, and "skipped_steps". All of this is state on the device: the host decides nothing.
/// Requires the nodes of add_optimizer(), and gradients with which every rank updates.
[[nodiscard]] Graph scale_loss(const Graph& graph, const LossScaling& scaling = {});

/// Sums over a graph, as printed by --dry-run and in reports.
struct GraphTotals {
  std::int64_t trainable_parameters = 0;
  std::int64_t buffers = 0;         ///< elements of running statistics
  std::int64_t forward_macs = 0;    ///< of the whole batch
  std::int64_t training_flop = 0;   ///< of every node of the graph, the optimizer included
  std::int64_t optimizer_flop = 0;  ///< part of it that a rank skips if it does not update
  std::int64_t bytes = 0;
};
[[nodiscard]] GraphTotals totals(const Graph& graph);

}  // namespace dlbench::graph
