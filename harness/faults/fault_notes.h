// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the sentinel of one node tells that of rank 0's node: small files beside the report, which
// both nodes see, until the report names the fault.
#pragma once

#include "harness/faults/fault.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace dlbench::harness {

/// A node within its launch.
struct NodeFacts {
  std::string host;
  int ranks = 0;            ///< on this node
  int node = 0;             ///< rank 0 is on node 0
  int nodes = 1;            ///< of the launch
  std::int64_t launch = 0;  ///< the same on all nodes, and no other launch of this minute has it
};

class FaultNotes {
 public:
  FaultNotes(NodeFacts facts, std::string report)
      : facts_(std::move(facts)), report_(std::move(report)) {}

  /// For rank 0's node to find. Throws core::Error(kFile).
  void leave(const Fault& fault) const;
  /// The earliest of the other nodes' faults, by the clocks of their machines.
  [[nodiscard]] std::optional<Fault> find() const;
  /// Removes all notes of this launch.
  void clear() const;

 private:
  [[nodiscard]] std::string path(int node) const;

  NodeFacts facts_;
  std::string report_;
};

}  // namespace dlbench::harness
