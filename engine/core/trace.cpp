// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/trace.h"

namespace dlbench::core::trace {
namespace {

// The one mutable global of the engine besides the registries: probes attach here.
std::atomic<Sink*>& installed() {
  static std::atomic<Sink*> sink{nullptr};
  return sink;
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

void set_sink(Sink* sink) noexcept { installed().store(sink, std::memory_order_release); }

Sink* sink() noexcept { return installed().load(std::memory_order_acquire); }

void name_this_thread(std::string_view name) noexcept {
  if (Sink* current = sink(); current != nullptr) {
    current->name_thread(name);
  }
}

}  // namespace dlbench::core::trace
