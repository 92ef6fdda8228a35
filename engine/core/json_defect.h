// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Defects of JSON texts that the grammar allows but that a reader should reject.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlbench::core {

struct JsonDefect {
  bool too_deep = false;  ///< nested deeper than allowed
  std::string
      twice_key;  ///< otherwise: a duplicate key of an object; readers disagree on which counts
};

/// Returns the first defect of a JSON text without storing its values, in time linear in its length
/// (the library's own parser with a callback revisits all values of an object after each). nullopt
/// if there is none, and also for a text that is not JSON, which its parser reports.
[[nodiscard]] std::optional<JsonDefect> json_defect(std::string_view text, int max_depth);

}  // namespace dlbench::core
