// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of a report that describes the machines: hosts with processors and GPUs, scheduler,
// environment.
#pragma once

#include "engine/comm/rendezvous.h"
#include "reports/record.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dlbench::harness {

/// Describes this host with rank 0 on it, and scheduler and environment as found.
void describe_system(reports::SystemRecord& system);

/// Describes hosts, ranks and MPI library of the launch, replacing the lone host of
/// describe_system(). Collective.
void describe_launch(comm::Rendezvous& ranks, reports::SystemRecord& system);

/// Returns the UUID of the GPU with this address on the rank's host; nothing if unknown.
[[nodiscard]] std::optional<std::string> gpu_uuid(const reports::SystemRecord& system,
                                                  std::int64_t rank,
                                                  const std::string& address);

/// Fills in the UUIDs of the ranks' devices from the GPUs of their hosts.
void name_devices(const reports::SystemRecord& system, reports::TrialRecord& trial);

}  // namespace dlbench::harness
