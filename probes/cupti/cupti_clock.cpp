// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/cupti_clock.h"

#include "engine/core/error.h"
#include "probes/cupti/cupti_status.h"

#include <cupti.h>

#include <cstdint>

namespace dlbench::probes {

ClockReading read_cupti_clock() {
  return read_clocks([] {
    std::uint64_t now_ns = 0;
    check_cupti(cuptiGetTimestamp(&now_ns), "cuptiGetTimestamp", core::ErrorCode::kUnavailable);
    return static_cast<std::int64_t>(now_ns);
  });
}

}  // namespace dlbench::probes
