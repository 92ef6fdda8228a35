// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of a report that describes the machines: hosts, their processors and GPUs, scheduler,
// environment.
#pragma once

#include "engine/comm/rendezvous.h"
#include "reports/record.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dlbench::harness {

/// This host with its rank 0, the scheduler and the environment as found.
void describe_system(reports::SystemRecord& system);

/// Hosts, ranks and library of the launch, in place of the lone host of describe_system().
/// Collective.
void describe_launch(comm::Rendezvous& ranks, reports::SystemRecord& system);

/// UUID of the GPU of the rank's host that has this address; none: not known.
[[nodiscard]] std::optional<std::string> gpu_uuid(const reports::SystemRecord& system,
                                                  std::int64_t rank,
                                                  const std::string& address);

/// The UUIDs of the ranks' devices, as the GPUs of their hosts have them.
void name_devices(const reports::SystemRecord& system, reports::TrialRecord& trial);

}  // namespace dlbench::harness
