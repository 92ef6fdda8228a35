// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/shared_device.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace dlbench::comm {

std::string shared_device(std::span<const RankPlace> places,
                          const std::vector<std::string>& addresses) {
  std::map<std::pair<int, std::string>, std::size_t> owner;
  for (std::size_t rank = 0; rank < addresses.size(); ++rank) {
    const RankPlace& place = places[rank];
    const auto [known, is_new] = owner.emplace(std::pair(place.machine, addresses[rank]), rank);
    if (!is_new) {
      return fmt::format(
          "ranks {} and {} use one GPU ({} {})", known->second, rank, place.host, addresses[rank]);
    }
  }
  return "";
}

int ranks_on_device(std::span<const RankPlace> places,
                    const std::vector<std::string>& addresses,
                    int rank) {
  if (addresses.empty()) {
    return 1;
  }
  const auto self = static_cast<std::size_t>(rank);
  int count = 0;
  for (std::size_t other = 0; other < addresses.size(); ++other) {
    count += places[other].machine == places[self].machine && addresses[other] == addresses[self];
  }
  return count;
}

// CUDA calls a slice "NVIDIA A100-SXM4-40GB MIG 1g.5gb".
std::string shown_address(const backend::DeviceInfo& device) {
  const bool slice = device.name.find(" MIG ") != std::string::npos;
  return device.address + (slice ? " in MIG slices" : "");
}

std::vector<std::string> device_addresses(Rendezvous& ranks, const backend::Backend& backend) {
  if (ranks.size() == 1 || backend.reads_host_memory()) {
    return {};
  }
  return ranks.all_gather_text(shown_address(backend.device()));
}

std::string refusal_to_share(const std::string& shared) {
  return shared +
         ", which NCCL does not do: start at most one rank per GPU, or give --share-gpu to reduce "
         "gradients in host memory";
}

}  // namespace dlbench::comm
