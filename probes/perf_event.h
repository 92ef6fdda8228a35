// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Hardware counters of the whole process through perf_event_open(2).
#pragma once

#include <string>

namespace dlbench::probes {

/// Why a counter could not be opened, in words: from the errno of perf_event_open and the value of
/// /proc/sys/kernel/perf_event_paranoid (-2 if unknown).
[[nodiscard]] std::string perf_event_reason(int errno_value, int paranoid);

}  // namespace dlbench::probes
