// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::core {

/// "a,b" -> a, b. What is empty between two commas, or beside one, is a part too, so that "a,,b"
/// and "a," are wrong where parts are read. Of an empty text none.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

}  // namespace dlbench::core
