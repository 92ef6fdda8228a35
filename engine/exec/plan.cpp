// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/plan.h"

#include "engine/core/check.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace dlbench::exec {
namespace {

using backend::LoweredGraph;
using backend::LoweredNode;
using backend::SlotId;

constexpr std::size_t kAlignment = 256;  // bytes: what cuDNN and the widest vectors like

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
    }
    find_lifetimes();
    const int end = static_cast<int>(lowered.nodes.size()) - 1;
    for (const auto& [name, value] : graph.outputs()) {
      keep_to_end(value, end);
    }
    for (const graph::ValueId value : keep) {
      keep_to_end(value, end);
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
                                 .last = lifetimes_[slot].last});
    }
    const graph::MemoryPlan memory = graph::plan_memory(requests, kAlignment);
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
          if (node.stream != 0) {
            touch(slot, static_cast<int>(lowered_.nodes.size()) - 1);
          }
        }
      }
    }
  }

  void keep_to_end(graph::ValueId value, int end) {
    const SlotId slot = lowered_.slot_of_value.at(static_cast<std::size_t>(value));
    DLBENCH_CHECK(slot != backend::kNoSlot) << "an output lost its slot: value " << value;
    touch(slot, end);
  }

  // Joins a write with the read whose memory it may take, where the read dies at that node.
  void share_in_place() {
    for (std::size_t step = 0; step < lowered_.nodes.size(); ++step) {
      for (const auto& [read, write] : lowered_.nodes[step].in_place) {
        const SlotId source = owner_[static_cast<std::size_t>(read)];
        const SlotId target = owner_[static_cast<std::size_t>(write)];
        const Lifetime& source_life = lifetimes_[static_cast<std::size_t>(source)];
        const Lifetime& target_life = lifetimes_[static_cast<std::size_t>(target)];
        const bool both_owned = in_arena(lowered_.slots[static_cast<std::size_t>(source)]) &&
                                in_arena(lowered_.slots[static_cast<std::size_t>(target)]);
        const bool fits = bytes_of_group(source) >= bytes_of_group(target);
        const bool dies = source_life.last == static_cast<int>(step) &&
                          target_life.first == static_cast<int>(step);
        if (source == target || !both_owned || !fits || !dies) {
          continue;
        }
        const Lifetime joined{source_life.first, target_life.last};
        for (SlotId& owner : owner_) {
          if (owner == target) {
            owner = source;
          }
        }
        lifetimes_[static_cast<std::size_t>(source)] = joined;
      }
    }
  }

  [[nodiscard]] std::size_t bytes_of_group(SlotId owner) const {
    return lowered_.slots[static_cast<std::size_t>(owner)].bytes;
  }

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
      std::size_t offset = base->second;
      for (auto part = static_cast<SlotId>(slot);
           lowered_.slots[static_cast<std::size_t>(part)].alias_of != backend::kNoSlot;
           part = lowered_.slots[static_cast<std::size_t>(part)].alias_of) {
        offset += lowered_.slots[static_cast<std::size_t>(part)].alias_offset;
      }
      plan.offset_of_slot[slot] = offset;
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
    std::uint64_t hash = graph.hash();
    const auto mix = [&hash](std::uint64_t word) { hash = (hash ^ word) * 1099511628211ULL; };
    for (const LoweredNode& node : lowered_.nodes) {
      for (const char c : node.kernel_name) {
        mix(static_cast<unsigned char>(c));
      }
    }
    for (const std::size_t offset : plan.offset_of_slot) {
      mix(offset);
    }
    return hash;
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
