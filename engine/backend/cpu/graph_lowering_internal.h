// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The work of one lower() call: where each value lies, what has been emitted so far, and the calls
// with which the op families (conv.cpp, batch_norm.cpp, ...) read operands and emit nodes.
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

/// Where and how a value (or a copy of it) lies.
struct Operand {
  SlotId slot = kNoSlot;
  core::Shape shape;
  core::DType dtype = core::DType::kF32;
  Layout layout;
  std::int64_t sample_stride = 0;  ///< elements; larger than a sample in a view
  bool part = false;               ///< begins inside the memory of a wider tensor

  [[nodiscard]] Geometry geometry() const { return geometry_of(shape, layout); }
  [[nodiscard]] bool dense() const { return sample_stride == geometry().sample(); }
};

using Call = KernelCall;
using OwnFunction = std::function<void(const Call&)>;

/// What lowering has to know of the machine.
struct Machine {
  std::int64_t block = 16;  ///< channels per block: the vector length in f32
  int threads = 1;
  std::string isa;
};

/// A graph lowered by this backend.
class CpuLoweredGraph final : public LoweredGraph {
 public:
  void export_value(graph::ValueId value,
                    const std::byte* physical,
                    core::HostTensor& logical) const override;
  /// Where each value lies, by id; slot kNoSlot if nowhere.
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

  /// The layout that the value has or will have.
  [[nodiscard]] Layout layout_of(graph::ValueId id) const;

  /// The value, dense, in its own layout: as it lies, or if that is a view into a wider tensor a
  /// copy, made once.
  [[nodiscard]] Operand read(graph::ValueId id);
  /// The value, dense, in this layout: as it lies if it does so already, else a reordered copy,
  /// made once.
  [[nodiscard]] Operand read(graph::ValueId id, Layout layout);
  /// Like read(id, layout), but a view is good enough: for kernels that take
  /// Operand::sample_stride.
  [[nodiscard]] Operand read_rows(graph::ValueId id, Layout layout);
  /// The f32 parameter behind a weight: through a cast to a reduced precision, or the value itself.
  [[nodiscard]] graph::ValueId master_of(graph::ValueId id) const;
  /// A small weight as plain f32, converted if it exists in a reduced precision only.
  [[nodiscard]] Operand read_f32(graph::ValueId id);
  /// The operand, which is value `id` in descriptor `have`, in another library layout or dtype:
  /// itself or a copy, shared by the nodes of the backward pass.
  [[nodiscard]] SlotId read_as(graph::ValueId id,
                               const Operand& operand,
                               const MemoryDesc& have,
                               const MemoryDesc& want);
  /// A weight of a convolution or dense layer in the library's layout `desc`; the reorder is
  /// emitted once per value and layout. groups: of the convolution.
  [[nodiscard]] SlotId read_weights(graph::ValueId id, const MemoryDesc& desc, std::int64_t groups);

  /// The place for a value that the node about to be emitted computes, in the value's layout.
  [[nodiscard]] Operand write(graph::ValueId id);
  /// Memory of the node's own, alive until its last reader.
  [[nodiscard]] SlotId temporary(std::size_t bytes, const std::string& layout);
  /// Declares that a value is a part of another operand: no copy is made.
  void alias(graph::ValueId id,
             const Operand& source,
             std::size_t offset_bytes,
             std::int64_t sample_stride,
             Layout layout,
             graph::NodeId node);

  /// The node needs no kernel: the next one emitted covers it.
  void absorb(graph::NodeId node) { absorbed_.push_back(node); }

  /// Appends a node that runs `function`.
  void emit(Emission emission, OwnFunction function);
  /// Appends a node that runs a library primitive.
  void emit(Emission emission, Primitive primitive, std::vector<PrimitiveArgument> arguments);
  /// Appends a node with a kernel of its own class.
  void emit(Emission emission, std::unique_ptr<Kernel> kernel);
  /// Appends an all-reduce node: the executor runs it.
  void emit_communication(const graph::Node& node);
  /// Appends a copy between two library layouts; from and to are slots.
  void emit_reorder(const std::string& name,
                    graph::Phase phase,
                    SlotId from,
                    const MemoryDesc& from_desc,
                    SlotId to,
                    const MemoryDesc& to_desc);
  /// Gradients of a weight: the slot and descriptor that a primitive with its own layout `desc`
  /// should write; finish_gradient() after emission copies it to the arena where they differ.
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
  /// The f32 value that the gradient `id` ends in: through a cast back, if that is its only reader.
  [[nodiscard]] graph::ValueId gradient_home(graph::ValueId id) const;
  /// Whether that value is f32, what own kernels write gradients of weights in.
  [[nodiscard]] bool gradient_is_f32(graph::ValueId id) const;

  void decide(const std::string& key, const std::string& choice);

  /// The phase of the node being lowered: reorders are booked to it.
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
  std::vector<std::vector<Operand>> copies_;  ///< by value: the home first
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

/// Calls function with a value of the element type: float or Bf16. Refuses any other.
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

/// Of a contraction's bias as the state has it, or, going back, of its gradient; empty without one.
[[nodiscard]] MemoryDesc bias_desc(const GraphLowering& lowering,
                                   graph::ValueId bias,
                                   ContractionDirection direction);

/// (read, write) if both are dense and of one size: the planner may then share the memory.
void share_in_place(Emission& emission, const Operand& read, const Operand& write);

/// The ReLU behind a library's primitive, over what that wrote: a primitive's own turns NaN to 0,
/// and a network that diverged would go on with numbers that mean nothing.
void emit_relu_in_place(GraphLowering& lowering, graph::NodeId node, const Operand& y);

/// The upsampling of a value that is written by the concatenation that reads it; nullptr: by
/// itself.
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
