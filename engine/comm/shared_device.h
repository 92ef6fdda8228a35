// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Detects ranks that share a device, which collectives between devices do not support.
#pragma once

#include "engine/comm/rendezvous.h"

#include <span>
#include <string>
#include <vector>

namespace dlbench::comm {

/// Returns "ranks 0 and 2 use one GPU (node7 0000:17:00.0)" for the first two ranks with the same
/// device, empty if there are none. `places` and `addresses` (of each rank's device on its machine)
/// are indexed by rank; `addresses` may be empty.
[[nodiscard]] std::string shared_device(std::span<const RankPlace> places,
                                        const std::vector<std::string>& addresses);

/// The number of ranks that use the device of `rank`, itself included; 1 if `addresses` is empty.
[[nodiscard]] int ranks_on_device(std::span<const RankPlace> places,
                                  const std::vector<std::string>& addresses,
                                  int rank);

/// A device's address as ranks compare and show it. A MIG slice has the address of its GPU plus a
/// remark: NCCL refuses two slices of one GPU just as it refuses a shared GPU.
[[nodiscard]] std::string shown_address(const backend::DeviceInfo& device);

/// shown_address() of every rank's device, by rank; empty for one rank and for backends in host
/// memory, which ranks may share. Collective; the same on all ranks.
[[nodiscard]] std::vector<std::string> device_addresses(Rendezvous& ranks,
                                                        const backend::Backend& backend);

/// The message that refuses ranks which share a device (`shared`: from shared_device()), with
/// advice.
[[nodiscard]] std::string refusal_to_share(const std::string& shared);

}  // namespace dlbench::comm
