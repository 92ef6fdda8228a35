// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the fastest of several implementations from times that other processes on the machine may
// have disturbed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace dlbench::backend::cpu {

/// The duration of one try of an implementation ("way").
struct Timing {
  double seconds = 0.0;
  std::int64_t switches = 0;  ///< involuntary context switches of this process meanwhile
};

/// Whether a timing is useless: a thread that lost its processor makes all others wait, so that a
/// way of three short parallel parts loses more than one with a single part that takes ten times as
/// long. An occasional switch in a long try does not matter.
[[nodiscard]] bool is_disturbed(const Timing& timing);

/// Returns the index of the way with the shortest undisturbed try. Tries all ways in turn, three
/// times each, and those without an undisturbed try more often; nullopt if one still has none after
/// tries of a quarter of a second in total.
[[nodiscard]] std::optional<std::size_t> fastest(
    std::size_t ways, const std::function<Timing(std::size_t way)>& time_once);

}  // namespace dlbench::backend::cpu
