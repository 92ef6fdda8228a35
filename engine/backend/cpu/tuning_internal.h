// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses an implementation by measuring the candidates on buffers of the real sizes.
#pragma once

#include "engine/backend/cpu/fastest_internal.h"
#include "engine/backend/cpu/onednn_internal.h"
#include "engine/backend/tuning.h"
#include "engine/core/host_allocator.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::backend::cpu {

/// One way to compute a node: primitives that run in this order.
struct Candidate {
  std::string name;  ///< "direct", "winograd", "channels_last", ...
  std::vector<Primitive> steps;
};

/// Chooses candidates, measuring them if necessary. One per lower() call; the destructor frees its
/// buffers.
class Tuner {
 public:
  explicit Tuner(Choices& choices) : choices_(choices) {}

  /// Returns the index of the candidate to use; candidates must not be empty. `preferred` is the
  /// choice if nothing is measured; if it is not among the names, the first candidate is.
  [[nodiscard]] std::size_t choose(const TuningKey& key,
                                   const std::vector<Candidate>& candidates,
                                   const std::string& preferred);

 private:
  [[nodiscard]] std::optional<std::size_t> measure(const std::vector<Candidate>& candidates);
  [[nodiscard]] Timing time_once(const Candidate& candidate);
  [[nodiscard]] dnnl::memory buffer(std::size_t index, const MemoryDesc& desc);

  Choices& choices_;
  std::vector<core::HostBlock> buffers_;
};

}  // namespace dlbench::backend::cpu
