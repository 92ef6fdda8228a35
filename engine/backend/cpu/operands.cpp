// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How the op families access operands: copies in other layouts, weights in the library's own
// layouts, gradients on their way to the arena. Each copy is an explicit reorder node.
#include "engine/backend/cpu/graph_lowering_internal.h"
#include "engine/backend/cpu/kernels/channel_copy.h"
#include "engine/backend/cpu/kernels/pointwise.h"
#include "engine/backend/cpu/onednn_versions_internal.h"
#include "engine/core/check.h"

#include <utility>

namespace dlbench::backend::cpu {

using graph::kNoNode;
using graph::kNoValue;
using graph::Node;
using graph::OpKind;
using graph::ValueId;

Operand GraphLowering::home_of(ValueId id) const {
  const auto& copies = copies_.at(static_cast<std::size_t>(id));
  DLBENCH_CHECK(!copies.empty()) << graph_.value(id).name << " is read before it is computed";
  return copies.front();
}

Operand GraphLowering::read(ValueId id) { return read(id, home_of(id).layout); }

Operand GraphLowering::read(ValueId id, Layout layout) {
  for (const Operand& copy : copies_.at(static_cast<std::size_t>(id))) {
    if (copy.layout == layout && copy.dense()) {
      return copy;
    }
  }
  return copy_as(id, home_of(id), layout);
}

Operand GraphLowering::read_rows(ValueId id, Layout layout) {
  for (const Operand& copy : copies_.at(static_cast<std::size_t>(id))) {
    if (copy.layout == layout) {
      return copy;
    }
  }
  return copy_as(id, home_of(id), layout);
}

Operand GraphLowering::copy_as(ValueId id, const Operand& from, Layout layout) {
  const graph::Value& value = graph_.value(id);
  Operand to = from;
  to.layout = layout;
  to.sample_stride = to.geometry().sample();
  to.part = false;
  to.slot =
      temporary(physical_bytes(value.shape, value.dtype, layout), layout_name(value.shape, layout));
  if (value.dtype == core::DType::kU8) {
    emit({.name = "reorder/" + value.name,
          .reads = {from.slot},
          .writes = {to.slot},
          .kernel_name = "own:relayout"},
         [from, to](const Call& call) {
           relayout(
               from.geometry(), call.in<std::uint8_t>(0), to.geometry(), call.out<std::uint8_t>(0));
         });
  } else if (from.layout == layout) {
    Emission emission{.name = "reorder/" + value.name,
                      .reads = {from.slot},
                      .writes = {to.slot},
                      .kernel_name = "own:copy"};
    with_element(value.dtype, [&]<typename T>(T) {
      emit(std::move(emission), [from, to](const Call& call) {
        copy<T>(from.geometry(), rows_in<T>(call, 0, from), rows_out<T>(call, 0, to));
      });
    });
  } else {
    // A view is first made dense: the library only takes whole tensors.
    const Operand source = from.dense() ? from : copy_as(id, from, from.layout);
    emit_reorder(value.name,
                 phase_,
                 source.slot,
                 activation_desc(value.shape, value.dtype, source.layout),
                 to.slot,
                 activation_desc(value.shape, value.dtype, layout));
  }
  copies_[static_cast<std::size_t>(id)].push_back(to);
  return to;
}

namespace {

using DataType = dnnl::memory::data_type;

/// The number of elements of two descriptors that only differ in f32 versus bf16; otherwise 0.
std::int64_t convertible_elements(const MemoryDesc& from, const MemoryDesc& to) {
  const auto is_float = [](const MemoryDesc& desc) {
    return data_type_of(desc) == DataType::f32 || data_type_of(desc) == DataType::bf16;
  };
  if (!is_float(from) || !is_float(to) || from == to || !same_but_for_type(from, to)) {
    return 0;
  }
  const std::size_t size = data_type_of(to) == DataType::f32 ? sizeof(float) : sizeof(Bf16);
  return static_cast<std::int64_t>(to.get_size() / size);
}

OwnFunction convert_function(const MemoryDesc& from, std::int64_t elements) {
  const Geometry row{.spatial = elements};
  if (data_type_of(from) == DataType::f32) {
    return [row](const Call& call) {
      convert<float, Bf16>(row, {call.in<float>(0), row.spatial}, {call.out<Bf16>(0), row.spatial});
    };
  }
  return [row](const Call& call) {
    convert<Bf16, float>(row, {call.in<Bf16>(0), row.spatial}, {call.out<float>(0), row.spatial});
  };
}

}  // namespace

void GraphLowering::emit_reorder(const std::string& name,
                                 graph::Phase phase,
                                 SlotId from,
                                 const MemoryDesc& from_desc,
                                 SlotId to,
                                 const MemoryDesc& to_desc) {
  const graph::Phase before = std::exchange(phase_, phase);
  // The nodes absorbed so far belong to the next real node, not to this copy.
  std::vector<graph::NodeId> absorbed = std::exchange(absorbed_, {});
  Emission emission{.name = "reorder/" + name, .reads = {from}, .writes = {to}};
  if (const std::int64_t elements = convertible_elements(from_desc, to_desc); elements > 0) {
    emission.kernel_name = "own:convert";
    emit(std::move(emission), convert_function(from_desc, elements));
  } else {
    emit(std::move(emission),
         make_reorder(from_desc, to_desc),
         {{DNNL_ARG_FROM, from_desc, from}, {DNNL_ARG_TO, to_desc, to}});
  }
  absorbed_ = std::move(absorbed);
  phase_ = before;
}

ValueId GraphLowering::master_of(ValueId id) const {
  const graph::NodeId producer = graph_.value(id).producer;
  if (producer == kNoNode || graph_.node(producer).op != OpKind::kCast) {
    return id;
  }
  const ValueId source = graph_.node(producer).inputs[0];
  const bool is_master = graph_.value(source).dtype == core::DType::kF32 &&
                         graph_.value(source).storage == graph::Storage::kParameter;
  return is_master ? source : id;
}

Operand GraphLowering::read_f32(ValueId id) {
  const Operand source = read(master_of(id), Layout{});
  if (source.dtype == core::DType::kF32) {
    return source;
  }
  const graph::Value& value = graph_.value(id);
  Operand to = source;
  to.dtype = core::DType::kF32;
  to.slot = temporary(physical_bytes(value.shape, to.dtype, Layout{}), "plain");
  const Geometry row{.spatial = value.shape.elements()};
  emit({.name = "reorder/" + value.name,
        .reads = {source.slot},
        .writes = {to.slot},
        .kernel_name = "own:convert"},
       [row](const Call& call) {
         convert<Bf16, float>(
             row, {call.in<Bf16>(0), row.spatial}, {call.out<float>(0), row.spatial});
       });
  return to;
}

SlotId GraphLowering::read_as(ValueId id,
                              const Operand& operand,
                              const MemoryDesc& have,
                              const MemoryDesc& want) {
  if (have == want) {
    return operand.slot;
  }
  for (const LibraryCopy& copy : gradient_copies_) {
    if (copy.value == id && copy.desc == want) {
      return copy.slot;
    }
  }
  const SlotId slot = temporary(want.get_size(), "library");
  emit_reorder(graph_.value(id).name, phase_, operand.slot, have, slot, want);
  // In the backward pass the next node reads the same gradient; a copy of an activation made in the
  // forward pass would have to live until then.
  if (phase_ == graph::Phase::kBackward) {
    gradient_copies_.push_back({id, want, slot});
  }
  return slot;
}

SlotId GraphLowering::read_weights(ValueId id, const MemoryDesc& desc, std::int64_t groups) {
  const ValueId master = master_of(id);
  const graph::Value& value = graph_.value(master);
  const Operand source = read(master, Layout{});
  const MemoryDesc plain = plain_desc(value.shape, value.dtype, groups);
  if (plain == desc) {
    return source.slot;
  }
  for (const LibraryCopy& copy : weight_copies_) {
    if (copy.value == master && copy.desc == desc) {
      return copy.slot;
    }
  }
  const SlotId slot = temporary(desc.get_size(), "library");
  emit_reorder(value.name, phase_, source.slot, plain, slot, desc);
  weight_copies_.push_back({master, desc, slot});
  return slot;
}

Operand GraphLowering::write(ValueId id) {
  const auto& copies = copies_.at(static_cast<std::size_t>(id));
  if (!copies.empty()) {
    // A gradient in its arena, whose slot already exists.
    DLBENCH_CHECK(graph_.value(id).storage != graph::Storage::kActivation)
        << graph_.value(id).name << " is computed twice";
    return copies.front();
  }
  const graph::Value& value = graph_.value(id);
  const Layout layout = layout_of(id);
  const SlotId slot = add_slot({.value = id,
                                .storage = graph::Storage::kActivation,
                                .bytes = physical_bytes(value.shape, value.dtype, layout),
                                .layout = layout_name(value.shape, layout)});
  Operand operand{.slot = slot,
                  .shape = value.shape,
                  .dtype = value.dtype,
                  .layout = layout,
                  .sample_stride = geometry_of(value.shape, layout).sample()};
  set_home(id, operand);
  return operand;
}

SlotId GraphLowering::temporary(std::size_t bytes, const std::string& layout) {
  return add_slot({.storage = graph::Storage::kActivation, .bytes = bytes, .layout = layout});
}

void GraphLowering::alias(ValueId id,
                          const Operand& source,
                          std::size_t offset_bytes,
                          std::int64_t sample_stride,
                          Layout layout,
                          graph::NodeId node) {
  const graph::Value& value = graph_.value(id);
  const Geometry g = geometry_of(value.shape, layout);
  const auto elements = static_cast<std::size_t>((g.batch - 1) * sample_stride + g.sample());
  const SlotId slot = add_slot({.value = id,
                                .storage = graph::Storage::kActivation,
                                .bytes = elements * core::size_of(value.dtype),
                                .layout = layout_name(value.shape, layout),
                                .alias_of = source.slot,
                                .alias_offset = offset_bytes});
  set_home(id,
           {.slot = slot,
            .shape = value.shape,
            .dtype = value.dtype,
            .layout = layout,
            .sample_stride = sample_stride,
            .part = offset_bytes != 0 || source.part});
  absorbed_.push_back(node);
}

ValueId GraphLowering::gradient_home(ValueId id) const {
  const auto& readers = fusion_.readers(id);
  if (graph_.value(id).dtype != core::DType::kF32 && readers.size() == 1 && !fusion_.kept(id)) {
    const Node& reader = graph_.node(readers.front());
    if (reader.op == OpKind::kCast && graph_.value(reader.outputs[0]).dtype == core::DType::kF32) {
      return reader.outputs[0];
    }
  }
  return id;
}

bool GraphLowering::gradient_is_f32(ValueId id) const {
  return graph_.value(gradient_home(id)).dtype == core::DType::kF32;
}

GraphLowering::GradientTarget GraphLowering::begin_gradient(ValueId id,
                                                            const MemoryDesc& desc,
                                                            std::int64_t groups) {
  const ValueId home = gradient_home(id);
  const graph::Value& value = graph_.value(home);
  if (plain_desc(value.shape, value.dtype, groups) == desc) {
    return {write(home).slot, home};
  }
  return {temporary(desc.get_size(), "library"), home};
}

void GraphLowering::finish_gradient(const GradientTarget& target,
                                    const MemoryDesc& desc,
                                    std::int64_t groups,
                                    graph::Phase phase) {
  const graph::Value& value = graph_.value(target.home);
  const MemoryDesc plain = plain_desc(value.shape, value.dtype, groups);
  if (plain != desc) {
    const Operand home = write(target.home);
    emit_reorder(value.name, phase, target.slot, desc, home.slot, plain);
  }
}

}  // namespace dlbench::backend::cpu
