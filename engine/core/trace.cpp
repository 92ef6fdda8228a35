// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/trace.h"

#include <cstddef>
#include <mutex>
#include <vector>

namespace dlbench::core::trace {
namespace {

// The one mutable global of the engine besides the registries: probes attach here.
std::atomic<Sink*>& installed() {
  static std::atomic<Sink*> sink{nullptr};
  return sink;
}

// The nodes of the graph that was captured last: their ops, in the order of capture.
struct CapturedGraph {
  std::mutex mutex;
  std::vector<std::int64_t> ops;
};

CapturedGraph& captured() {
  static CapturedGraph graph;
  return graph;
}

}  // namespace

std::string_view name(Category category) {
  switch (category) {
    case Category::kTrial:
      return "trial";
    case Category::kRepetition:
      return "repetition";
    case Category::kStep:
      return "step";
    case Category::kPhase:
      return "phase";
    case Category::kOp:
      return "op";
    case Category::kLoader:
      return "loader";
    case Category::kComm:
      return "comm";
  }
  return "?";
}

void set_sink(Sink* sink) noexcept {
  if (sink != nullptr) {
    const std::lock_guard lock(captured().mutex);
    for (std::size_t node = 0; node < captured().ops.size(); ++node) {
      sink->map_captured_node(node, captured().ops[node]);
    }
  }
  installed().store(sink, std::memory_order_release);
}

void map_captured_node(std::uint64_t captured_node, std::int64_t op_id) {
  const std::lock_guard lock(captured().mutex);
  captured().ops.resize(captured_node, -1);
  captured().ops.push_back(op_id);
  if (Sink* current = sink(); current != nullptr) {
    current->map_captured_node(captured_node, op_id);
  }
}

Sink* sink() noexcept { return installed().load(std::memory_order_acquire); }

void name_this_thread(std::string_view name) noexcept {
  if (Sink* current = sink(); current != nullptr) {
    current->name_thread(name);
  }
}

}  // namespace dlbench::core::trace
