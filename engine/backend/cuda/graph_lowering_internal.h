// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The state of one lower() call: one slot per value, one or a few launches per node or group of
// nodes. Each family of ops (conv.cpp, batch_norm.cpp, ...) has a function at the end.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/cuda/cast_groups.h"
#include "engine/backend/cuda/channel_padding.h"
#include "engine/backend/cuda/channel_ranges.h"
#include "engine/backend/cuda/contractions.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/layout.h"
#include "engine/backend/cuda/lowering.h"
#include "engine/backend/cuda/shared_sums.h"
#include "engine/backend/emission.h"
#include "engine/backend/fusion.h"
#include "engine/backend/lowering.h"
#include "engine/backend/slot_addresses.h"
#include "engine/graph/graph.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {

/// The addresses of one launch and the stream on which it is enqueued.
struct Call : KernelCall {
  StreamHandle stream;
};

using Launch = std::function<void(const Call&)>;

class GraphLowering {
 public:
  GraphLowering(const graph::Graph& graph,
                const LoweringOptions& options,
                Contractions& contractions,
                StreamHandleOf stream_handle);

  /// Lowers the graph. Throws core::Error(kUnavailable) for what this backend does not support.
  [[nodiscard]] std::unique_ptr<LoweredGraph> run();

  [[nodiscard]] const graph::Value& value(graph::ValueId id) const { return graph_.value(id); }
  [[nodiscard]] const graph::Graph& graph() const { return graph_; }
  [[nodiscard]] const LoweringOptions& options() const { return options_; }
  [[nodiscard]] Contractions& contractions() const { return contractions_; }
  [[nodiscard]] StreamHandleOf handle_of_streams() const { return stream_handle_; }
  /// The group to which a node belongs; nullptr if it is in none.
  [[nodiscard]] const FusedGroup* group_of(const graph::Node& node) const {
    return fusion_.group_of(node.id);
  }
  /// The slot of a value itself: what nodes write, and inputs in logical order.
  [[nodiscard]] static SlotId slot(graph::ValueId id) { return static_cast<SlotId>(id); }
  /// The slot of a value in channels-last layout; an input of rank 4 or 5 is copied once, before
  /// its first reader.
  [[nodiscard]] SlotId read(graph::ValueId id);
  /// The layout of a value for ops that treat all elements alike. A range of channels of a wider
  /// tensor has the range's channels and the stride of that tensor. Values of rank 3 and above 5
  /// are in fact row-major: only their number of elements is right.
  [[nodiscard]] ChannelsLast elementwise_layout(graph::ValueId id) const;
  /// elementwise_layout() for ops that need channels or positions. Throws
  /// core::Error(kUnavailable) for ranks that are row-major.
  [[nodiscard]] ChannelsLast layout(graph::ValueId id) const;
  [[nodiscard]] const SharedSums& shared_sums() const { return shared_sums_; }
  [[nodiscard]] bool is_range(graph::ValueId id) const { return ranges_.of(id).has_value(); }
  [[nodiscard]] const ChannelPadding& padding() const { return padding_; }

  /// An emission that reads the inputs whose content the op needs, and writes outputs and updates.
  [[nodiscard]] Emission whole(const graph::Node& node);
  /// Declares that a node needs no kernel: the next emitted node covers it.
  void absorb(graph::NodeId node) { absorbed_.push_back(node); }
  /// The upsampling node of a value if the concatenation that reads it computes it; otherwise
  /// nullptr.
  [[nodiscard]] const graph::Node* upsampled_into_concat(graph::ValueId id) const;
  void emit(Emission emission, Launch launch);
  void emit(Emission emission, std::unique_ptr<Kernel> kernel);
  /// Appends an all-reduce node, which the executor runs.
  void emit_communication(const graph::Node& node);
  /// Records the choice made for a node.
  void decide(const std::string& key, const std::string& choice);
  /// Throws core::Error(kUnavailable): "<name>: the cuda backend <what>"; name of a node or value.
  [[noreturn]] static void refuse(const std::string& name, const std::string& what);

 private:
  void make_slots();
  LoweredNode& append(Emission emission);

  const graph::Graph& graph_;
  const LoweringOptions& options_;
  Contractions& contractions_;
  StreamHandleOf stream_handle_;
  Fusion fusion_;
  ChannelPadding padding_;
  ChannelRanges ranges_;
  SharedSums shared_sums_;
  CastGroups casts_;
  std::unique_ptr<LoweredGraph> result_;
  std::map<graph::ValueId, SlotId> reordered_inputs_;
  std::vector<graph::NodeId> absorbed_;
};

/// Maps the addresses of a launch to the operands of a contraction.
using ContractionOperands = ContractionCall (*)(const Call& call);
/// Emits a convolution or fully connected layer, x, w, [bias] -> y: the contraction, then bias and
/// the ReLU of the node's group.
void emit_forward(GraphLowering& lowering, const graph::Node& node, Contraction chosen);
/// Emits a gradient: x, dy -> dw, [dbias] or dy, w -> dx.
void emit_gradient(GraphLowering& lowering,
                   const graph::Node& node,
                   Contraction chosen,
                   ContractionOperands operands);

// The op families of op_families.h.
void lower_normalize(GraphLowering& lowering, const graph::Node& node);
void lower_cast(GraphLowering& lowering, const graph::Node& node);
void lower_casts(GraphLowering& lowering, const CastGroup& group);
void lower_convolution(GraphLowering& lowering, const graph::Node& node);
void lower_batch_norm(GraphLowering& lowering, const graph::Node& node);
void lower_pointwise(GraphLowering& lowering, const graph::Node& node);
void lower_add_bias(GraphLowering& lowering, const graph::Node& node);
void lower_scale_channels(GraphLowering& lowering, const graph::Node& node);
void lower_global_average(GraphLowering& lowering, const graph::Node& node);
void lower_max_pool(GraphLowering& lowering, const graph::Node& node);
void lower_upsample(GraphLowering& lowering, const graph::Node& node);
void lower_linear(GraphLowering& lowering, const graph::Node& node);
void lower_shape_op(GraphLowering& lowering, const graph::Node& node);
void lower_dropout(GraphLowering& lowering, const graph::Node& node);
void lower_dice(GraphLowering& lowering, const graph::Node& node);
void lower_log_softmax(GraphLowering& lowering, const graph::Node& node);
void lower_nll(GraphLowering& lowering, const graph::Node& node);
void lower_counts(GraphLowering& lowering, const graph::Node& node);
void lower_optimizer(GraphLowering& lowering, const graph::Node& node);
void lower_loss_scaling(GraphLowering& lowering, const graph::Node& node);

}  // namespace dlbench::backend::cuda
