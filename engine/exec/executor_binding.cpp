// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Binds an executor's values to memory: state, inputs, arena, buckets, watched outputs.
#include "engine/core/check.h"
#include "engine/core/round_up.h"
#include "engine/exec/executor.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dlbench::exec {
namespace {

using backend::LoweredNode;
using backend::SlotId;

constexpr std::size_t kInputPlaces = 3;

std::size_t align_up(std::size_t bytes) { return core::round_up(bytes, kArenaAlignment); }

}  // namespace

std::size_t input_staging_bytes(const graph::Graph& graph) {
  std::size_t bytes = 0;
  for (const graph::ValueId id : graph.inputs()) {
    bytes += kInputPlaces * align_up(graph.value(id).dense_bytes());
  }
  return bytes;
}

void Executor::bind_state() {
  for (std::size_t slot = 0; slot < lowered_->slots.size(); ++slot) {
    const backend::Slot& entry = lowered_->slots[slot];
    if (entry.storage == graph::Storage::kActivation || entry.storage == graph::Storage::kInput) {
      continue;
    }
    const graph::Value& value = graph_.value(entry.value);
    std::byte* address = state_.address(value.name);
    DLBENCH_CHECK(address != nullptr) << "the model state lacks " << value.name;
    DLBENCH_CHECK(state_.value_bytes(value.name) == entry.bytes) << value.name;
    slots_.set(static_cast<SlotId>(slot), address);
  }
}

void Executor::bind_inputs() {
  if (!backend_.reads_host_memory()) {
    input_staging_ = backend_.allocate(input_staging_bytes(graph_));
    copy_stream_ = backend_.create_stream();
  }
  std::size_t offset = 0;
  for (const graph::ValueId id : graph_.inputs()) {
    const std::size_t place = align_up(graph_.value(id).dense_bytes());
    Input input{.value = id};
    if (input_staging_ != nullptr) {
      input.memory = input_staging_->data() + offset;
      slots_.set(lowered_->slot_of_value.at(static_cast<std::size_t>(id)), input.memory);
      for (std::size_t i = 0; i < input.staging.size(); ++i) {
        input.staging[i].memory = input.memory + (i + 1) * place;
        input.staging[i].copied = copy_stream_->create_order_event();
        input.staging[i].consumed = stream_->create_order_event();
      }
    }
    offset += kInputPlaces * place;
    inputs_.emplace(graph_.value(id).name, std::move(input));
  }
}

void Executor::bind_buckets() {
  for (const graph::Node& node : graph_.nodes()) {
    if (node.op != graph::OpKind::kAllReduceStart) {
      continue;
    }
    const auto& attributes = node.as<graph::AllReduceAttributes>();
    const graph::Value& first = graph_.value(node.inputs.front());
    comm::ReduceRequest request{.dtype = first.dtype};
    if (first.storage == graph::Storage::kActivation) {
      request.data = slots_[lowered_->slot_of_value.at(static_cast<std::size_t>(first.id))];
      request.count = static_cast<std::size_t>(first.shape.elements());
      request.lossless = true;  // sums of a loss are few and can far exceed the range of f16
    } else {
      const graph::Value& last = graph_.value(node.inputs.back());
      const std::byte* end = state_.address(last.name) + state_.value_bytes(last.name);
      request.data = state_.address(first.name);
      DLBENCH_CHECK(request.data != nullptr && end > request.data) << node.name;
      request.count = static_cast<std::size_t>(end - request.data) / core::size_of(first.dtype);
    }
    const auto index = static_cast<std::size_t>(attributes.bucket);
    buckets_.resize(std::max(buckets_.size(), index + 1));
    buckets_[index].request = request;
  }
}

void Executor::find_blocking_buckets() {
  const std::vector<LoweredNode>& nodes = lowered_->nodes;
  const auto bucket_of = [&](const LoweredNode& node) {
    return graph_.node(node.covers.front()).as<graph::AllReduceAttributes>().bucket;
  };
  for (auto start = nodes.begin(); start != nodes.end(); ++start) {
    if (start->op != graph::OpKind::kAllReduceStart) {
      continue;
    }
    const auto next = std::find_if(start + 1, nodes.end(), [&](const LoweredNode& node) {
      return node.kernel != nullptr ||
             (node.op == graph::OpKind::kAllReduceWait && bucket_of(node) == bucket_of(*start));
    });
    buckets_[static_cast<std::size_t>(bucket_of(*start))].blocks =
        next != nodes.end() && next->kernel == nullptr;
  }
}

void Executor::bind_arena() {
  std::size_t bytes = align_up(plan_.arena_bytes);
  std::vector<std::size_t> scratch_offsets;
  for (const std::size_t scratch : plan_.scratch_bytes) {
    scratch_offsets.push_back(bytes);
    bytes += align_up(scratch);
  }
  const Executor* lender = options_.shares_arena_with;
  if (lender != nullptr && lender->arena_->bytes() >= bytes) {
    arena_ = lender->arena_;
  } else {
    arena_ = backend_.allocate(bytes);
  }
  for (std::size_t slot = 0; slot < lowered_->slots.size(); ++slot) {
    if (plan_.offset_of_slot[slot] != Plan::kNotInArena) {
      slots_.set(static_cast<SlotId>(slot), arena_->data() + plan_.offset_of_slot[slot]);
    }
  }
  for (LoweredNode& node : lowered_->nodes) {
    if (node.kernel != nullptr) {
      std::byte* scratch =
          arena_->data() + scratch_offsets.at(static_cast<std::size_t>(node.stream));
      node.kernel->bind(slots_, scratch);
    }
  }
}

const graph::Value& Executor::watched_value(const std::string& output) const {
  const auto found = graph_.outputs().find(output);
  DLBENCH_CHECK(found != graph_.outputs().end()) << "no output named " << output;
  const graph::Value& value = graph_.value(found->second);
  DLBENCH_CHECK(value.dtype == core::DType::kF32) << value.name;
  return value;
}

std::size_t Executor::watched_count() const {
  std::size_t count = 0;
  for (const std::string& output : options_.watch) {
    count += static_cast<std::size_t>(watched_value(output).shape.elements());
  }
  return count;
}

void Executor::bind_watched() {
  for (const std::string& output : options_.watch) {
    const graph::Value& value = watched_value(output);
    const SlotId slot = lowered_->slot_of_value.at(static_cast<std::size_t>(value.id));
    DLBENCH_CHECK(slot != backend::kNoSlot) << value.name << " was fused away: keep it";
    DLBENCH_CHECK(lowered_->slots[static_cast<std::size_t>(slot)].bytes == value.dense_bytes())
        << value.name << " has a layout of its own";
    watched_.emplace_back(slots_[slot], value.dense_bytes());
  }
}

}  // namespace dlbench::exec
