// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The result of lowering: kernels in execution order on slots of physical memory. The plan
// (exec/plan.h) gives every activation slot an offset; the executor then binds addresses and runs.
#pragma once

#include "engine/core/host_tensor.h"
#include "engine/core/named.h"
#include "engine/graph/graph.h"
#include "engine/graph/op_def.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend {

class Stream;

using SlotId = std::int32_t;
inline constexpr SlotId kNoSlot = -1;

/// A piece of physical memory that kernels read and write.
struct Slot {
  graph::ValueId value = graph::kNoValue;  ///< kNoValue: a reordered copy or other temporary
  graph::Storage storage = graph::Storage::kActivation;
  std::size_t bytes = 0;      ///< physical size, padding included
  std::string layout;         ///< "nchw", "nChw16c", ...: for reports
  SlotId alias_of = kNoSlot;  ///< the slot of which this one is a part, without memory of its own
  std::size_t alias_offset = 0;  ///< bytes
};

/// Addresses of all slots, filled by the executor. Input slots may change between steps, all others
/// are fixed after planning. Kernels keep a reference.
class SlotTable {
 public:
  explicit SlotTable(std::size_t slots) : addresses_(slots, nullptr) {}
  [[nodiscard]] std::byte* operator[](SlotId slot) const {
    return addresses_[static_cast<std::size_t>(slot)];
  }
  void set(SlotId slot, std::byte* address) {
    addresses_[static_cast<std::size_t>(slot)] = address;
  }

 private:
  std::vector<std::byte*> addresses_;
};

/// One unit of work. bind() is called once after planning and may build what depends on addresses
/// (not on addresses of kInput slots: those are read from the table in run()). run() neither
/// allocates nor creates primitives.
class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;
  /// `scratch` has LoweredNode::scratch_bytes bytes, shared with other nodes of the same stream.
  virtual void bind(const SlotTable& slots, std::byte* scratch) = 0;
  virtual void run(Stream& stream) = 0;
};

/// The stream of a node: nodes of one stream run in order, concurrently with those of the other.
enum class NodeStream : std::uint8_t { kCompute, kCommunication };

/// A kernel with what the planner, the executor and the report need to know about it.
struct LoweredNode {
  std::vector<graph::NodeId>
      covers;        ///< logical nodes computed here, the main one first; none: a reorder
  std::string name;  ///< of the main node, or "reorder/<value>"
  graph::OpKind op = graph::OpKind::kAdd;
  bool is_reorder = false;
  graph::Phase phase = graph::Phase::kForward;
  std::vector<SlotId> reads;
  std::vector<SlotId> writes;  ///< state updated in place may be listed only here
  /// (read, write): the write may reuse the memory of the read if this is the read's last use.
  std::vector<std::pair<SlotId, SlotId>> in_place;
  std::size_t scratch_bytes = 0;
  NodeStream stream = NodeStream::kCompute;  ///< stream_of(op)
  std::string kernel_name;  ///< implementation, e.g. "onednn:jit_wino_4x3:avx512_core", "ref:conv"
  bool repeatable = true;   ///< false: according to its library, results may differ between runs
  graph::Cost cost;         ///< of the covered nodes, see make_lowered_node()
  std::unique_ptr<Kernel> kernel;  ///< nullptr for all-reduce nodes: the executor runs those
};

/// The algorithm of convolutions. kAuto: the fastest, as measured or as the library advises.
enum class ConvAlgorithm : std::uint8_t { kAuto, kDirect, kWinograd };
inline constexpr std::array<core::Named<ConvAlgorithm>, 3> kConvAlgorithms{
    {{ConvAlgorithm::kAuto, "auto"},
     {ConvAlgorithm::kDirect, "direct"},
     {ConvAlgorithm::kWinograd, "winograd"}}};

struct LoweringOptions {
  ConvAlgorithm conv_algorithm = ConvAlgorithm::kAuto;
  bool deterministic = false;
  /// Whether contractions of f32 may round their operands to tf32 (NVIDIA GPUs only).
  bool allow_tf32 = false;
  /// Values that must be readable after the step although they are not graph outputs (verify
  /// --dump).
  std::vector<graph::ValueId> keep;
  /// Decisions of rank 0 or of an earlier run, used instead of measuring. Key: see
  /// LoweredGraph::decisions.
  std::map<std::string, std::string> decisions;
  /// The file of cached decisions, read before and written after tuning; empty: none.
  std::string tuning_cache;
  /// False: heuristics only, nothing is timed.
  bool autotune = true;
  /// False: a chosen implementation is not even run once to check that it runs and computes the
  /// right result. For plans that are only inspected, since they may not fit into memory.
  bool try_out = true;
  /// Called between measurements; an exception from it ends the lowering.
  std::function<void()> check;
  /// A time of core::steady_seconds() after which nothing is measured: the rest is chosen by rule.
  double tune_until_s = std::numeric_limits<double>::infinity();
};

/// A graph made executable by one backend.
class LoweredGraph {
 public:
  LoweredGraph() = default;
  LoweredGraph(const LoweredGraph&) = delete;
  LoweredGraph& operator=(const LoweredGraph&) = delete;
  virtual ~LoweredGraph() = default;

  std::vector<Slot> slots;
  std::vector<LoweredNode> nodes;  ///< in execution order
  /// The slot of each logical value; kNoSlot if it was fused away. Outputs, kept values, inputs and
  /// state always have one. If a value exists in several layouts, the slot that can be exported.
  std::vector<SlotId> slot_of_value;
  /// The implementations chosen by measurement: "<node>|<direction>" -> implementation. Recorded in
  /// the report.
  std::map<std::string, std::string> decisions;

  /// Converts the content of a value's slot, copied to host memory, to logical row-major order; the
  /// tensor has the value's dtype and shape. Not for the hot path.
  virtual void export_value(graph::ValueId value,
                            const std::byte* physical,
                            core::HostTensor& logical) const = 0;
};

}  // namespace dlbench::backend
