// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/exec/slot_liveness.h"

#include <algorithm>

namespace dlbench::exec::testing {
namespace {

using backend::LoweredGraph;
using backend::LoweredNode;
using backend::SlotId;

class Player {
 public:
  Player(const LoweredGraph& lowered, const Plan& plan)
      : lowered_(lowered), plan_(plan), writer_(plan.arena_bytes, backend::kNoSlot) {}

  std::string play(const LoweredNode& node) {
    for (const SlotId slot : node.reads) {
      if (const std::string error = check_content(slot, "'" + node.name + "' reads");
          !error.empty()) {
        return error;
      }
    }
    std::vector<SlotId> written;
    for (const SlotId slot : node.writes) {
      if (!in_arena(slot)) {
        continue;
      }
      if (end(slot) > plan_.arena_bytes) {
        return "'" + node.name + "' writes outside the arena: slot " + std::to_string(slot);
      }
      for (const SlotId other : written) {
        if (group(other) != group(slot) && overlap(other, slot)) {
          return "'" + node.name + "' writes slots " + std::to_string(other) + " and " +
                 std::to_string(slot) + " to one place";
        }
      }
      for (const SlotId read : node.reads) {
        if (in_arena(read) && group(read) != group(slot) && overlap(read, slot) &&
            !declared_in_place(node, read, slot)) {
          return "'" + node.name + "' overwrites slot " + std::to_string(read) + " with slot " +
                 std::to_string(slot) + " while it reads it";
        }
      }
      written.push_back(slot);
    }
    for (const SlotId slot : written) {
      std::fill(writer_.begin() + begin(slot), writer_.begin() + finish(slot), group(slot));
    }
    return {};
  }

  [[nodiscard]] std::string check_content(SlotId slot, const std::string& who) const {
    if (!in_arena(slot)) {
      return {};
    }
    if (end(slot) > plan_.arena_bytes) {
      return who + " outside the arena: slot " + std::to_string(slot);
    }
    const auto foreign = std::find_if(writer_.begin() + begin(slot),
                                      writer_.begin() + finish(slot),
                                      [&](SlotId writer) { return writer != group(slot); });
    if (foreign == writer_.begin() + finish(slot)) {
      return {};
    }
    return who + " slot " + std::to_string(slot) +
           (*foreign == backend::kNoSlot
                ? " that nothing wrote"
                : " that slot " + std::to_string(*foreign) + " has overwritten");
  }

 private:
  [[nodiscard]] const backend::Slot& at(SlotId slot) const {
    return lowered_.slots.at(static_cast<std::size_t>(slot));
  }
  // Parts of one slot share its memory by intent.
  [[nodiscard]] SlotId group(SlotId slot) const {
    return at(slot).alias_of == backend::kNoSlot ? slot : group(at(slot).alias_of);
  }
  [[nodiscard]] bool in_arena(SlotId slot) const {
    return at(group(slot)).storage == graph::Storage::kActivation;
  }
  [[nodiscard]] std::size_t offset(SlotId slot) const {
    return plan_.offset_of_slot.at(static_cast<std::size_t>(slot));
  }
  [[nodiscard]] std::size_t end(SlotId slot) const { return offset(slot) + at(slot).bytes; }
  [[nodiscard]] std::ptrdiff_t begin(SlotId slot) const {
    return static_cast<std::ptrdiff_t>(offset(slot));
  }
  [[nodiscard]] std::ptrdiff_t finish(SlotId slot) const {
    return static_cast<std::ptrdiff_t>(end(slot));
  }
  [[nodiscard]] bool overlap(SlotId a, SlotId b) const {
    return offset(a) < end(b) && offset(b) < end(a);
  }
  [[nodiscard]] bool declared_in_place(const LoweredNode& node, SlotId read, SlotId write) const {
    return offset(read) == offset(write) &&
           std::find(node.in_place.begin(), node.in_place.end(), std::pair(read, write)) !=
               node.in_place.end();
  }

  const LoweredGraph& lowered_;
  const Plan& plan_;
  std::vector<SlotId> writer_;  // of each byte of the arena
};

}  // namespace

std::string check_slots(const graph::Graph& graph,
                        const LoweredGraph& lowered,
                        const Plan& plan,
                        const std::vector<graph::ValueId>& keep) {
  Player player(lowered, plan);
  for (const LoweredNode& node : lowered.nodes) {
    if (std::string error = player.play(node); !error.empty()) {
      return error;
    }
  }
  std::vector<graph::ValueId> kept = keep;
  for (const auto& [name, value] : graph.outputs()) {
    kept.push_back(value);
  }
  for (const graph::ValueId value : kept) {
    const SlotId slot = lowered.slot_of_value.at(static_cast<std::size_t>(value));
    if (slot == backend::kNoSlot) {
      return "value " + graph.value(value).name + " has no slot";
    }
    if (std::string error = player.check_content(slot, "the end of the step reads");
        !error.empty()) {
      return error;
    }
  }
  return {};
}

}  // namespace dlbench::exec::testing
