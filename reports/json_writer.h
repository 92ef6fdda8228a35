// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// RunRecord -> JSON, version 1. The keys are those of record_fields.h and run_fields.h.
#pragma once

#include "reports/record.h"

#include <string>

namespace dlbench::reports {

/// Returns the report as JSON text, ending with a newline. Keys are in the order of the field
/// lists; numbers that are not finite become null (JSON has none); invalid UTF-8 bytes become
/// U+FFFD.
[[nodiscard]] std::string to_json(const RunRecord& record);

/// Writes to_json(record) atomically to `path`, or to standard output for "-". Cheap enough to call
/// after every repetition. Throws Error(kFile), see atomic_file.h.
void write_report(const RunRecord& record, const std::string& path);

}  // namespace dlbench::reports
