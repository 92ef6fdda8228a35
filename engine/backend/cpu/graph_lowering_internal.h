// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The state of one lower() call: the memory of each value, what has been emitted so far, and the
// functions with which the op families (conv.cpp, batch_norm.cpp, ...) read operands and emit
// nodes.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/cpu/layout.h"
#include "engine/backend/cpu/onednn_internal.h"
#include "engine/backend/cpu/tuning_internal.h"
#include "engine/backend/emission.h"
#include "engine/backend/fusion.h"
#include "engine/backend/lowering.h"
#include "engine/backend/slot_addresses.h"
#include "engine/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend::cpu {

/// The memory and layout of a value or of a copy of it.
struct Operand {
  SlotId slot = kNoSlot;
  core::Shape shape;
  core::DType dtype = core::DType::kF32;
  Layout layout;
  std::int64_t sample_stride = 0;  ///< in elements; larger than a sample in a view
  bool part = false;               ///< starts inside the memory of a wider tensor

  [[nodiscard]] Geometry geometry() const { return geometry_of(shape, layout); }
  [[nodiscard]] bool dense() const { return sample_stride == geometry().sample(); }
};

using Call = KernelCall;
using OwnFunction = std::function<void(const Call&)>;

/// What lowering needs to know about the machine.
struct Machine {
  std::int64_t block = 16;  ///< channels per block: the vector length in f32 elements
  int threads = 1;
  std::string isa;
};

/// A graph lowered by this backend.
class CpuLoweredGraph final : public LoweredGraph {
 public:
  void export_value(graph::ValueId value,
                    const std::byte* physical,
                    core::HostTensor& logical) const override;
  /// The memory of each value, by id; slot kNoSlot if it has none.
  std::vector<Operand> homes;
};

class GraphLowering {
 public:
  GraphLowering(const graph::Graph& graph,
                const LoweringOptions& options,
                const Machine& machine,
                Tuner& tuner);

  [[nodiscard]] std::unique_ptr<LoweredGraph> run();

  [[nodiscard]] const graph::Graph& graph() const { return graph_; }
  [[nodiscard]] const graph::Value& value(graph::ValueId id) const { return graph_.value(id); }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const LoweringOptions& options() const { return options_; }
  [[nodiscard]] const Fusion& fusion() const { return fusion_; }
  [[nodiscard]] Tuner& tuner() { return tuner_; }

  /// The layout that a value has or will have.
  [[nodiscard]] Layout layout_of(graph::ValueId id) const;

  /// Returns the value, dense, in its own layout: itself, or, if it is a view into a wider tensor,
  /// a copy that is made once.
  [[nodiscard]] Operand read(graph::ValueId id);
  /// Returns the value, dense, in `layout`: itself if it already is, otherwise a reordered copy
  /// that is made once.
  [[nodiscard]] Operand read(graph::ValueId id, Layout layout);
  /// As read(id, layout), but may return a view: for kernels that support Operand::sample_stride.
  [[nodiscard]] Operand read_rows(graph::ValueId id, Layout layout);
  /// The f32 parameter of which `id` is a cast to a reduced precision; otherwise `id` itself.
  [[nodiscard]] graph::ValueId master_of(graph::ValueId id) const;
  /// Returns a small weight as plain f32, converted if it only exists in a reduced precision.
  [[nodiscard]] Operand read_f32(graph::ValueId id);
  /// Returns an operand (value `id` with descriptor `have`) in library layout and dtype `want`:
  /// itself or a copy, which the nodes of the backward pass share.
  [[nodiscard]] SlotId read_as(graph::ValueId id,
                               const Operand& operand,
                               const MemoryDesc& have,
                               const MemoryDesc& want);
  /// Returns a weight of a convolution or dense layer in library layout `desc`; the reorder is
  /// emitted once per value and layout. groups: of the convolution.
  [[nodiscard]] SlotId read_weights(graph::ValueId id, const MemoryDesc& desc, std::int64_t groups);

  /// Returns the memory, in the value's layout, for a value that the next emitted node computes.
  [[nodiscard]] Operand write(graph::ValueId id);
  /// Allocates temporary memory, alive until its last reader.
  [[nodiscard]] SlotId temporary(std::size_t bytes, const std::string& layout);
  /// Declares that a value is part of another operand, so that `node` needs no kernel and no copy.
  void alias(graph::ValueId id,
             const Operand& source,
             std::size_t offset_bytes,
             std::int64_t sample_stride,
             Layout layout,
             graph::NodeId node);

  /// Declares that a node needs no kernel: the next emitted node covers it.
  void absorb(graph::NodeId node) { absorbed_.push_back(node); }

  /// Appends a node that runs `function`.
  void emit(Emission emission, OwnFunction function);
  /// Appends a node that runs a library primitive.
  void emit(Emission emission, Primitive primitive, std::vector<PrimitiveArgument> arguments);
  /// Appends a node with a given kernel.
  void emit(Emission emission, std::unique_ptr<Kernel> kernel);
  /// Appends an all-reduce node, which the executor runs.
  void emit_communication(const graph::Node& node);
  /// Appends a copy between two slots with different library layouts or dtypes.
  void emit_reorder(const std::string& name,
                    graph::Phase phase,
                    SlotId from,
                    const MemoryDesc& from_desc,
                    SlotId to,
                    const MemoryDesc& to_desc);
  /// The gradient of a weight: the slot that a primitive with its own layout `desc` writes, and the
  /// value in the arena to which finish_gradient() copies it after emission if the layouts differ.
  struct GradientTarget {
    SlotId slot = kNoSlot;
    graph::ValueId home = graph::kNoValue;
  };
  [[nodiscard]] GradientTarget begin_gradient(graph::ValueId id,
                                              const MemoryDesc& desc,
                                              std::int64_t groups);
  void finish_gradient(const GradientTarget& target,
                       const MemoryDesc& desc,
                       std::int64_t groups,
                       graph::Phase phase);
  /// The f32 value to which gradient `id` is cast back if the cast is its only reader; otherwise
  /// `id` itself.
  [[nodiscard]] graph::ValueId gradient_home(graph::ValueId id) const;
  /// Whether gradient_home() is f32, in which own kernels write gradients of weights.
  [[nodiscard]] bool gradient_is_f32(graph::ValueId id) const;

  void decide(const std::string& key, const std::string& choice);

  /// The phase of the node being lowered, to which its reorders are attributed.
  [[nodiscard]] graph::Phase phase() const { return phase_; }

 private:
  void make_state_slots();
  void finish_outputs();
  SlotId add_slot(Slot slot);
  LoweredNode& append(Emission emission);
  [[nodiscard]] bool moves(SlotId slot) const;
  void set_home(graph::ValueId id, Operand operand);
  [[nodiscard]] Operand home_of(graph::ValueId id) const;
  Operand copy_as(graph::ValueId id, const Operand& from, Layout layout);

  const graph::Graph& graph_;
  const LoweringOptions& options_;
  Machine machine_;
  Tuner& tuner_;
  Fusion fusion_;
  std::unique_ptr<CpuLoweredGraph> result_;
  std::vector<std::vector<Operand>> copies_;  ///< by value: the value's own memory first
  struct LibraryCopy {
    graph::ValueId value;
    MemoryDesc desc;
    SlotId slot;
  };
  std::vector<LibraryCopy> weight_copies_;
  std::vector<LibraryCopy> gradient_copies_;
  std::vector<graph::NodeId>
      absorbed_;  ///< nodes that need no kernel: covered by the next emission
  graph::Phase phase_ = graph::Phase::kForward;
};

/// Calls function with a value of the element type: float or Bf16. Throws for any other dtype.
template <typename Function>
void with_element(core::DType dtype, Function function) {
  if (dtype == core::DType::kBF16) {
    function(Bf16{});
  } else if (dtype == core::DType::kF32) {
    function(float{});
  } else {
    refuse_dtype(dtype);
  }
}

template <typename T>
[[nodiscard]] Rows<const T> rows_in(const Call& call, std::size_t index, const Operand& operand) {
  return {call.in<T>(index), operand.sample_stride};
}
template <typename T>
[[nodiscard]] Rows<T> rows_out(const Call& call, std::size_t index, const Operand& operand) {
  return {call.out<T>(index), operand.sample_stride};
}

/// The descriptor of a contraction's bias in the state or, in backward directions, of its gradient;
/// empty without bias.
[[nodiscard]] MemoryDesc bias_desc(const GraphLowering& lowering,
                                   graph::ValueId bias,
                                   ContractionDirection direction);

/// Adds (read, write) to Emission::in_place if both are dense and have the same layout, dtype and
/// size, so that the planner may let them share memory.
void share_in_place(Emission& emission, const Operand& read, const Operand& write);

/// Emits the ReLU after a library primitive, in place: the primitive's fused ReLU would turn NaN to
/// 0, and a diverged network would continue with meaningless numbers.
void emit_relu_in_place(GraphLowering& lowering, graph::NodeId node, const Operand& y);

/// The upsampling node of a value if the concatenation that reads it computes it; otherwise
/// nullptr.
[[nodiscard]] const graph::Node* upsampled_into_concat(const GraphLowering& lowering,
                                                       graph::ValueId id);

// The op families of op_families.h.
void lower_normalize(GraphLowering& lowering, const graph::Node& node);
void lower_cast(GraphLowering& lowering, const graph::Node& node);
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

}  // namespace dlbench::backend::cpu
