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
    const auto [known, is_new] = owner.emplace(std::pair(place.node, addresses[rank]), rank);
    if (!is_new) {
      return fmt::format(
          "ranks {} and {} use one GPU ({} {})", known->second, rank, place.host, addresses[rank]);
    }
  }
  return "";
}

std::string shared_device(Rendezvous& ranks, const backend::Backend& backend) {
  if (ranks.size() == 1 || backend.reads_host_memory()) {
    return "";
  }
  return ranks.broadcast_text(
      shared_device(ranks.places(), ranks.gather(backend.device().address)));
}

std::string refusal_to_share(const std::string& shared) {
  return shared +
         ", which NCCL does not do: start at most one rank per GPU, or give --share-gpu to reduce "
         "gradients in host memory";
}

}  // namespace dlbench::comm
