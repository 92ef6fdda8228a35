// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/shared_device.h"

#include <fmt/format.h>

#include <map>

namespace dlbench::backend::cuda {

std::string shared_device(const std::vector<std::string>& devices) {
  std::map<std::string, std::size_t> owner;
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    const auto [known, is_new] = owner.emplace(devices[rank], rank);
    if (!is_new) {
      return fmt::format(
          "ranks {} and {} would use one GPU ({}), which NCCL does not do: start at most one rank "
          "per GPU",
          known->second,
          rank,
          devices[rank]);
    }
  }
  return "";
}

}  // namespace dlbench::backend::cuda
