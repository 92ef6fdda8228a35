// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The number of cores that ranks have together, and their share of CPU time.
#pragma once

#include "engine/comm/rendezvous.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace dlbench::harness {

/// The CPUs that ranks of one node may use together.
class NodeCpus {
 public:
  /// Adds one rank: its affinity mask, and the CPU quota of its control groups, such as 1.5.
  void add(const std::vector<int>& mask, std::optional<double> quota);
  /// Returns the number of hardware threads, at least 1, for choosing thread counts. CPUs usable by
  /// several ranks count once; if all ranks have a quota, the largest one, rounded up, is a limit.
  [[nodiscard]] int cores() const;
  /// Returns their CPU time in processors, from the same CPUs and quota, not rounded: for rates.
  [[nodiscard]] double capacity() const;

 private:
  [[nodiscard]] std::optional<double> quota() const;

  std::set<int> cpus_;
  std::optional<double> quota_;
  bool unlimited_ = false;  ///< a rank has no quota
};

/// The CPUs that ranks of a launch may use together, each of a machine counted once: nodes of one
/// machine (containers) may have the same, each with a quota of its own.
class LaunchCpus {
 public:
  /// One rank, as NodeCpus::add() has it.
  void add(const comm::RankPlace& place, const std::vector<int>& mask, std::optional<double> quota);
  [[nodiscard]] int cores() const;        ///< NodeCpus::cores() of all
  [[nodiscard]] double capacity() const;  ///< NodeCpus::capacity() of all

 private:
  struct Machine {
    NodeCpus all;                   ///< without quotas
    std::map<int, NodeCpus> nodes;  ///< by RankPlace::node
  };
  /// Of the nodes of each machine, and at most that of the machine without quotas.
  template <typename Value>
  [[nodiscard]] Value sum(Value (NodeCpus::*value)() const) const;

  std::map<int, Machine> machines_;  ///< by RankPlace::machine
};

}  // namespace dlbench::harness
