// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of several ways is the fastest, told by times that others on the machine may have
// disturbed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace dlbench::backend::cpu {

/// How long one try of a way took.
struct Timing {
  double seconds = 0.0;
  std::int64_t switches = 0;  ///< how often a thread of this process lost its processor meanwhile
};

/// Whether that says nothing of the way: a thread that lost its processor makes all others wait, so
/// a way of three short parallel parts loses more than one of a single part that works ten times as
/// long. A switch now and then in a long try is nothing.
[[nodiscard]] bool is_disturbed(const Timing& timing);

/// Index of the way with the shortest undisturbed try, of three each, in turn, and of more where
/// one of them had none. Nothing if it has none after a quarter of a second, which must pass in
/// tries.
[[nodiscard]] std::optional<std::size_t> fastest(
    std::size_t ways, const std::function<Timing(std::size_t way)>& time_once);

}  // namespace dlbench::backend::cpu
