// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// "unknown workload 'resunetp'; did you mean 'resunetpp'?": the one place that makes such a line.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dlbench::core {

/// The only candidate that begins with `name` (of three letters or more); else the one with the
/// smallest edit distance (insert, delete, replace, swap of neighbours; case is no difference), or
/// empty when none is near (distance above a third of the longer one, rounded up).
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       std::span<const std::string> candidates);

/// One line: unknown <kind> '<name>'; did you mean '<nearest>'? known: a, b, c
/// or unknown <kind> '<name>'; known: a, b, c
[[nodiscard]] std::string unknown_name_message(std::string_view kind,
                                               std::string_view name,
                                               std::span<const std::string> candidates);

}  // namespace dlbench::core
