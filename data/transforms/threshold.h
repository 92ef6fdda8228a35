// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns a grey mask into classes 0 and 1.
#pragma once

#include <cstdint>
#include <span>

namespace dlbench::data {

/// Sets each value to 1 if it is at least `limit`, else to 0, in place.
inline void threshold(std::span<std::uint8_t> values, std::uint8_t limit) {
  for (std::uint8_t& value : values) {
    value = value >= limit ? 1 : 0;
  }
}

}  // namespace dlbench::data
