// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Choice of an implementation by measuring the candidates on buffers of the real sizes.
#pragma once

#include "engine/backend/cpu/onednn_internal.h"
#include "engine/backend/lowering.h"
#include "engine/core/host_allocator.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace dlbench::backend::cpu {

/// One way to do a node: primitives run in this order.
struct Candidate {
  std::string name;  ///< "direct", "winograd", "channels_last", ...
  std::vector<Primitive> steps;
};

/// What a node is called in decisions, and what its choice depends on.
struct TuningKey {
  std::string decision;  ///< "<node>|<direction>"
  std::string problem;   ///< shapes, attributes, dtype
};

/// Picks candidates: from given decisions, from the cache file, by measuring, or by rule, in this
/// order. One per lower() call; frees its buffers when done.
class Tuner {
 public:
  /// `machine`: what times depend on besides the problem (isa, threads, library version).
  Tuner(const LoweringOptions& options, std::string machine);

  /// Index of the candidate to use; candidates is not empty, the first is the default.
  /// `preferred`: the choice where nothing is measured; must be one of the names or empty.
  [[nodiscard]] std::size_t choose(const TuningKey& key,
                                   const std::vector<Candidate>& candidates,
                                   const std::string& preferred);

  /// Writes new measurements to the cache file, if there is one. Throws core::Error(kFile).
  void save() const;

 private:
  void load();
  [[nodiscard]] std::string measure(const std::vector<Candidate>& candidates);
  [[nodiscard]] double seconds_of(const Candidate& candidate);
  [[nodiscard]] dnnl::memory buffer(std::size_t index, const MemoryDesc& desc);

  const LoweringOptions& options_;
  std::string machine_;
  std::map<std::string, std::string> known_;  ///< problem and machine -> candidate
  bool changed_ = false;
  std::vector<core::HostBlock> buffers_;
};

}  // namespace dlbench::backend::cpu
