// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks a report against the schema, and its arithmetic. json_reader.h reads it.
#pragma once

#include "reports/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::reports {

/// One problem and its place: "trials[0].throughput.samples_per_second".
struct Problem {
  std::string path;
  std::string message;
};

/// Checks any text: the schema first and, if that holds, the arithmetic. Returns the problems;
/// empty if all is well. `name` is the file's name for messages. Throws Error(kData) for text that
/// is not a report, or one of another version.
[[nodiscard]] std::vector<Problem> validate_report(std::string_view text, const std::string& name);

/// Checks the arithmetic only: recomputes everything that follows from the rest of the report with
/// the code that wrote it, and compares (docs/report-format.md, "What validation computes", has the
/// list). Relative tolerance 1e-6 unless a comment in the sources explains otherwise. Any report
/// that dlbench wrote passes, including partial or failed ones.
[[nodiscard]] std::vector<Problem> check_arithmetic(const RunRecord& record);

/// Formats a problem in one line: "path: message".
[[nodiscard]] std::string to_line(const Problem& problem);

}  // namespace dlbench::reports
