// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Choice of an implementation by measuring the candidates on buffers of the real sizes.
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

/// One way to do a node: primitives run in this order.
struct Candidate {
  std::string name;  ///< "direct", "winograd", "channels_last", ...
  std::vector<Primitive> steps;
};

/// Picks candidates, measuring them where it has to. One per lower() call; frees its buffers when
/// done.
class Tuner {
 public:
  explicit Tuner(Choices& choices) : choices_(choices) {}

  /// Index of the candidate to use; candidates is not empty, the first is the default.
  /// `preferred`: the choice where nothing is measured; must be one of the names or empty.
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
