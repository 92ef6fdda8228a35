// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The communicator that a device's plug-in has registered (rendezvous.h), by itself.
#pragma once

#include "engine/comm/rendezvous.h"

#include <memory>

namespace dlbench::comm {

/// As create_communicator(), but at one rank too, and whether or not ranks share a device. Throws
/// core::Error(kUnavailable) if none is registered for the device of `backend`.
[[nodiscard]] std::unique_ptr<Communicator> create_device_communicator(
    Rendezvous& ranks, backend::Backend& backend, const CommunicatorOptions& options = {});

}  // namespace dlbench::comm
