// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Is a report right? Against the schema, and in its arithmetic. Reading it is json_reader.h.
#pragma once

#include "reports/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::reports {

/// One thing that is wrong, and where: "trials[0].throughput.samples_per_second".
struct Problem {
  std::string path;
  std::string message;
};

/// Checks any text: the schema first and, if that holds, the arithmetic. Empty: all is well. `name`
/// is the file's name for messages. Throws Error(kData) for what is no report at all, or of another
/// version.
[[nodiscard]] std::vector<Problem> validate_report(std::string_view text, const std::string& name);

/// The arithmetic alone: everything that follows from the rest of the report is computed again, by
/// the code that wrote it, and compared. What that is: docs/report-format.md, "What validation
/// computes". Relative tolerance 1e-6 unless a comment in the sources says why not. A report that
/// dlbench wrote passes, a partial or failed one too.
[[nodiscard]] std::vector<Problem> check_arithmetic(const RunRecord& record);

/// One line for a problem: "path: message".
[[nodiscard]] std::string to_line(const Problem& problem);

}  // namespace dlbench::reports
