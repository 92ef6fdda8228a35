// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Turning a grey mask into classes 0 and 1.
#pragma once

#include <cstdint>
#include <span>

namespace dlbench::data {

/// In place: 1 where the value is at least `limit`, else 0.
inline void threshold(std::span<std::uint8_t> values, std::uint8_t limit) {
  for (std::uint8_t& value : values) {
    value = value >= limit ? 1 : 0;
  }
}

}  // namespace dlbench::data
