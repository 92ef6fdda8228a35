// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The time of day as reports write it.
#pragma once

#include <string>

namespace dlbench::harness {

/// "2026-01-31T12:00:00Z", now.
[[nodiscard]] std::string utc_now();

}  // namespace dlbench::harness
