// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What JSON's grammar allows and those who read it should not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlbench::core {

struct JsonDefect {
  bool too_deep = false;  ///< nested deeper than allowed
  std::string
      twice_key;  ///< else: what an object has twice, of which readers take one or the other
};

/// The first defect of a text before any value of it is stored, in time that grows as the text does
/// (the library's own parser with a callback looks at all values of an object after each). Nothing:
/// there is none, or the text is no JSON, which its parser says.
[[nodiscard]] std::optional<JsonDefect> json_defect(std::string_view text, int max_depth);

}  // namespace dlbench::core
