// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/plan.h"

#include "engine/core/check.h"
#include "engine/core/fnv1a.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace dlbench::exec {
namespace {

using backend::LoweredGraph;
using backend::LoweredNode;
using backend::SlotId;

struct Lifetime {
  int first = -1;
  int last = -1;
};

// The slot that owns the memory of `slot`.
SlotId root_of(const LoweredGraph& lowered, SlotId slot) {
  while (lowered.slots[static_cast<std::size_t>(slot)].alias_of != backend::kNoSlot) {
    slot = lowered.slots[static_cast<std::size_t>(slot)].alias_of;
  }
  return slot;
}

bool in_arena(const backend::Slot& slot) { return slot.storage == graph::Storage::kActivation; }

class Planner {
 public:
  Planner(const graph::Graph& graph,
          const LoweredGraph& lowered,
          const std::vector<graph::ValueId>& keep)
      : lowered_(lowered), lifetimes_(lowered.slots.size()), owner_(lowered.slots.size()) {
    for (std::size_t slot = 0; slot < owner_.size(); ++slot) {
      owner_[slot] = root_of(lowered, static_cast<SlotId>(slot));
      DLBENCH_CHECK(in_arena(lowered.slots[slot]) == in_arena(slot_at(owner_[slot])))
          << "slot " << slot << " is a part of memory outside the arena";
    }
    find_lifetimes();
    for (const auto& [name, value] : graph.outputs()) {
      keep_to_end(value);
    }
    for (const graph::ValueId value : keep) {
      keep_to_end(value);
    }
    share_in_place();
  }

  [[nodiscard]] Plan run(const graph::Graph& graph) const {
    Plan plan;
    std::vector<graph::BlockRequest> requests;
    for (std::size_t slot = 0; slot < lowered_.slots.size(); ++slot) {
      const bool owns = owner_[slot] == static_cast<SlotId>(slot);
      if (!in_arena(lowered_.slots[slot]) || !owns || lifetimes_[slot].first < 0) {
        continue;
      }
      const std::size_t bytes = bytes_of_group(static_cast<SlotId>(slot));
      requests.push_back({bytes, lifetimes_[slot].first, lifetimes_[slot].last});
      plan.placements.push_back({.slot = static_cast<SlotId>(slot),
                                 .bytes = bytes,
                                 .first = lifetimes_[slot].first,
                                 .last = std::min(lifetimes_[slot].last, end_of_step() - 1)});
    }
    const graph::MemoryPlan memory = graph::plan_memory(requests, kArenaAlignment);
    for (std::size_t index = 0; index < requests.size(); ++index) {
      plan.placements[index].offset = memory.offsets[index];
    }
    plan.arena_bytes = memory.peak_bytes;
    plan.lower_bound_bytes = memory.lower_bound_bytes;
    fill_offsets(plan);
    fill_scratch(plan);
    plan.hash = hash(graph, plan);
    return plan;
  }

 private:
  [[nodiscard]] const backend::Slot& slot_at(SlotId slot) const {
    return lowered_.slots[static_cast<std::size_t>(slot)];
  }

  // The time after the last node: memory that lives until then is not reused by any node.
  [[nodiscard]] int end_of_step() const { return static_cast<int>(lowered_.nodes.size()); }

  void touch(SlotId slot, int step) {
    Lifetime& life = lifetimes_[static_cast<std::size_t>(owner_[static_cast<std::size_t>(slot)])];
    life.first = life.first < 0 ? step : std::min(life.first, step);
    life.last = std::max(life.last, step);
  }

  void find_lifetimes() {
    for (std::size_t step = 0; step < lowered_.nodes.size(); ++step) {
      const LoweredNode& node = lowered_.nodes[step];
      for (const auto* slots : {&node.reads, &node.writes}) {
        for (const SlotId slot : *slots) {
          touch(slot, static_cast<int>(step));
          if (node.stream != backend::NodeStream::kCompute) {
            touch(slot, end_of_step());
          }
        }
      }
    }
  }

  void keep_to_end(graph::ValueId value) {
    const SlotId slot = lowered_.slot_of_value.at(static_cast<std::size_t>(value));
    DLBENCH_CHECK(slot != backend::kNoSlot) << "an output lost its slot: value " << value;
    touch(slot, end_of_step());
  }

  // Lets a node write a result to the memory of an operand, if allowed and the operand dies there.
  void share_in_place() {
    for (std::size_t step = 0; step < lowered_.nodes.size(); ++step) {
      const LoweredNode& node = lowered_.nodes[step];
      std::vector<SlotId> taken;
      for (const auto& [read, write] : node.in_place) {
        const SlotId source = owner_[static_cast<std::size_t>(read)];
        const SlotId target = owner_[static_cast<std::size_t>(write)];
        if (std::find(taken.begin(), taken.end(), source) != taken.end() ||
            !may_share(node, static_cast<int>(step), read, write)) {
          continue;
        }
        taken.push_back(source);
        const Lifetime joined{lifetimes_[static_cast<std::size_t>(source)].first,
                              lifetimes_[static_cast<std::size_t>(target)].last};
        std::replace(owner_.begin(), owner_.end(), target, source);
        lifetimes_[static_cast<std::size_t>(source)] = joined;
      }
    }
  }

  [[nodiscard]] bool may_share(const LoweredNode& node, int step, SlotId read, SlotId write) const {
    const SlotId source = owner_[static_cast<std::size_t>(read)];
    const SlotId target = owner_[static_cast<std::size_t>(write)];
    const bool both_owned = in_arena(slot_at(source)) && in_arena(slot_at(target));
    const bool dies = lifetimes_[static_cast<std::size_t>(source)].last == step &&
                      lifetimes_[static_cast<std::size_t>(target)].first == step;
    return source != target && both_owned && dies &&
           bytes_of_group(source) >= bytes_of_group(target) &&
           // Each element at the same address, not shifted.
           offset_in_owner(read) == offset_in_owner(write) &&
           // The node must not use other parts of the two: they would be overwritten while read.
           !touches_other_part(node.reads, source, read) &&
           !touches_other_part(node.writes, target, write);
  }

  [[nodiscard]] bool touches_other_part(const std::vector<SlotId>& operands,
                                        SlotId owner,
                                        SlotId part) const {
    return std::any_of(operands.begin(), operands.end(), [&](SlotId slot) {
      return slot != part && owner_[static_cast<std::size_t>(slot)] == owner;
    });
  }

  // Bytes from the start of the owner's memory; slots that share in place start together.
  [[nodiscard]] std::size_t offset_in_owner(SlotId slot) const {
    std::size_t offset = 0;
    for (; slot_at(slot).alias_of != backend::kNoSlot; slot = slot_at(slot).alias_of) {
      offset += slot_at(slot).alias_offset;
    }
    return offset;
  }

  [[nodiscard]] std::size_t bytes_of_group(SlotId owner) const { return slot_at(owner).bytes; }

  void fill_offsets(Plan& plan) const {
    std::map<SlotId, std::size_t> offset_of_owner;
    for (const SlotPlacement& placement : plan.placements) {
      offset_of_owner[placement.slot] = placement.offset;
    }
    plan.offset_of_slot.assign(lowered_.slots.size(), Plan::kNotInArena);
    for (std::size_t slot = 0; slot < lowered_.slots.size(); ++slot) {
      const auto base = offset_of_owner.find(owner_[slot]);
      if (base == offset_of_owner.end()) {
        continue;
      }
      plan.offset_of_slot[slot] = base->second + offset_in_owner(static_cast<SlotId>(slot));
    }
  }

  void fill_scratch(Plan& plan) const {
    for (const LoweredNode& node : lowered_.nodes) {
      const auto stream = static_cast<std::size_t>(node.stream);
      plan.scratch_bytes.resize(std::max(plan.scratch_bytes.size(), stream + 1), 0);
      plan.scratch_bytes[stream] = std::max(plan.scratch_bytes[stream], node.scratch_bytes);
    }
    plan.peak_bytes = plan.arena_bytes;
    for (const std::size_t bytes : plan.scratch_bytes) {
      plan.peak_bytes += bytes;
    }
  }

  [[nodiscard]] std::uint64_t hash(const graph::Graph& graph, const Plan& plan) const {
    core::Fnv1a hash;
    const auto add_text = [&hash](std::string_view text) {
      hash.add(text);
      hash.add(std::uint64_t{text.size()});
    };
    hash.add(graph.hash());
    for (const LoweredNode& node : lowered_.nodes) {
      add_text(node.kernel_name);
    }
    for (const backend::Slot& slot : lowered_.slots) {
      add_text(slot.layout);
      hash.add(std::uint64_t{slot.bytes});
    }
    for (const std::size_t offset : plan.offset_of_slot) {
      hash.add(std::uint64_t{offset});
    }
    return hash.value();
  }

  const LoweredGraph& lowered_;
  std::vector<Lifetime> lifetimes_;
  std::vector<SlotId> owner_;
};

}  // namespace

Plan make_plan(const graph::Graph& graph,
               const LoweredGraph& lowered,
               const std::vector<graph::ValueId>& keep) {
  return Planner(graph, lowered, keep).run(graph);
}

}  // namespace dlbench::exec
