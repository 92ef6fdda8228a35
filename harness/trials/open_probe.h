// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A probe on the device of a run.
#pragma once

#include "engine/backend/backend.h"
#include "probes/probe.h"

#include <string>

namespace dlbench::harness {

/// Why a probe of one kind of device does not measure a run on another.
[[nodiscard]] std::string other_device_reason(const std::string& computes_on,
                                              const std::string& watches);

/// Opens a probe for a run on `device`; `record_folder`: where it keeps what it saw, as
/// <probe>.json, empty: nowhere; `processes`: of this job on that device. Returns why it does not
/// measure, empty: it does. A probe of a device that cannot be opened is warned of.
[[nodiscard]] std::string open_on_device(const backend::DeviceInfo& device,
                                         const std::string& record_folder,
                                         int processes,
                                         probes::Probe& probe);

}  // namespace dlbench::harness
