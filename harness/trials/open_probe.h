// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a probe on the device of a run.
#pragma once

#include "engine/backend/backend.h"
#include "probes/probe.h"

#include <cstdint>
#include <string>

namespace dlbench::harness {

/// Returns why a probe for one kind of device does not measure a run on another.
[[nodiscard]] std::string other_device_reason(const std::string& computes_on,
                                              const std::string& watches);

/// What a probe that cannot be opened on its kind of device leaves beside the reason.
enum class OpenFailure : std::uint8_t { kWarns, kIsSilent };

/// Opens a probe for a run on `device`. `record_folder`: where it keeps its recording as
/// <probe>.json, empty: nowhere; `processes`: number of this job's processes on the device. Returns
/// why it does not measure, empty if it does.
[[nodiscard]] std::string open_on_device(const backend::DeviceInfo& device,
                                         const std::string& record_folder,
                                         int processes,
                                         probes::Probe& probe,
                                         OpenFailure failure = OpenFailure::kWarns);

}  // namespace dlbench::harness
