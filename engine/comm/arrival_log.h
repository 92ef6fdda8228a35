// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// By how much a rank came before the last one to its collectives, on its own clock: shows which
// rank came last although the clocks of ranks cannot be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dlbench::comm {

/// By how much this rank came before the last one to each collective. Keeps at most kMax entries:
/// beyond that a sample of the collectives, chosen by their numbers and so the same on all ranks
/// that run the same collectives. add() allocates nothing.
class ArrivalLog {
 public:
  static constexpr std::size_t kMax = 1024;

  ArrivalLog() { entries_.reserve(kMax); }
  /// Adds the next collective, in seconds; nullopt if unknown.
  void add(std::optional<double> ahead_s);
  /// Returns the entries kept since the last call, in order of the collectives, and starts afresh.
  [[nodiscard]] std::vector<double> take();

 private:
  struct Entry {
    std::uint64_t number;
    double ahead_s;
  };
  [[nodiscard]] bool drawn(std::uint64_t number) const;

  std::vector<Entry> entries_;
  std::uint64_t next_ = 0;
  std::uint64_t one_of_ = 1;  ///< a power of two
};

}  // namespace dlbench::comm
