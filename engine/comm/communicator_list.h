// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The device communicators known to this process, and which one a set of ranks uses. A plug-in
// registers its own when it is loaded.
#pragma once

#include "engine/backend/backend.h"
#include "engine/comm/communicator.h"
#include "engine/comm/rendezvous.h"

#include <cstdint>
#include <memory>
#include <string>

namespace dlbench::comm {

/// What to do with ranks that share a GPU.
enum class DeviceSharing : std::uint8_t { kRefused, kHostStaged };

struct CommunicatorOptions {
  DeviceSharing sharing = DeviceSharing::kRefused;
  bool repeatable = false;  ///< bitwise equal sums in every run; the same for a whole process
};

/// The factory of a device kind's communicator: {"cuda", NCCL's}. The host ("cpu") needs none.
struct CommunicatorEntry {
  std::string device_kind;
  std::unique_ptr<Communicator> (*create)(Rendezvous& ranks,
                                          const CommunicatorOptions& options) = nullptr;
};
/// Adds a communicator; a second one for the same kind is a programmer error.
void register_communicator(CommunicatorEntry entry);

/// Creates the communicator for tensors of `backend` among `ranks`; SelfCommunicator for one rank.
/// Collective. Throws core::Error(kUnavailable), for example on all ranks if two of them share a
/// GPU and options refuse that.
[[nodiscard]] std::unique_ptr<Communicator> create_communicator(
    Rendezvous& ranks, backend::Backend& backend, const CommunicatorOptions& options = {});

/// Creates the communicator registered for the device of `backend`, even for one rank, and without
/// checking whether ranks share a device. Collective. Throws core::Error(kUnavailable) if there is
/// none.
[[nodiscard]] std::unique_ptr<Communicator> create_device_communicator(
    Rendezvous& ranks, backend::Backend& backend, const CommunicatorOptions& options = {});

}  // namespace dlbench::comm
