// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON -> RunRecord. Takes any bytes: what is not a report of this version is one clear line, never
// a crash. Whether a readable report is also right is validate.h's question.
#pragma once

#include "reports/record.h"

#include <optional>
#include <string>
#include <string_view>

namespace dlbench::reports {

/// Objects and lists within each other, at most; a report has about 12.
inline constexpr int kMaxJsonDepth = 64;

/// Parses a report. `name` is the file's name for messages. Throws Error(kData), one line, for text
/// that is not JSON (with the line), for another schema or version, and for a member that is
/// missing, of the wrong type or an unknown word (with its path). Unknown keys are ignored: later
/// minor versions add some. A null number within a list (a loss that was not finite) becomes NaN.
[[nodiscard]] RunRecord parse_report(std::string_view text, const std::string& name);

/// Throws Error(kData) as parse_report does for text that is not JSON, with line and column.
void check_json(std::string_view text, const std::string& name);

/// The whole file, "-" for the standard input. Throws Error(kFile) if it cannot be read,
/// Error(kData) above 512 MiB, and Error(kTimeout) for a pipe that has not ended `within_s` seconds
/// after the call, if given.
[[nodiscard]] std::string read_text_file(const std::string& path,
                                         std::optional<double> within_s = std::nullopt);

/// parse_report of a file.
[[nodiscard]] RunRecord read_report(const std::string& path);

}  // namespace dlbench::reports
