// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON -> RunRecord. Accepts any bytes: anything but a report of this version gives one clear line
// of error, never a crash. validate.h checks whether a readable report is also right.
#pragma once

#include "reports/record.h"

#include <optional>
#include <string>
#include <string_view>

namespace dlbench::reports {

/// Maximum nesting of objects and lists; a report has about 12 levels.
inline constexpr int kMaxJsonDepth = 64;

/// Parses a report. `name` is the file's name for messages. Throws Error(kData), one line, for text
/// that is not JSON (with the line), for another schema or version, and for a member that is
/// missing, of the wrong type or an unknown word (with its path). Ignores unknown keys, which later
/// minor versions may add. A null number in a list (a loss that was not finite) becomes NaN.
[[nodiscard]] RunRecord parse_report(std::string_view text, const std::string& name);

/// Throws Error(kData) with line and column, as parse_report() does, for text that is not JSON.
void check_json(std::string_view text, const std::string& name);

/// Returns the contents of a file, or of standard input for "-". Throws Error(kFile) if it cannot
/// be read, Error(kData) above 512 MiB, and Error(kTimeout) for a pipe that has not ended
/// `within_s` seconds after the call, if given.
[[nodiscard]] std::string read_text_file(const std::string& path,
                                         std::optional<double> within_s = std::nullopt);

/// Calls parse_report() for a file.
[[nodiscard]] RunRecord read_report(const std::string& path);

}  // namespace dlbench::reports
