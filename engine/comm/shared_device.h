// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether ranks have the same device, which collectives between devices do not allow.
#pragma once

#include "engine/comm/rendezvous.h"

#include <span>
#include <string>
#include <vector>

namespace dlbench::comm {

/// Empty, or "ranks 0 and 2 use one GPU (node7 0000:17:00.0)" of the first two ranks with the same
/// device. `addresses`: of each rank's device on its machine, by rank, as are `places`; or empty.
[[nodiscard]] std::string shared_device(std::span<const RankPlace> places,
                                        const std::vector<std::string>& addresses);

/// How many ranks use the device of `rank`, itself included.
[[nodiscard]] int ranks_on_device(std::span<const RankPlace> places,
                                  const std::vector<std::string>& addresses,
                                  int rank);

/// A device's address as ranks compare and show it: of a slice (MIG) with a word about it, for all
/// slices have the address of their GPU, and NCCL refuses two of them as it does one GPU.
[[nodiscard]] std::string shown_address(const backend::DeviceInfo& device);

/// shown_address() of every rank's device, by rank; empty where their memory is the host's, which
/// ranks may share. Collective; the same on all ranks.
[[nodiscard]] std::vector<std::string> device_addresses(Rendezvous& ranks,
                                                        const backend::Backend& backend);

/// Why ranks that share a device, as shared_device() says it, are refused, and what to do.
[[nodiscard]] std::string refusal_to_share(const std::string& shared);

}  // namespace dlbench::comm
