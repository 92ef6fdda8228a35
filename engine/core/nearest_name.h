// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The one place that makes messages like "unknown workload 'resunetp'; did you mean 'resunetpp'?".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dlbench::core {

/// The only candidate that begins with `name` (of three letters or more); otherwise the one with
/// the smallest edit distance (insertion, deletion, replacement, swap of neighbours; case is
/// ignored); empty if all distances exceed a third of the longer name, rounded up.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       std::span<const std::string> candidates);

/// One line: unknown <kind> '<name>'; did you mean '<nearest>'? known: a, b, c
/// or, if no name is near: unknown <kind> '<name>'; known: a, b, c
[[nodiscard]] std::string unknown_name_message(std::string_view kind,
                                               std::string_view name,
                                               std::span<const std::string> candidates);

}  // namespace dlbench::core
