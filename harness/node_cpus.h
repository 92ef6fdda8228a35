// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How many cores ranks have together, and for how much of the time.
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
  /// the largest, if all have one, rounded up: for threads.
  [[nodiscard]] int cores() const;
  /// Their time, in processors' worth: of the same CPUs and quota, not rounded. For rates.
  [[nodiscard]] double capacity() const;

 private:
  [[nodiscard]] std::optional<double> quota() const;

  std::set<int> cpus_;
  std::optional<double> quota_;
  bool unlimited_ = false;  ///< a rank has no quota
};

}  // namespace dlbench::harness
