// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/trace.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace dlbench::core::trace {
namespace {

// The one mutable global of the engine besides the registries: probes attach here.
std::atomic<Sink*>& installed() {
  static std::atomic<Sink*> sink{nullptr};
  return sink;
}

// The number of installations so far: two successive sinks may have the same address.
std::atomic<std::uint64_t>& installation() {
  static std::atomic<std::uint64_t> count{0};
  return count;
}

struct ThreadName {
  std::array<char, 64> text{};
  std::size_t length = 0;  // 0: none
  std::uint64_t told = 0;  // the installation that was told the name; 0: none
};

ThreadName& this_thread() {
  thread_local ThreadName name;
  return name;
}

// The ops of the nodes of the graph captured last, in the order of capture.
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
  installation().fetch_add(1, std::memory_order_release);
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
  ThreadName& own = this_thread();
  own.length = std::min(name.size(), own.text.size());
  std::copy_n(name.begin(), own.length, own.text.begin());
  own.told = 0;
  if (Sink* current = sink(); current != nullptr) {
    tell_name(*current);
  }
}

void tell_name(Sink& sink) noexcept {
  ThreadName& own = this_thread();
  const std::uint64_t current = installation().load(std::memory_order_acquire);
  if (own.length > 0 && own.told != current) {
    own.told = current;
    sink.name_thread({own.text.data(), own.length});
  }
}

}  // namespace dlbench::core::trace
