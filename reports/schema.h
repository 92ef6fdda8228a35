// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The JSON Schema of the report, compiled into the program.
#pragma once

#include <string_view>

namespace dlbench::reports {

/// Returns the text of schema/report.v1.schema.json (JSON Schema 2020-12; only keywords with the
/// same meaning in draft 7, and none next to a "$ref", so that validators of either draft agree).
[[nodiscard]] std::string_view report_schema();

}  // namespace dlbench::reports
