// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a probe on the device of a run.
#pragma once

#include "engine/backend/backend.h"
#include "probes/probe.h"

#include <string>

namespace dlbench::harness {

/// Returns why a probe for one kind of device does not measure a run on another.
[[nodiscard]] std::string other_device_reason(const std::string& computes_on,
                                              const std::string& watches);

/// Opens a probe for a run on `device`. `record_folder`: where it keeps its recording as
/// <probe>.json, empty: nowhere; `processes`: number of this job's processes on the device. Returns
/// why it does not measure, empty if it does. Warns if a probe for this device cannot be opened.
[[nodiscard]] std::string open_on_device(const backend::DeviceInfo& device,
                                         const std::string& record_folder,
                                         int processes,
                                         probes::Probe& probe);

}  // namespace dlbench::harness
