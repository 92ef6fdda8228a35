// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/split_list.h"

#include <cstddef>

namespace dlbench::core {

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  for (bool more = !text.empty(); more;) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    more = comma != std::string_view::npos;
    text = more ? text.substr(comma + 1) : std::string_view();
  }
  return parts;
}

}  // namespace dlbench::core
