// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How many cores ranks have together.
#pragma once

#include <optional>
#include <set>
#include <vector>

namespace dlbench::harness {

/// The CPUs that ranks of one node may use together.
class NodeCpus {
 public:
  /// One rank: its affinity mask, and the CPU quota of its control groups, such as 1.5.
  void add(const std::vector<int>& mask, std::optional<double> quota);
  /// Hardware threads, at least 1. What several ranks may use counts once, and so does their quota:
  /// the largest, if all have one.
  [[nodiscard]] int cores() const;

 private:
  std::set<int> cpus_;
  std::optional<double> quota_;
  bool unlimited_ = false;  ///< a rank has no quota
};

}  // namespace dlbench::harness
