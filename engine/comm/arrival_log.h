// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// When a rank came to its collectives, as its own clock sees it: for the question which of all
// ranks came last, whose clocks cannot be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dlbench::comm {

/// By how much this rank came before the last one to each collective, of so many at most: beyond
/// that a part of them, drawn by their numbers and so the same on all ranks that make the same
/// collectives. Allocates nothing in add().
class ArrivalLog {
 public:
  static constexpr std::size_t kMax = 1024;

  ArrivalLog() { entries_.reserve(kMax); }
  /// Of the next collective, seconds; nothing: it is not known.
  void add(std::optional<double> ahead_s);
  /// What was kept since the last call, in the order of the collectives; starts afresh.
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
