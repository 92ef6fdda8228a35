// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The communicators between devices known to this process, and which one a set of ranks takes. A
// plug-in registers its own when it is loaded.
#pragma once

#include "engine/backend/backend.h"
#include "engine/comm/communicator.h"
#include "engine/comm/rendezvous.h"

#include <cstdint>
#include <memory>
#include <string>

namespace dlbench::comm {

/// What to do with ranks that have the same GPU.
enum class DeviceSharing : std::uint8_t { kRefused, kHostStaged };

struct CommunicatorOptions {
  DeviceSharing sharing = DeviceSharing::kRefused;
  bool repeatable = false;  ///< sums have the same bits in every run; the same in all of a process
};

/// Makes the communicator of a device kind: {"cuda", NCCL's}. "cpu" is the host's own.
struct CommunicatorEntry {
  std::string device_kind;
  std::unique_ptr<Communicator> (*create)(Rendezvous& ranks,
                                          const CommunicatorOptions& options) = nullptr;
};
/// Adds a communicator; a second one of the same kind is a programmer error.
void register_communicator(CommunicatorEntry entry);

/// The communicator for tensors of `backend` among `ranks`; SelfCommunicator at one rank.
/// Collective. Throws core::Error(kUnavailable), on all ranks where two of them have the same GPU
/// and that is refused.
[[nodiscard]] std::unique_ptr<Communicator> create_communicator(
    Rendezvous& ranks, backend::Backend& backend, const CommunicatorOptions& options = {});

/// The communicator registered for the device of `backend`, at one rank too, and whether or not
/// ranks share a device. Collective. Throws core::Error(kUnavailable) if there is none.
[[nodiscard]] std::unique_ptr<Communicator> create_device_communicator(
    Rendezvous& ranks, backend::Backend& backend, const CommunicatorOptions& options = {});

}  // namespace dlbench::comm
