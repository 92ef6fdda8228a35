// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Parses untrusted JSON text, for the sources of this folder and its subfolders (needs
// nlohmann/json).
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace dlbench::reports {

/// Parses `text`. Throws Error(kData) "<name>: not JSON: ..." in one line, also for nesting deeper
/// than kMaxJsonDepth and numbers that do not fit into a double.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& name);

/// Throws Error(kData) "<name>: ..." in one line unless the document is a dlbench report of the
/// version that this program reads.
void check_is_report(const nlohmann::json& document, const std::string& name);

/// Makes text from a file printable in one line of a message: control and non-ASCII bytes become
/// '?', and text beyond 120 bytes is cut.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace dlbench::reports
