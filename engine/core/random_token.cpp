// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/random_token.h"

#include <random>

namespace dlbench::core {

std::uint64_t random_token() {
  std::random_device random;
  return std::uniform_int_distribution<std::uint64_t>()(random);
}

}  // namespace dlbench::core
