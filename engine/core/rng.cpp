// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/rng.h"

#include "engine/core/check.h"

#include <cmath>
#include <numbers>

namespace dlbench::core {

std::uint32_t RandomStream::next_u32() {
  if (used_ == 4) {
    words_ =
        philox4x32({static_cast<std::uint32_t>(block_),
                    static_cast<std::uint32_t>(block_ >> 32U),
                    static_cast<std::uint32_t>(stream_),
                    static_cast<std::uint32_t>(stream_ >> 32U)},
                   {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32U)});
    ++block_;
    used_ = 0;
  }
  return words_[static_cast<std::size_t>(used_++)];
}

std::uint32_t RandomStream::below(std::uint32_t bound) {
  DLBENCH_CHECK(bound > 0);
  // Lemire 2019, "Fast random integer generation in an interval", algorithm 5: rejects the few
  // values that would make small results likelier.
  std::uint64_t product = std::uint64_t{next_u32()} * bound;
  auto low = static_cast<std::uint32_t>(product);
  if (low < bound) {
    const std::uint32_t threshold = (0U - bound) % bound;
    while (low < threshold) {
      product = std::uint64_t{next_u32()} * bound;
      low = static_cast<std::uint32_t>(product);
    }
  }
  return static_cast<std::uint32_t>(product >> 32U);
}

float RandomStream::normal() {
  const float radius = std::sqrt(-2.0F * std::log(1.0F - uniform()));
  return radius * std::cos(2.0F * std::numbers::pi_v<float> * uniform());
}

}  // namespace dlbench::core
