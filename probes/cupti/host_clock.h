// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One clock for the host's regions and for what CUPTI tells of the device.
#pragma once

#include <string>

namespace dlbench::probes {

/// Makes CUPTI give its times in nanoseconds of the steady clock, as regions have them: before
/// anything is recorded or sampled, since what was recorded before keeps its own. CUPTI is told
/// once per process, however often this is called: told again between two recordings, it gives the
/// first kernels of the later one times of another clock (seen by others with CUPTI 13, pytorch
/// issue 192021). Returns an empty text or why it refuses.
[[nodiscard]] std::string set_host_clock();

}  // namespace dlbench::probes
