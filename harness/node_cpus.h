// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The number of cores that ranks have together, and their share of CPU time.
#pragma once

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

}  // namespace dlbench::harness
